/**
 * Plans requests against one loaded checkpoint: the meeting point of the worker's host (which batches,
 * times and serves) and the world model (which encodes, acts, predicts).
 */
import type { ModelSize } from "../../shared/model-sizes.ts";
import type { TaskName, TaskRequest, TaskResponse } from "../../shared/worker-tasks.ts";
import type { SharedGraphs } from "../world-model/shared-graphs.ts";
import { loadWorldModel, type WorldModel } from "../world-model/world-model.ts";
import { embedTexts, type TextTooLong } from "./embed.ts";
import { planRequests } from "./plan.ts";
import { predictRollouts } from "./rollout.ts";
import { warmUp } from "./warm-up.ts";

export type PlannerDescription = {
  size: ModelSize;
  /** Width of the latent the checkpoint's encoder writes. */
  dimension: number;
  /** The device the sessions really run on, after any fall back. */
  device: "cuda" | "cpu";
  /** Why `auto` did not take CUDA, where it did not. */
  fellBack?: string;
  /** The checkpoint's name, never a path of this machine. */
  checkpoint: string;
  numActions: number;
  /** True once learned policy heads are part of the checkpoint. */
  brainLoaded: boolean;
  toolMatching: "sentence-transformers" | "keyword";
  /** ln(numActions): the nats of a guess. */
  randomBaselineNats: number;
};

/**
 * What a loaded checkpoint does, a function per task of the shared table: one answer per request, in order;
 * deterministic and independent of the batch. timings.queueMs is left 0.
 */
type Work = {
  [Name in TaskName]: (
    requests: readonly TaskRequest<Name>[],
  ) => Promise<(TaskResponse<Name> | (Name extends "embed" ? TextTooLong : never))[]>;
};

export type Planner = Work & {
  describe(): PlannerDescription;
  close(): Promise<void>;
};

export type PlannerOptions = {
  checkpointDir: string;
  device: "auto" | "cuda" | "cpu";
  intraOpThreads?: number;
  /** Graph files shared with the other threads that load the same checkpoint. */
  shared?: SharedGraphs | undefined;
  /** Size of the batch that is run once while loading: the largest there will be. Default: no such run. */
  warmUpRequests?: number;
};

/** Loads a checkpoint folder. Throws a sentence that says what is wrong with it. */
export async function loadPlanner({ warmUpRequests, ...options }: PlannerOptions): Promise<Planner> {
  const model = await loadWorldModel(options);
  const { name, size, dimension, numActions, brainLoaded } = model.manifest;
  const planner: Planner = {
    plan: timed(model, (requests) => planRequests(model, requests)),
    rollout: timed(model, (requests) => predictRollouts(model, requests)),
    embed: timed(model, (requests) => embedTexts(model, requests)),
    describe: () => ({
      size,
      dimension,
      device: model.device,
      ...(model.fellBack !== undefined && { fellBack: model.fellBack }),
      checkpoint: name,
      numActions,
      brainLoaded,
      toolMatching: "sentence-transformers",
      randomBaselineNats: Math.log(numActions),
    }),
    close: model.close,
  };
  if (warmUpRequests) await warmUp(planner, model, warmUpRequests);
  return planner;
}

/** Runs the work with scratch memory. Each answer's `modelMs` is the time of its whole batch, since it waited for all of it. */
function timed<Requests, Answer extends object>(
  { scratch }: WorldModel,
  work: (requests: Requests) => Promise<Answer[]>,
): (requests: Requests) => Promise<Answer[]> {
  return async (requests) => {
    const started = performance.now();
    const answers = await scratch.during(() => work(requests));
    const timings = { queueMs: 0, modelMs: performance.now() - started };
    return answers.map((answer) => ("timings" in answer ? { ...answer, timings } : answer));
  };
}
