/**
 * Plans requests against one loaded checkpoint: the meeting point of the worker's host (which batches,
 * times and serves) and the world model (which encodes, acts, predicts).
 */
import type { ModelSize, PlanRequest, PlanResponse } from "../../shared/planning.ts";

export type PlannerDescription = {
  size: ModelSize;
  /** Width of the latent the checkpoint's encoder writes. */
  dimension: number;
  /** The device the sessions really run on, after any fall back. */
  device: "cuda" | "cpu";
  /** The checkpoint's name, never a path of this machine. */
  checkpoint: string;
  numActions: number;
  /** True once learned policy heads are part of the checkpoint. */
  brainLoaded: boolean;
  toolMatching: "sentence-transformers" | "keyword";
  /** ln(numActions): the nats of a guess. */
  randomBaselineNats: number;
};

export type Planner = {
  /** One response per request, in order; deterministic and independent of the batch. timings.queueMs is left 0. */
  plan(requests: readonly PlanRequest[]): Promise<PlanResponse[]>;
  describe(): PlannerDescription;
  close(): Promise<void>;
};

export type PlannerOptions = { checkpointDir: string; device: "auto" | "cuda" | "cpu"; intraOpThreads?: number };

export async function loadPlanner(_options: PlannerOptions): Promise<Planner> {
  throw new Error("loadPlanner: under construction");
}
