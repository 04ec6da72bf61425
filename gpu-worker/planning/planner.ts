/**
 * One loaded checkpoint as a thread runs it: plans, rollouts and embeddings for batches of requests, and the warm-up. Everything above
 * this file queues and serves; everything below encodes and predicts.
 */
import type { ModelSize } from "../../shared/model-sizes.ts";
import { maxPlanSteps, type PlanResponse } from "../../shared/planning.ts";
import type { TaskName, TaskRequest, TaskResponse } from "../../shared/worker-tasks.ts";
import { maxTokensPerRun } from "../world-model/encoder.ts";
import type { SharedGraphs } from "../world-model/shared-graphs.ts";
import { loadWorldModel, type WorldModel } from "../world-model/world-model.ts";
import { embedTexts, type TextTooLong } from "./embed.ts";
import { planRequests } from "./plan.ts";
import { type PlanTask, readAhead } from "./read-ahead.ts";
import { predictRollouts } from "./rollout.ts";

export type PlannerDescription = {
  size: ModelSize;
  /** Width of a latent, which is also that of an embedding. */
  dimension: number;
  /** The device on which the sessions really run, after a fallback. */
  device: "cuda" | "cpu";
  /** Why `auto` did not use CUDA, if it did not. */
  fellBack?: string;
  /** The checkpoint's name, never a path of this machine. */
  checkpoint: string;
  numActions: number;
};

/**
 * The tasks of a loaded checkpoint, a function for each: one answer per request, in order; deterministic and independent of the
 * batch. timings.queueMs is left 0.
 */
type Work = {
  [Name in TaskName]: (
    requests: readonly TaskRequest<Name>[],
  ) => Promise<(TaskResponse<Name> | (Name extends "embed" ? TextTooLong : never))[]>;
};

/** A plan that goes back to the queue, since texts are left to read (read-ahead.ts). */
export type PlanBegun = Required<Pick<PlanTask, "readTexts">> & Pick<PlanResponse, "tokens" | "timings">;

export type Planner = Work & {
  /**
   * Reads some of a plan's texts, if many are unseen; undefined if the plan can be made now. To be called before `plan`, in the same
   * thread, whose encoder remembers them.
   */
  readAhead(task: PlanTask): Promise<PlanBegun | undefined>;
  describe(): PlannerDescription;
  close(): Promise<void>;
};

export type PlannerOptions = {
  checkpointDir: string;
  device: "auto" | "cuda" | "cpu";
  intraOpThreads?: number;
  /** Graph files shared with the other threads that load the same checkpoint. */
  shared?: SharedGraphs | undefined;
  /** Size of the warm-up batch, which should be the largest that will come. Absent: no warm-up. */
  warmUpRequests?: number;
};

/** Loads a checkpoint folder. Throws a sentence that says what is wrong with it. */
export async function loadPlanner({ warmUpRequests, ...options }: PlannerOptions): Promise<Planner> {
  const model = await loadWorldModel(options);
  const { name, size, dimension, numActions } = model.manifest;
  const planner: Planner = {
    plan: timed(model, (requests) => planRequests(model, requests)),
    rollout: timed(model, (requests) => predictRollouts(model, requests)),
    embed: timed(model, (requests) => embedTexts(model, requests)),
    async readAhead(task) {
      const started = performance.now();
      const begun = await model.scratch.during(() => readAhead(model, task));
      return begun && { ...begun, timings: { queueMs: 0, modelMs: performance.now() - started } };
    },
    describe: () => ({
      size,
      dimension,
      device: model.device,
      ...(model.fellBack !== undefined && { fellBack: model.fellBack }),
      checkpoint: name,
      numActions,
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

/** Lengths of the warm-up's texts, as shares of the window, longest first. */
const warmUpLengths = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16];
/** Tools of each request in the warm-up's plans. */
const toolsOfEach = 10;
/**
 * A batch with tools is full at this share of its greatest number of requests, since it reaches the limit of its tokens (task-cost.ts).
 */
const shareWithTools = 1 / 4;

/**
 * Runs the largest batches that a thread will get, once, before it serves, so that memory is allocated and code compiled before a
 * caller waits: the encoder on full runs of texts of several lengths, then a batch of `requests` rollouts and one of plans with tools,
 * whose texts are the descriptions of the 903 actions.
 */
async function warmUp(
  planner: Pick<Work, "plan" | "rollout">,
  model: WorldModel,
  requests: number,
): Promise<void> {
  const { size, windowTokens, numActions } = model.manifest;
  for (const share of warmUpLengths) {
    const length = Math.ceil(windowTokens * share);
    const rows = Math.floor(maxTokensPerRun / length);
    await model.encoder.encodeTokens(Array.from({ length: rows }, () => new Int32Array(length)));
  }
  const glossAt = (index: number) => model.table.actions[index % numActions]!.gloss;
  const tools = Array.from({ length: toolsOfEach }, (_, index) => {
    const { name, gloss } = model.table.actions[numActions - 1 - index]!;
    return { name, description: gloss };
  });
  const goals = Array.from({ length: requests }, (_, index) => glossAt(index * toolsOfEach));
  const common = { size, maxSteps: maxPlanSteps };
  await planner.rollout(goals.map((goal) => ({ ...common, goal })));
  const some = goals.slice(0, Math.ceil(requests * shareWithTools));
  await planner.plan(some.map((goal) => ({ ...common, goal, state: "", history: [], turns: [], tools })));
}
