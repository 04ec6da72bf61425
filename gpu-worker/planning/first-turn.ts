/**
 * A conversation's first turn: there is only a message and a list of tools. The mixer was trained on far more such pairs than the
 * reader of sessions, so their probabilities are multiplied (a product of experts, Hinton 2002). Pure.
 */
import type { PlanRequest } from "../../shared/planning.ts";
import type { PlanningConfig } from "../world-model/manifest.ts";
import type { Evidence } from "./evidence.ts";
import { mayAskSeveral } from "./goal-text.ts";
import { type SessionEvent, turnsOf } from "./session-events.ts";
import { sumOf, weighEvidence } from "./tool-chances.ts";
import type { ToolReading } from "./tool-numbers.ts";

type Trusts = PlanningConfig["session"]["firstTurnTrust"];
/** Exponents of the mixer's probabilities for the whole message and for its first part that asks; the reader has the rest to 1. */
export type Trust = { message: number; firstPart: number };

/** How far the mixer is trusted. `system`: the system prompt. */
export function trustAt(goal: string, system: string, { whole, inParts, uninstructed }: Trusts): Trust {
  if (!mayAskSeveral(goal)) return { message: whole, firstPart: 0 };
  return system.length > uninstructed.maxCharacters ? { message: inParts, firstPart: 0 } : uninstructed;
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
 * The reader's probabilities, multiplied with the mixer's. A "none" of the mixer is multiplied into the sum of the reader's endings, whose
 * ratios stay.
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
  request: Pick<PlanRequest, "goal" | "state">;
  events: readonly SessionEvent[];
  reading: Pick<ToolReading, "mixed" | "mixedParts">;
  evidence: Evidence;
};

/** The reader's probabilities before a plan's first step, with what else is known of the tools multiplied in. */
export function weighFirst(
  { events, reading: { mixed, mixedParts }, request: { goal, state }, evidence }: WeighedSession,
  read: Float64Array,
  trusts: Trusts,
): Float64Array {
  const isFirstTurn = mixed !== undefined && turnsOf(events).length <= 1;
  const weighed = isFirstTurn ? trustMixer(read, { mixed, mixedParts }, trustAt(goal, state, trusts)) : read;
  return weighEvidence(weighed, evidence);
}
