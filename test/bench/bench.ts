/** Runs measurements one after the other on one rig, and stops the rig whatever happens. */
import type { Measurement } from "./measurement.ts";
import { addedFirstByte, addedJson } from "./measurements/added-latency.ts";
import { dialects } from "./measurements/dialects.ts";
import { distantDatabase } from "./measurements/distant-database.ts";
import { embedding } from "./measurements/embedding.ts";
import { fairness } from "./measurements/fairness.ts";
import { largeBodies } from "./measurements/large-bodies.ts";
import { jsonLoad, streamLoad } from "./measurements/load.ts";
import { manyStreams } from "./measurements/many-streams.ts";
import { openStreamMemory } from "./measurements/open-streams.ts";
import { planning } from "./measurements/planning.ts";
import { roundTrips } from "./measurements/round-trips.ts";
import { serviceSoak } from "./measurements/service-soak.ts";
import { soakWorker } from "./measurements/soak.ts";
import { startUp } from "./measurements/start-up.ts";
import { tracing } from "./measurements/tracing.ts";
import { translation } from "./measurements/translation.ts";
import { worldModel } from "./measurements/world-model.ts";
import type { Effort, Result } from "./result.ts";
import { createRig } from "./rig/rig.ts";

/** In the order they run: what heats the machine comes last. */
export const measurements: readonly Measurement[] = [
  addedJson,
  addedFirstByte,
  roundTrips,
  planning,
  worldModel,
  embedding,
  jsonLoad,
  streamLoad,
  translation,
  dialects,
  openStreamMemory,
  startUp,
];

/** Those that take minutes: only by their names. */
export const longMeasurements: readonly Measurement[] = [
  soakWorker,
  serviceSoak,
  fairness,
  largeBodies,
  distantDatabase,
  manyStreams,
  tracing,
];

export type Measured = Result & Pick<Measurement, "name" | "title">;

/** Calls `onResult` with each result as soon as it is measured. */
export async function runBench(
  chosen: readonly Measurement[],
  effort: Effort,
  onResult: (result: Measured) => void,
): Promise<Measured[]> {
  const rig = createRig();
  const results: Measured[] = [];
  try {
    for (const { name, title, run } of chosen) {
      const result = { name, title, ...(await run(rig, effort)) };
      results.push(result);
      onResult(result);
    }
  } finally {
    await rig.stop();
  }
  return results;
}
