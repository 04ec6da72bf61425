/** The body of a worker's GET /health, from its checkpoints' own descriptions. */
import type { WorkerHealth } from "../shared/planning.ts";
import type { PlannerDescription } from "./planning/planner.ts";

/** `brain` is that of the first size loaded: an operator lists the main one first. */
export function describeWorker(checkpoints: readonly PlannerDescription[]): WorkerHealth {
  const main = checkpoints[0];
  if (!main) throw new Error("a worker serves at least one size");
  return {
    status: "healthy",
    sizes: checkpoints.map((checkpoint) => checkpoint.size),
    dimensions: Object.fromEntries(checkpoints.map(({ size, dimension }) => [size, dimension])),
    device: main.device,
    brain: {
      loaded: main.brainLoaded,
      checkpoint: main.checkpoint,
      device: main.device,
      num_actions: main.numActions,
      random_baseline_nats: main.randomBaselineNats,
      sentence_transformers: main.toolMatching === "sentence-transformers",
      tool_matching: main.toolMatching,
    },
  };
}
