/**
 * Plans requests against one loaded checkpoint: the meeting point of the worker's host (which batches,
 * times and serves) and the world model (which encodes, acts, predicts).
 */
import type { ModelSize, PlanResponse } from "../../shared/planning.ts";
import type { TaskName, TaskRequest, TaskResponse } from "../../shared/worker-tasks.ts";
import { actionIds } from "../world-model/actions.ts";
import { loadWorldModel, type WorldModel } from "../world-model/world-model.ts";
import { type Plan, searchPlans, topRows } from "./beam.ts";
import { embedTexts, type TextTooLong } from "./embed.ts";
import { confidenceLabel } from "./interpret.ts";
import { optionAt } from "./policy.ts";
import { predictRollouts } from "./rollout.ts";
import { readSituations, type Situation } from "./situation.ts";
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
  /** Requests of the largest batch there will be, done once while loading; none unless told. */
  warmUpRequests?: number;
};

/** Loads a checkpoint folder. Throws a sentence that says what is wrong with it. */
export async function loadPlanner({ warmUpRequests, ...options }: PlannerOptions): Promise<Planner> {
  const model = await loadWorldModel(options);
  const { name, size, dimension, numActions, brainLoaded } = model.manifest;
  const planner: Planner = {
    plan: timed(model, async (requests) => {
      const situations = await readSituations(model, requests);
      const plans = await searchPlans(model, situations);
      return situations.map((situation, at) => writeReply(model, situation, plans[at]!));
    }),
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

/** Work on scratch memory that gives every answer the time its whole batch took: all of them waited for it. */
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

function writeReply(model: WorldModel, situation: Situation, { root, steps }: Plan): PlanResponse {
  const { confidence } = model.manifest.planning;
  const { actions } = model.table;
  const planned = steps.map(({ option, probability, stateChange }) => {
    return { actionId: option.actionId, probability, stateChange };
  });
  // Nothing left to do is a plan of one step: the action that says so.
  const stop = { actionId: actionIds.end, probability: root.probabilities.at(-1)!, stateChange: 0 };
  const first = steps[0];
  const isBest = first?.choice === topRows(root.probabilities.subarray(0, -1), 1)[0];
  return {
    steps: (planned.length > 0 ? planned : [stop]).map((step) => ({
      ...step,
      actionName: actions[step.actionId]!.name,
      category: actions[step.actionId]!.category,
      confidence: confidenceLabel(step.probability, confidence),
    })),
    overallConfidence: (planned[0] ?? stop).probability,
    brainSignal: {
      ...recommend(model, situation, root.probabilities),
      planAhead: steps.slice(1, 3).map(({ option }) => option.name),
      simulationConfirmed: first !== undefined && isBest && first.node.reached > root.reached,
      goalProximity: situation.proximity,
    },
    goalReached: root.reached,
    tokens: situation.tokens,
    timings: { queueMs: 0, modelMs: 0 },
  };
}

/** The best choice of the set the signal speaks about: the tools and "none", or the actions that act on the task. */
function recommend(
  model: WorldModel,
  situation: Situation,
  probabilities: Float64Array,
): { actionType: string; confidence: number } {
  const stop = probabilities.length - 1;
  const allowed = probabilities.map((chance, choice) => {
    if (situation.tools.length > 0) return chance;
    return choice === stop || model.table.actions[choice]!.category === "system" ? 0 : chance;
  });
  const [best = stop] = topRows(allowed, 1);
  const total = allowed.reduce((sum, chance) => sum + chance, 0);
  const actionType = best === stop ? "none" : optionAt(model, situation, best).name;
  return { actionType, confidence: allowed[best]! / total };
}
