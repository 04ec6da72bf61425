/**
 * What is done with the session reader's probabilities of the tools: which tools may not be next, how log odds redistribute them, how
 * likely an ending must be for the plan to stop, and which few tools are listed as likely. What is multiplied in: mixer-trust.ts. Pure.
 */
import type { PlanRequest } from "../../../shared/planning.ts";
import type { PlanningConfig } from "../../world-model/planning-config.ts";
import { eventColumn, type SessionView } from "../../world-model/session-reader.ts";
import type { Evidence } from "../session/evidence.ts";
import type { Refused } from "./refused-tools.ts";
import { servesAll } from "./tool-numbers.ts";

type Config = PlanningConfig["session"];

/**
 * The reader's logits with minus infinity for each forbidden tool. `mixedParts`: for each part of the goal, the mixer's
 * probability of each tool and, last, of none of them. A tool is kept if another part asks for it at least as much as the denied
 * part does: "write to Bob, do not sound angry" denies a manner, not the letter. `isBegun`: whether any tool was called for this
 * goal.
 */
export function withoutForbidden(
  logits: Float64Array,
  {
    refused,
    mixedParts,
    isBegun,
  }: { refused: Refused; mixedParts: readonly Float64Array[]; isBegun: boolean },
  from: Config["forbiddenFrom"],
): Float64Array {
  const { denied } = refused;
  const ruledOut = isBegun ? refused.always : refused.untilCalled;
  if (denied.length === 0 && ruledOut.size === 0) return logits;
  const isForbidden = (row: number) => {
    if (ruledOut.has(row)) return true;
    const chances = mixedParts.map((mixed) => (row < mixed.length - 1 ? mixed[row]! : 0));
    const asked = Math.max(0, ...chances.filter((_, at) => denied.every(({ part }) => part !== at)));
    return denied.some(({ part, isOpen }) => {
      const chance = chances[part] ?? 0;
      return chance >= (isOpen ? from.open : from.other) && chance > asked;
    });
  };
  return logits.map((logit, row) => (isForbidden(row) ? Number.NEGATIVE_INFINITY : logit));
}

/**
 * Gives probability 1 to the tool if `tool_choice` leaves only one. If any of several tools must be called, the probabilities
 * stay as they are: many callers have a tool for the final answer, and rescaling without the endings would overrate the other
 * tools.
 */
export function onlyAllowed({ mustCall, tools }: PlanRequest, chances: Float64Array): Float64Array {
  if (!mustCall) return chances;
  const only = mustCall.tool ?? (tools.length === 1 ? tools[0]!.name : undefined);
  const place = tools.findIndex(({ name }) => name === only);
  return place === -1 ? chances : chances.map((_, at) => Number(at === place));
}

/**
 * Redistributes the tools' total probability among them by log odds. The total stays, since an id in a result, say, tells little about
 * whether the work is done.
 */
export function weighTools(chances: Float64Array, logOdds: Float64Array): Float64Array {
  if (logOdds.every((odds) => odds === 0)) return chances;
  const weighed = chances.map((chance, at) => chance * Math.exp(logOdds[at] ?? 0));
  const tools = logOdds.length;
  const total = sumOf(weighed.subarray(0, tools));
  const share = total === 0 ? 0 : sumOf(chances.subarray(0, tools)) / total;
  return weighed.map((chance, at) => (at < tools ? chance * share : chance));
}

export const sumOf = (chances: Float64Array): number => chances.reduce((sum, chance) => sum + chance, 0);

type Stopping = Pick<Config, "stopFrom" | "planStopFrom" | "servedStopFrom" | "countedStopFrom">;

/**
 * The threshold depends on whether calls have served every part of the last message (and the last call did not fail). Unserved:
 * `stopFrom` at the first step, `planStopFrom` at later ones. Served: `servedStopFrom`. A plan for several parts stops at once
 * when its own steps have served them all. `parts`: their number; 0 for a message that is not divided. At the first step the
 * count of calls (`Progress`) changes the threshold, and a plan does not stop while a call is due (`isOpen`). `isBeside`: the likeliest
 * tool changes something that nobody asked for: a plan whose calls were counted then stops as soon as after a named change.
 */
export function stopThreshold(
  {
    view: { events, tools },
    parts,
    step,
    isBeside = false,
  }: { view: SessionView; parts: number; step: number; isBeside?: boolean },
  { progress, isOpen }: Pick<Evidence, "progress" | "isOpen">,
  { stopFrom, planStopFrom, servedStopFrom, countedStopFrom }: Stopping,
): number {
  const [newest] = events;
  const failed = newest?.kind === "result" && newest.numbers[eventColumn.looksFailed] === 1;
  const served = servesAll(tools) && !failed;
  if (step > 0) {
    if (!served) return planStopFrom;
    return parts > 1 ? 0 : servedStopFrom;
  }
  if (progress === "finished") return 0;
  const byParts = served ? servedStopFrom : stopFrom;
  if (isOpen && newest?.kind === "result") return Number.POSITIVE_INFINITY;
  if (progress === "unclear") return byParts;
  if (progress === "behind") return Math.max(byParts, countedStopFrom.behind);
  if (progress === "even") return Math.min(byParts, servedStopFrom);
  const most = isBeside ? Math.min(byParts, countedStopFrom.named) : byParts;
  return Math.min(
    most,
    progress === "counted" && !served && parts > 1 ? servedStopFrom : countedStopFrom[progress],
  );
}

/** The most likely tools that a list may name: more than half of them would narrow nothing down. */
export const maxListed = (tools: number, { most }: Pick<Config["likely"], "most">): number =>
  Math.min(most, Math.floor(tools / 2));

/**
 * A prediction set (Vovk et al. 2005): the fewest tools, likeliest first, whose probabilities, rescaled over the tools without
 * the endings, sum to `from`. Empty if the set would be longer than a list may be (`maxListed`). A tool that nobody asked for
 * (`isUnasked`, unasked-tools.ts) is replaced by the next likely one, unless it is the likeliest: in lists for development sessions 3
 * of 46 such tools were right, of all others one in six.
 */
export function likelyTools(
  chances: Float64Array,
  { from, most }: Config["likely"],
  isUnasked: (tool: number) => boolean,
): number[] {
  const total = sumOf(chances);
  // A forbidden tool has the probability 0.
  const ranked = [...chances.keys()]
    .filter((tool) => chances[tool]! > 0)
    .sort((a, b) => chances[b]! - chances[a]!);
  let covered = 0;
  const last = ranked.findIndex((tool) => {
    covered += chances[tool]!;
    return covered >= from * total;
  });
  const count = last + 1;
  if (count > maxListed(chances.length, { most })) return [];
  return ranked.filter((tool, at) => at === 0 || !isUnasked(tool)).slice(0, count);
}
