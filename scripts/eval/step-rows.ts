/** Measures policy, dynamics and plans on rows of actions: predictions after the true actions, and whole plans. */
import type { ActionSequence } from "../../gpu-worker/planning/actions/outcome.ts";
import { gatherProposals, planActions } from "../../gpu-worker/planning/actions/plan-actions.ts";
import { actionIds } from "../../gpu-worker/world-model/actions.ts";
import { softmax } from "../../gpu-worker/world-model/vectors.ts";
import type { WorldModel } from "../../gpu-worker/world-model/world-model.ts";
import { type ActionMap, type Episode, type EpisodeRow, readEpisodes, withRecalled } from "./episodes.ts";
import { calibrationError, createRandom, mean } from "./measures.ts";
import type { EvaluationRow } from "./rows.ts";
import { lcsF1, type PlanScore } from "./sequences.ts";
import { readTransitions, type Transition } from "./transitions.ts";

/** A row, and what is measured on it. */
export type StepRow = {
  row: EvaluationRow;
  seed: number;
  /** Share of its steps that are measured as transitions. */
  transitions: number;
  plans: boolean;
  totals: boolean;
};
export type Judged = { nats: number; right: boolean; inFive: boolean; probability: number };
export type StepResults = {
  judged: Judged[];
  transitions: Transition[];
  sequences: ActionSequence[];
  plans: PlanScore[];
};
export type ActionFigures = {
  action_nats: number;
  action_top1: number;
  action_top5: number;
  action_ece: number;
};

export async function evaluateSteps(
  model: WorldModel,
  mapActions: ActionMap,
  rows: readonly StepRow[],
): Promise<StepResults> {
  const episodes = await readEpisodes(
    model,
    mapActions,
    rows.map(({ row, seed, transitions, plans, totals }): EpisodeRow => {
      const random = createRandom(seed);
      const kept = row.steps.map(() => random.next() < transitions);
      return { ...row, plans, totals, keepsNext: (step) => kept[step]! };
    }),
  );
  return {
    judged: episodes.flatMap(({ steps }) => steps.map(judge)),
    transitions: await readTransitions(model, episodes),
    sequences: await readSequences(
      model,
      episodes.filter(({ row }) => row.totals),
    ),
    plans: await scorePlans(
      model,
      episodes.filter(({ row }) => row.plans),
    ),
  };
}

/**
 * The true actions from the beginning. Arrays are copied: to send a view to another thread would send the buffer of its whole batch.
 */
async function readSequences(model: WorldModel, episodes: readonly Episode[]): Promise<ActionSequence[]> {
  const situations = await withRecalled(
    model,
    episodes.map(({ situationAt }) => situationAt(0)),
  );
  const proposed = await gatherProposals(model, situations);
  return situations.map(({ goal, state, parts, taken, place, recalled }, at) => ({
    goal: goal.slice(),
    state: state.slice(),
    parts: parts.map((part) => part.slice()),
    taken,
    place: { state: place.state.slice(), goal: place.goal.slice(), history: place.history.slice() },
    recalled,
    proposed: {
      proposals: proposed[at]!.proposals,
      best: proposed[at]!.best,
    },
    ids: episodes[at]!.actions,
  }));
}

function judge({ act, actionId }: Episode["steps"][number]): Judged {
  const chances = softmax(act.logits);
  const own = chances[actionId]!;
  let before = 0;
  let highest = 0;
  for (const [id, chance] of chances.entries()) {
    if (chance > own || (chance === own && id < actionId)) before++;
    if (chance > highest) highest = chance;
  }
  return { nats: -Math.log(own), right: before === 0, inFive: before < 5, probability: highest };
}

/** Plans from the beginning, and from the middle after the true actions before it. */
async function scorePlans(model: WorldModel, episodes: readonly Episode[]): Promise<PlanScore[]> {
  const middles = episodes.map(({ actions }) => Math.floor(actions.length / 2));
  const situations = await withRecalled(
    model,
    episodes.flatMap(({ situationAt }, at) => [situationAt(0), situationAt(middles[at]!)]),
  );
  const plans = (await planActions(model, situations)).map((steps) =>
    steps.map(({ actionId }) => actionId).filter((id) => id !== actionIds.end),
  );
  return episodes.map(({ actions }, at) => ({
    planned: plans[2 * at]!,
    done: actions,
    fromMiddle: lcsF1(plans[2 * at + 1]!, actions.slice(middles[at]!)),
  }));
}

export function measureActions(judged: readonly Judged[]): ActionFigures | undefined {
  if (judged.length === 0) return undefined;
  return {
    action_nats: mean(judged.map(({ nats }) => nats)),
    action_top1: mean(judged.map(({ right }) => Number(right))),
    action_top5: mean(judged.map(({ inFive }) => Number(inFive))),
    action_ece: calibrationError(judged),
  };
}
