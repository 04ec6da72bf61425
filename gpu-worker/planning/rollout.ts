/** Rollouts: the predicted effect of a planned or a given sequence of actions, in numbers per step. */
import { maxPlanSteps, type PlanRequest } from "../../shared/planning.ts";
import type { RolloutRequest, RolloutResponse, RolloutStep } from "../../shared/rollout.ts";
import { norm } from "../world-model/vectors.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { followActions } from "./outcome.ts";
import { confidenceLabel } from "./plan.ts";
import { choosePlan, gatherProposals } from "./plan-actions.ts";
import { readSituations, type Situation } from "./situation.ts";

/** `chances`: probabilities of planned steps. */
type Sequence = { ids: readonly number[]; chances: readonly number[] };

/** One answer per request, in order; `timings` are left 0. */
export async function predictRollouts(
  model: WorldModel,
  requests: readonly RolloutRequest[],
): Promise<RolloutResponse[]> {
  const { neutralState } = model.manifest.planning;
  const asPlans = requests.map((request): PlanRequest => {
    const { size, goal, initialState, actions, share } = request;
    const state = initialState?.trim() ? initialState : neutralState;
    // Given actions are compared with whole plans.
    const maxSteps = actions ? maxPlanSteps : request.maxSteps;
    return { size, goal, state, maxSteps, history: [], turns: [], tools: [], share };
  });
  const situations = await readSituations(model, asPlans);
  const proposed = await gatherProposals(model, situations);
  const sequences = requests.map(({ actions }, at): Sequence => {
    if (actions) return { ids: actions, chances: [] };
    const steps = choosePlan(model, situations[at]!, proposed[at]!);
    return {
      ids: steps.map(({ actionId }) => actionId),
      chances: steps.map(({ probability }) => probability),
    };
  });
  const walks = await followActions(
    model,
    situations.map((situation, at) => {
      return { ...situation, ...sequences[at]!, proposed: proposed[at]! };
    }),
  );
  return situations.map((situation, at) => {
    const { ids, chances } = sequences[at]!;
    const steps = walks[at]!.steps.map((step, row) => {
      return { ...step, id: ids[row]!, chance: chances[row] ?? step.chance };
    });
    return {
      initialState: situation.request.state,
      steps: describeSteps(model, situation, steps),
      tokens: situation.tokens,
      timings: { queueMs: 0, modelMs: 0 },
    };
  });
}

type Step = { id: number; chance: number; change: number; state: Float32Array };

/** A state's confidence is that of the step that leads to it; the first state is the caller's own, so it is certain. */
function describeSteps(model: WorldModel, { place }: Situation, steps: readonly Step[]): RolloutStep[] {
  let before: RolloutStep["before"] = { magnitude: norm(place.state), confidence: "High" };
  return steps.map(({ id, chance, change, state }) => {
    const { name, category } = model.table.actions[id]!;
    const confidence = confidenceLabel(chance, model.manifest.planning.confidence);
    const after = { magnitude: norm(state), confidence };
    const step = { actionId: id, actionName: name, category, before, after, stateChange: change };
    before = after;
    return step;
  });
}
