/** next, step by step: where a sequence of actions, planned or given, is predicted to lead. Nothing is executed. */
import type { PlanRequest } from "../../shared/planning.ts";
import type { RolloutRequest, RolloutResponse, RolloutStep } from "../../shared/rollout.ts";
import { actionIds } from "../world-model/actions.ts";
import { norm } from "../world-model/vectors.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { type PlanStep, searchPlan } from "./beam.ts";
import { confidenceLabel } from "./interpret.ts";
import { actAt, type Node, rootOf, stepFrom } from "./policy.ts";
import { readSituations, type Situation } from "./situation.ts";

/** One answer per request, in order; `timings` are left 0. */
export async function predictRollouts(
  model: WorldModel,
  requests: readonly RolloutRequest[],
): Promise<RolloutResponse[]> {
  const { neutralState } = model.manifest.planning;
  const plans = requests.map((request): PlanRequest => {
    const { size, goal, initialState, maxSteps } = request;
    const state = initialState?.trim() ? initialState : neutralState;
    return { size, goal, state, maxSteps, history: [], tools: [] };
  });
  const situations = await readSituations(model, plans);
  return situations.map((situation, place) => {
    const root = rootOf(situation, model.manifest.planning);
    const { actions } = requests[place]!;
    const steps = actions
      ? follow(model, situation, root, actions)
      : searchPlan(situation, root, situation.request.maxSteps, model.manifest.planning).steps.map(
          (step) => ({
            ...step,
            actionId: situation.set.candidates[step.row]!.actionId,
          }),
        );
    // Nothing left to do is one step: the action that says so.
    const stop = { actionId: actionIds.end, probability: 1, stateChange: 0, node: root };
    return {
      initialState: situation.request.state,
      steps: describeSteps(model, root, steps.length > 0 ? steps : [stop]),
      tokens: situation.tokens,
      timings: { queueMs: 0, modelMs: 0 },
    };
  });
}

type Step = Omit<PlanStep, "row"> & { actionId: number };

/** The given actions in their order. Padding and its like are no candidates: they change nothing. */
function follow(model: WorldModel, situation: Situation, root: Node, actions: readonly number[]): Step[] {
  const config = model.manifest.planning;
  let node = root;
  return actions.map((actionId): Step => {
    const row = situation.set.candidates.findIndex((candidate) => candidate.actionId === actionId);
    if (row === -1) return { actionId, probability: 0, stateChange: 0, node };
    const probability = actAt(situation, node, config).probabilities[row]!;
    const step = stepFrom(situation, node, row, config);
    node = step.node;
    return { actionId, probability, ...step };
  });
}

/** A state is as sure as the step that led there was likely; the first one is the caller's own. */
function describeSteps(model: WorldModel, root: Node, steps: readonly Step[]): RolloutStep[] {
  let before: RolloutStep["before"] = { magnitude: norm(root.state), confidence: "High" };
  return steps.map(({ actionId, probability, stateChange, node }) => {
    const { name, category } = model.table.actions[actionId]!;
    const confidence = confidenceLabel(probability, model.manifest.planning.confidence);
    const after = { magnitude: norm(node.state), confidence };
    const step = { actionId, actionName: name, category, before, after, stateChange };
    before = after;
    return step;
  });
}
