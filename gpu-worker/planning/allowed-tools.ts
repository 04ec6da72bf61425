/** Which of the caller's tools may be next, by what the message denies and by what the request demands. Pure. */
import type { PlanRequest } from "../../shared/planning.ts";
import type { PlanningConfig } from "../world-model/manifest.ts";
import type { Refused } from "./refused-tools.ts";

/**
 * The reader's logits, those of forbidden tools as low as can be. `mixedParts`: for each part the mixer's probability of each tool and,
 * last, of none of them. A tool that another part asks for as much as a denied one is not forbidden: "write to Bob, do not sound angry"
 * says how. `isBegun`: whether anything was called for the goal.
 */
export function leaveForbidden(
  logits: Float64Array,
  { denied, always, untilCalled }: Refused,
  mixedParts: readonly Float64Array[],
  isBegun: boolean,
  from: PlanningConfig["session"]["forbiddenFrom"],
): Float64Array {
  const refused = isBegun ? always : untilCalled;
  if (denied.length === 0 && refused.size === 0) return logits;
  const isForbidden = (row: number) => {
    if (refused.has(row)) return true;
    const chances = mixedParts.map((mixed) => (row < mixed.length - 1 ? mixed[row]! : 0));
    const asked = Math.max(0, ...chances.filter((_, part) => denied.every(({ place }) => place !== part)));
    return denied.some(({ place, isOpen }) => {
      const chance = chances[place] ?? 0;
      return chance >= (isOpen ? from.open : from.other) && chance > asked;
    });
  };
  return logits.map((logit, row) => (isForbidden(row) ? Number.NEGATIVE_INFINITY : logit));
}

/**
 * Where only one tool may be called now, it is certain. Where any of several must be, the endings keep their probability: a caller's
 * tool for the last answer takes their place, so to rescale the others would make them sure for nothing.
 */
export function onlyAllowed({ mustCall, tools }: PlanRequest, chances: Float64Array): Float64Array {
  if (!mustCall) return chances;
  const only = mustCall.tool ?? (tools.length === 1 ? tools[0]!.name : undefined);
  const place = tools.findIndex(({ name }) => name === only);
  return place === -1 ? chances : chances.map((_, at) => Number(at === place));
}
