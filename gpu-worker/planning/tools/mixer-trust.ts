/**
 * What the mixer adds to the reader of sessions. At a conversation's first turn there is only a message and a list of tools. The mixer
 * was trained on far more such pairs than the reader, so their probabilities are multiplied (a product of experts, Hinton 2002). Once
 * calls were made or planned for such a message, the mixer says which tool the next part of it asks for. Pure.
 */
import { maxPlanTurns, type PlanRequest } from "../../../shared/planning.ts";
import type { PlanningConfig } from "../../world-model/planning-config.ts";
import { mayAskSeveral } from "../message/goal-text.ts";
import { lastGoal, looksFailed, type SessionEvent, turnsOf } from "../session/events.ts";
import type { Evidence } from "../session/evidence.ts";
import { sumOf, weighTools } from "./tool-chances.ts";
import { partsLeft, type ToolReading } from "./tool-numbers.ts";

type Trusts = PlanningConfig["session"]["mixerTrust"];
/** Bounds the logarithm for tools that a part does not ask for. */
const minChance = 1e-9;
/** Exponents of the mixer's probabilities for the whole message and for its first part that asks; the reader has the rest to 1. */
export type Trust = { message: number; firstPart: number };

type Asked = { request: Pick<PlanRequest, "goal" | "state">; reading: Pick<ToolReading, "mixedParts"> };

/** Words of a system prompt that says how to go about the work: "Look an order up before you change it." */
const instructs = /\b(?:always|never|before|first|must|only|don't|do not)\b/iu;

/** Whether a message asks for several things, and no system prompt (`state`) says how to go about them. */
function isUninstructed({ request, reading }: Asked, { uninstructed }: Trusts): boolean {
  const system = request.state.trim();
  return (
    reading.mixedParts.length > 1 && system.length <= uninstructed.maxCharacters && !instructs.test(system)
  );
}

/** How far the mixer is trusted at the first turn. */
export function trustAt(asked: Asked, trusts: Trusts): Trust {
  if (isUninstructed(asked, trusts)) return trusts.uninstructed;
  return { message: mayAskSeveral(asked.request.goal) ? trusts.inParts : trusts.whole, firstPart: 0 };
}

/**
 * The mixer's probabilities for the first part of a message that asks for a tool. It is not known which part that is: each counts by
 * the probability that it asks and that none before it does. `parts`: for each part a probability of each tool and, last, of none.
 */
export function chancesOfFirst(parts: readonly Float64Array[]): Float64Array {
  const found = new Float64Array(parts[0]?.length ?? 1);
  let noneBefore = 1;
  for (const part of parts) {
    for (const [tool, chance] of part.subarray(0, -1).entries()) found[tool]! += noneBefore * chance;
    noneBefore *= part.at(-1)!;
  }
  found[found.length - 1] = noneBefore;
  return found;
}

/**
 * The reader's probabilities, multiplied with the mixer's. A "none" of the mixer is multiplied into the sum of the reader's endings,
 * whose ratios stay.
 */
export function trustMixer(
  read: Float64Array,
  { mixed, mixedParts }: { mixed: Float64Array } & Pick<ToolReading, "mixedParts">,
  { message, firstPart }: Trust,
): Float64Array {
  const tools = mixed.length - 1;
  const first = firstPart === 0 ? mixed : chancesOfFirst(mixedParts);
  const ending = sumOf(read.subarray(tools));
  const weigh = (chance: number, row: number) =>
    chance ** (1 - message - firstPart) * mixed[row]! ** message * first[row]! ** firstPart;
  const weighed = read.map((chance, at) => {
    if (at < tools) return weigh(chance, at);
    return ending === 0 ? 0 : (chance / ending) * weigh(ending, tools);
  });
  const total = sumOf(weighed);
  return weighed.map((chance) => chance / total);
}

type WeighedSession = {
  request: Asked["request"];
  events: readonly SessionEvent[];
  tools: readonly { name: string }[];
  reading: Pick<ToolReading, "mixed" | "mixedParts">;
  evidence: Evidence;
};

/** Rows of the tools that were called or are planned. */
const calledRows = (tools: WeighedSession["tools"], turns: readonly SessionEvent[]): number[] =>
  turns
    .filter(({ kind }) => kind === "call" || kind === "planned")
    .map(({ text }) => tools.findIndex(({ name }) => name === text))
    .filter((row) => row !== -1);

/**
 * Whether the mixer may say what is next: the only message is the first of the turns, of which none was left out, and the last call
 * did not fail. Only the reader knows whether to repeat a failed call, and what failing tests ask for.
 */
function isPartNext(turns: readonly SessionEvent[]): boolean {
  const last = turns.at(-1);
  const hasFailed = last?.kind === "result" && looksFailed(last.text);
  return lastGoal(turns) === 0 && turns.length < maxPlanTurns && !hasFailed;
}

/** Redistributes the tools' total probability by the mixer's for the first part that no call has served, with the exponent `trust`. */
function weighNextPart(
  { tools, reading: { mixedParts } }: WeighedSession,
  turns: readonly SessionEvent[],
  read: Float64Array,
  trust: number,
): Float64Array {
  const left = partsLeft(mixedParts, calledRows(tools, turns));
  if (left.length === 0) return read;
  const chances = chancesOfFirst(left.map((part) => mixedParts[part]!)).subarray(0, -1);
  return weighTools(
    read,
    chances.map((chance) => trust * Math.log(Math.max(chance, minChance))),
  );
}

/**
 * The reader's probabilities before a step of a plan, with what else is known of the tools multiplied in: the mixer's, and before the
 * first step the evidence. `planned`: the steps before it.
 */
export function weighStep(
  session: WeighedSession,
  planned: readonly SessionEvent[],
  read: Float64Array,
  trusts: Trusts,
): Float64Array {
  const { events, reading, evidence } = session;
  const { mixed, mixedParts } = reading;
  const turns = [...turnsOf(events), ...planned];
  let weighed = read;
  if (mixed && turns.length <= 1) weighed = trustMixer(read, { mixed, mixedParts }, trustAt(session, trusts));
  else if (mixed && isPartNext(turns) && isUninstructed(session, trusts))
    weighed = weighNextPart(session, turns, read, trusts.uninstructed.nextPart);
  return planned.length === 0 ? weighTools(weighed, evidence.logOdds) : weighed;
}
