/** Which of the caller's tools may be next, given what the message denies and what `tool_choice` demands. Pure. */
import type { PlanRequest } from "../../shared/planning.ts";
import type { PlanningConfig } from "../world-model/manifest.ts";
import type { Refused } from "./refused-tools.ts";

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
  from: PlanningConfig["session"]["forbiddenFrom"],
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
