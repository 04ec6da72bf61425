/** How likely an ending must be before a plan over tools stops there. Pure. */
import type { PlanningConfig } from "../world-model/manifest.ts";
import { eventColumn, type SessionView } from "../world-model/session-reader.ts";
import { servesAll } from "./tool-numbers.ts";

type Stopping = Pick<PlanningConfig["session"], "stopFrom" | "planStopFrom" | "servedStopFrom">;

/**
 * The threshold depends on whether calls have served every part of the last message (and the last call did not fail):
 * unserved: `stopFrom` at the first step, `planStopFrom` at later ones; served: `servedStopFrom`. A plan for several parts stops
 * at once when its own steps have served them all. `parts`: their number; 0 for a message that is not divided.
 */
export function leastToStop(
  { view: { events, tools }, parts, step }: { view: SessionView; parts: number; step: number },
  { stopFrom, planStopFrom, servedStopFrom }: Stopping,
): number {
  const [newest] = events;
  const failed = newest?.kind === "result" && newest.numbers[eventColumn.looksFailed] === 1;
  if (servesAll(tools) && !failed) return step > 0 && parts > 1 ? 0 : servedStopFrom;
  return step === 0 ? stopFrom : planStopFrom;
}
