/**
 * Plans requests against one loaded checkpoint: the meeting point of the worker's host (which batches,
 * times and serves) and the world model (which encodes, acts, predicts).
 */
import type { ModelSize, PlanResponse } from "../../shared/planning.ts";
import type { TaskName, TaskRequest, TaskResponse } from "../../shared/worker-tasks.ts";
import { actionIds } from "../world-model/actions.ts";
import { loadWorldModel, type WorldModel } from "../world-model/world-model.ts";
import { searchPlan, topRows } from "./beam.ts";
import { embedTexts, type TextTooLong } from "./embed.ts";
import { confidenceLabel } from "./interpret.ts";
import { goalReachedAt, type Policy, proximityAt, rootOf } from "./policy.ts";
import { predictRollouts } from "./rollout.ts";
import { readSituations, type Situation } from "./situation.ts";

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
};

/** Loads a checkpoint folder. Throws a sentence that says what is wrong with it. */
export async function loadPlanner(options: PlannerOptions): Promise<Planner> {
  const model = await loadWorldModel(options);
  const { name, size, dimension, numActions, brainLoaded } = model.manifest;
  return {
    plan: timed(async (requests) =>
      (await readSituations(model, requests)).map((situation) => planOne(model, situation)),
    ),
    rollout: timed((requests) => predictRollouts(model, requests)),
    embed: timed((requests) => embedTexts(model, requests)),
    describe: () => ({
      size,
      dimension,
      device: model.device,
      checkpoint: name,
      numActions,
      brainLoaded,
      toolMatching: "sentence-transformers",
      randomBaselineNats: Math.log(numActions),
    }),
    close: model.close,
  };
}

/** Gives every answer the time its whole batch took: all of them waited for it. */
function timed<Requests, Answer extends object>(
  work: (requests: Requests) => Promise<Answer[]>,
): (requests: Requests) => Promise<Answer[]> {
  return async (requests) => {
    const started = performance.now();
    const answers = await work(requests);
    const timings = { queueMs: 0, modelMs: performance.now() - started };
    return answers.map((answer) => ("timings" in answer ? { ...answer, timings } : answer));
  };
}

function planOne(model: WorldModel, situation: Situation): PlanResponse {
  const config = model.manifest.planning;
  const { actions } = model.table;
  const root = rootOf(situation, config);
  const { steps, root: policy } = searchPlan(situation, root, situation.request.maxSteps, config);
  const planned = steps.map(({ row, probability, stateChange }) => {
    const { actionId } = situation.set.candidates[row]!;
    return { actionId, probability, stateChange };
  });
  // Nothing left to do is a plan of one step: the action that says so.
  const stop = { actionId: actionIds.end, probability: policy.probabilities.at(-1)!, stateChange: 0 };
  const nodes = [root, ...steps.map(({ node }) => node)];
  const rising = nodes.length > 1 && proximityAt(situation, nodes[1]!) > proximityAt(situation, root);
  return {
    steps: (planned.length > 0 ? planned : [stop]).map((step) => ({
      ...step,
      actionName: actions[step.actionId]!.name,
      category: actions[step.actionId]!.category,
      confidence: confidenceLabel(step.probability, config.confidence),
    })),
    overallConfidence: (planned[0] ?? stop).probability,
    brainSignal: {
      ...recommend(situation, policy),
      planAhead: steps.slice(1, 3).map(({ row }) => situation.set.candidates[row]!.name),
      simulationConfirmed: rising && steps[0]!.row === topRows(policy.probabilities, 1)[0],
      goalProximity: situation.proximity,
    },
    goalReached: goalReachedAt(situation, root, config),
    tokens: situation.tokens,
    timings: { queueMs: 0, modelMs: 0 },
  };
}

/** The best candidate of the set the signal speaks about: the tools and "none", or the actions that act on the task. */
function recommend(
  { set, usesTools }: Situation,
  { probabilities }: Policy,
): { actionType: string; confidence: number } {
  const allowed = probabilities.map((value, row) =>
    usesTools || set.candidates[row]?.system === false ? value : 0,
  );
  const [best] = topRows(allowed, 1);
  const total = allowed.reduce((sum, value) => sum + value, 0);
  return { actionType: set.candidates[best!]?.name ?? "none", confidence: allowed[best!]! / total };
}
