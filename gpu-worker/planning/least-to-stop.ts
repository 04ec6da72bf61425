/** How likely an ending must be before a plan over tools stops there. Pure. */
import type { PlanningConfig } from "../world-model/manifest.ts";
import { eventColumn, type SessionView } from "../world-model/session-reader.ts";
import { servesAll } from "./tool-numbers.ts";

type Stopping = Pick<PlanningConfig["session"], "stopFrom" | "planStopFrom" | "servedStopFrom">;

/**
 * The threshold depends on whether calls have served every part of the last message (and the last call did not fail):
 * unserved: `stopFrom` at the first step, `planStopFrom` at later ones; served: `servedStopFrom`. A plan for several parts stops
 * for certain once its own steps have served them all. `wishes`: number of parts; 0 for a message of one part.
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
