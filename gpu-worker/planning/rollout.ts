/** Rollouts: the predicted effect of a planned or a given sequence of actions, in numbers per step. */
import { maxPlanSteps, type PlanRequest } from "../../shared/planning.ts";
import type { RolloutRequest, RolloutResponse, RolloutStep } from "../../shared/rollout.ts";
import { norm } from "../world-model/vectors.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { followActions } from "./actions/outcome.ts";
import { choosePlan, gatherProposals, type Proposed, sureOf, trustInGoal } from "./actions/plan-actions.ts";
import { type ActionStep, supportOf } from "./actions/proposals.ts";
import type { Walked } from "./actions/walk.ts";
import { confidenceLabel } from "./plan.ts";
import { readSituations, type Situation } from "./situation.ts";

/** `plan`: the model's own for the goal. `chances`: the probabilities of its steps; absent if the caller gave the actions. */
type Sequence = { ids: readonly number[]; plan: readonly ActionStep[]; chances?: readonly number[] };

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
    const plan = choosePlan(model, situations[at]!, proposed[at]!);
    if (actions) return { ids: actions, plan };
    return {
      ids: plan.map(({ actionId }) => actionId),
      plan,
      chances: plan.map(({ probability }) => probability),
    };
  });
  const walks = await followActions(
    model,
    situations.map((situation, at) => {
      return { ...situation, ...sequences[at]!, proposed: proposed[at]! };
    }),
  );
  return situations.map((situation, at) => {
    const sequence = sequences[at]!;
    const walked = walks[at]!.steps;
    const rated = sequence.chances ?? rateActions(model, situation, proposed[at]!, sequence, walked);
    const steps = walked.map((step, row) => ({ ...step, id: sequence.ids[row]!, chance: rated[row]! }));
    return {
      initialState: situation.request.state,
      steps: describeSteps(model, situation, steps),
      tokens: situation.tokens,
      timings: { queueMs: 0, modelMs: 0 },
    };
  });
}

/**
 * How likely each of a caller's actions is right: the highest of its support among the proposals, the probability of the wish that
 * it is the first to serve, and the policy's probability. The policy alone does not do: it has learned recorded sources, and gives .3
 * or more to 2 % of the right actions of everyday goals. An action that the model's own plan holds too gets no more than it has there,
 * since the plan also lowers the probability of steps that nobody asks for.
 */
function rateActions(
  model: WorldModel,
  { request: { goal } }: Situation,
  { proposals, wishes }: Proposed,
  { ids, plan }: Sequence,
  walked: readonly Walked[],
): number[] {
  const trust = trustInGoal(model, goal);
  const rated = supportOf(ids, proposals).map((support, at) =>
    Math.max(walked[at]!.chance, trust * sureOf(model, support)),
  );
  for (const wish of wishes) {
    const at = wish ? ids.findIndex(wish.isServedBy) : -1;
    if (wish && at >= 0) rated[at] = Math.max(rated[at]!, trust * wish.probability);
  }
  const planned = new Map(plan.map(({ actionId, probability }) => [actionId, probability]));
  return rated.map((chance, at) => Math.min(chance, planned.get(ids[at]!) ?? 1));
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
