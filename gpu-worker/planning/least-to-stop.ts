/** How likely an ending must be before a plan over tools stops there. Pure. */
import type { PlanningConfig } from "../world-model/manifest.ts";
import { eventColumn, type SessionView } from "../world-model/session-reader.ts";
import { servesAll } from "./tool-numbers.ts";

type Stopping = Pick<PlanningConfig["session"], "stopFrom" | "planStopFrom" | "servedStopFrom">;

/**
 * While a wish of the last message looks unserved, taking the work for done harms most: only a sure ending counts. Once calls
 * have served every wish, and the last one did not fail, a likely one does; and a plan of several wishes ends where its steps
 * have served them all, since nothing more was asked for. `wishes`: parts of the last message, none where it is one.
 */
export function leastToStop(
  { view: { events, tools }, wishes, step }: { view: SessionView; wishes: number; step: number },
  { stopFrom, planStopFrom, servedStopFrom }: Stopping,
): number {
  const [newest] = events;
  const failed = newest?.kind === "result" && newest.numbers[eventColumn.looksFailed] === 1;
  if (servesAll(tools) && !failed) return step > 0 && wishes > 1 ? 0 : servedStopFrom;
  return step === 0 ? stopFrom : planStopFrom;
}
