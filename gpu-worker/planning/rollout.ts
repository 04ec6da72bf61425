/** Rollouts: the predicted effect of a planned or a given sequence of actions, in numbers per step. */
import type { PlanRequest } from "../../shared/planning.ts";
import type { RolloutRequest, RolloutResponse, RolloutStep } from "../../shared/rollout.ts";
import { norm } from "../world-model/vectors.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { followActions } from "./outcome.ts";
import { confidenceLabel } from "./plan.ts";
import { planActions } from "./plan-actions.ts";
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
    const { size, goal, initialState, maxSteps, share } = request;
    const state = initialState?.trim() ? initialState : neutralState;
    return { size, goal, state, maxSteps, history: [], turns: [], tools: [], share };
  });
  const situations = await readSituations(model, asPlans);
  const free = [...requests.keys()].filter((at) => !requests[at]!.actions);
  const plans = await planActions(
    model,
    free.map((at) => situations[at]!),
  );
  const sequences = requests.map(({ actions }): Sequence => ({ ids: actions ?? [], chances: [] }));
  for (const [row, at] of free.entries()) {
    const steps = plans[row]!;
    sequences[at] = {
      ids: steps.map(({ actionId }) => actionId),
      chances: steps.map(({ probability }) => probability),
    };
  }
  const walks = await followActions(
    model,
    situations.map((situation, at) => ({ ...situation, ...sequences[at]! })),
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
