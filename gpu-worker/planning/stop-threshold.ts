/** How likely an ending must be before a plan over tools stops there. Pure. */
import type { PlanningConfig } from "../world-model/manifest.ts";
import { eventColumn, type SessionView } from "../world-model/session-reader.ts";
import type { Evidence } from "./evidence.ts";
import { servesAll } from "./tool-numbers.ts";

type Stopping = Pick<
  PlanningConfig["session"],
  "stopFrom" | "planStopFrom" | "servedStopFrom" | "countedStopFrom"
>;

/**
 * The threshold depends on whether calls have served every part of the last message (and the last call did not fail). Unserved:
 * `stopFrom` at the first step, `planStopFrom` at later ones. Served: `servedStopFrom`. A plan for several parts stops at once
 * when its own steps have served them all. `parts`: their number; 0 for a message that is not divided. At the first step the
 * count of calls (progress.ts) changes the threshold, and a plan does not stop while a tool that followed such a call before is
 * still to be called.
 */
export function stopThreshold(
  { view: { events, tools }, parts, step }: { view: SessionView; parts: number; step: number },
  { progress, hasSequel }: Pick<Evidence, "progress" | "hasSequel">,
  { stopFrom, planStopFrom, servedStopFrom, countedStopFrom }: Stopping,
): number {
  const [newest] = events;
  const failed = newest?.kind === "result" && newest.numbers[eventColumn.looksFailed] === 1;
  const served = servesAll(tools) && !failed;
  if (step > 0) {
    if (!served) return planStopFrom;
    return parts > 1 ? 0 : servedStopFrom;
  }
  const byParts = served ? servedStopFrom : stopFrom;
  if (newest?.kind !== "result") return byParts;
  if (hasSequel) return Number.POSITIVE_INFINITY;
  if (progress === "even") return Math.min(byParts, servedStopFrom);
  if (progress === "behind") return Math.max(byParts, countedStopFrom.behind);
  return progress === "unclear" ? byParts : Math.min(byParts, countedStopFrom[progress]);
}
