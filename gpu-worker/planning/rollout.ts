/** next, step by step: where sequences of actions, planned or given, are predicted to lead. Nothing is executed. */
import type { PlanRequest } from "../../shared/planning.ts";
import type { RolloutRequest, RolloutResponse, RolloutStep } from "../../shared/rollout.ts";
import { actionIds } from "../world-model/actions.ts";
import type { Place } from "../world-model/heads.ts";
import { norm, softmax } from "../world-model/vectors.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { searchPlans } from "./beam.ts";
import { confidenceLabel } from "./interpret.ts";
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
  const given = situations.filter((_, at) => requests[at]!.actions);
  const free = situations.filter((_, at) => !requests[at]!.actions);
  const followed = await followActions(
    model,
    given.map((situation) => {
      return { place: situation.place, actions: requests[situations.indexOf(situation)]!.actions! };
    }),
  );
  const planned = (await searchPlans(model, free)).map(({ steps }) =>
    steps.map(({ option, probability, stateChange, node }): Step => {
      return { actionId: option.actionId, probability, stateChange, state: node.place.state };
    }),
  );
  return situations.map((situation) => {
    const steps = followed[given.indexOf(situation)] ?? planned[free.indexOf(situation)]!;
    // Nothing left to do is one step: the action that says so.
    const stop = { actionId: actionIds.end, probability: 1, stateChange: 0, state: situation.place.state };
    return {
      initialState: situation.request.state,
      steps: describeSteps(model, situation, steps.length > 0 ? steps : [stop]),
      tokens: situation.tokens,
      timings: { queueMs: 0, modelMs: 0 },
    };
  });
}

type Step = { actionId: number; probability: number; stateChange: number; state: Float32Array };

/** Marks of a sequence: they are nothing that could be done, so they change nothing. */
const marks: ReadonlySet<number> = new Set([actionIds.pad, actionIds.start, actionIds.end]);

/** The given actions in their order, all sequences one step at a time. */
export async function followActions(
  { heads }: WorldModel,
  sequences: readonly { place: Place; actions: readonly number[] }[],
): Promise<Step[][]> {
  const places = sequences.map(({ place }) => place);
  const taken: Step[][] = sequences.map(() => []);
  const longest = Math.max(0, ...sequences.map(({ actions }) => actions.length));
  for (let step = 0; step < longest; step++) {
    const going = [...sequences.keys()].filter((at) => sequences[at]!.actions.length > step);
    const acts = await heads.act(going.map((at) => places[at]!));
    const moved = await heads.next(
      going.map((at, row) => {
        const action = heads.actionVector(sequences[at]!.actions[step]!);
        return { place: places[at]!, act: acts[row]!, action };
      }),
    );
    for (const [row, at] of going.entries()) {
      const actionId = sequences[at]!.actions[step]!;
      const probability = softmax(acts[row]!.logits, heads.settings.policyTemperature)[actionId]!;
      const place = places[at]!;
      if (marks.has(actionId)) {
        taken[at]!.push({ actionId, probability, stateChange: 0, state: place.state });
        continue;
      }
      const { state, history, change } = moved[row]!;
      places[at] = { ...place, state, history };
      taken[at]!.push({ actionId, probability, stateChange: change, state });
    }
  }
  return taken;
}

/** A state is as sure as the step that led there was likely; the first one is the caller's own. */
function describeSteps(model: WorldModel, { place }: Situation, steps: readonly Step[]): RolloutStep[] {
  let before: RolloutStep["before"] = { magnitude: norm(place.state), confidence: "High" };
  return steps.map(({ actionId, probability, stateChange, state }) => {
    const { name, category } = model.table.actions[actionId]!;
    const confidence = confidenceLabel(probability, model.manifest.planning.confidence);
    const after = { magnitude: norm(state), confidence };
    const step = { actionId, actionName: name, category, before, after, stateChange };
    before = after;
    return step;
  });
}
