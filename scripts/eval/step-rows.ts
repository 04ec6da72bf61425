/** Policy, dynamics and rollouts on rows of actions: what the heads say where the true actions were taken. */
import { actionChances } from "../../gpu-worker/planning/policy.ts";
import { followActions } from "../../gpu-worker/planning/rollout.ts";
import type { Place } from "../../gpu-worker/world-model/heads.ts";
import { dot, norm } from "../../gpu-worker/world-model/vectors.ts";
import type { WorldModel } from "../../gpu-worker/world-model/world-model.ts";
import { type ActionMap, type Episode, readEpisodes } from "./episodes.ts";
import { auroc, type Chance, calibrationError, createChance, mean, rankDown, spearman } from "./measures.ts";
import type { EvaluationRow } from "./rows.ts";

export type GoalAuroc = { truncated: number; shuffled: number; random: number; other: number };
export type StepFigures = Partial<{
  action_nats: number;
  action_top1: number;
  action_top5: number;
  action_ece: number;
  next_state_at_100: number;
  copy_state_at_100: number;
  goal_at_100: number;
  change_spearman: number;
  goal_auroc: GoalAuroc;
}>;

const rowsAtATime = 48;
/** Enough for a percent; the vectors of more would fill the memory. */
const mostTransitions = 3_000;
const leastTransitions = 100;
const mostRollouts = 400;
const leastRollouts = 20;
const seed = 20_261;

type Judged = { nats: number; right: boolean; inFive: boolean; probability: number };
/** One observed step: directions of what was predicted, what came, the state before and the goal. */
type Transition = {
  text: string;
  proposal: Float32Array;
  target: Float32Array;
  state: Float32Array;
  goal: Float32Array;
  change: number;
  moved: number;
};

export async function measureSteps(
  model: WorldModel,
  mapActions: ActionMap,
  rows: readonly EvaluationRow[],
  onDone: (rows: number) => void,
): Promise<StepFigures> {
  const chance = createChance(seed);
  const observed = rows.reduce((sum, { steps }) => sum + steps.filter(({ next }) => next !== "").length, 0);
  const kept = Math.min(1, mostTransitions / Math.max(1, observed));
  const judged: Judged[] = [];
  const transitions: Transition[] = [];
  const sequences: { place: Place; actions: readonly number[] }[] = [];
  for (let begin = 0; begin < rows.length; begin += rowsAtATime) {
    const chunk = rows.slice(begin, begin + rowsAtATime);
    const episodes = await readEpisodes(model, mapActions, chunk);
    judged.push(...episodes.flatMap(({ steps }) => steps.map((step) => judge(model, step))));
    transitions.push(...(await readTransitions(model, episodes, () => chance.next() < kept)));
    for (const { start, actions } of episodes)
      if (actions.length > 1)
        sequences.push({
          place: { ...start, state: start.state.slice(), goal: start.goal.slice() },
          actions,
        });
    onDone(chunk.length);
  }
  if (judged.length === 0) return {};
  return {
    action_nats: mean(judged.map(({ nats }) => nats)),
    action_top1: mean(judged.map(({ right }) => Number(right))),
    action_top5: mean(judged.map(({ inFive }) => Number(inFive))),
    action_ece: calibrationError(judged),
    ...(transitions.length >= leastTransitions && rankNext(transitions, chance)),
    ...(await measureTotals(model, sequences, chance)),
  };
}

function judge(model: WorldModel, { act, actionId }: Episode["steps"][number]): Judged {
  const chances = actionChances(model, act);
  const order = rankDown(chances);
  return {
    nats: -Math.log(chances[actionId]!),
    right: order[0] === actionId,
    inFive: order.slice(0, 5).includes(actionId),
    probability: chances[order[0]!]!,
  };
}

const directionOf = (latent: Float32Array): Float32Array => {
  const length = norm(latent);
  return latent.map((value) => value / length);
};

async function readTransitions(
  { heads }: WorldModel,
  episodes: readonly Episode[],
  keep: () => boolean,
): Promise<Transition[]> {
  const seen = episodes.flatMap(({ goal, steps }) =>
    steps.flatMap(({ place, act, actionId, next }) =>
      next && keep() ? [{ goal, place, act, actionId, next }] : [],
    ),
  );
  const moves = seen.map(({ place, act, actionId }) => ({
    place,
    act,
    action: heads.actionVector(actionId),
  }));
  const moved = await heads.next(moves);
  const proposals = await heads.propose(moves);
  return seen.map(({ goal, place, next }, row) => ({
    text: next.text,
    proposal: directionOf(proposals[row]!),
    target: directionOf(next.latent),
    state: directionOf(place.state),
    goal: directionOf(goal),
    change: moved[row]!.change,
    moved: norm(next.latent.map((value, i) => value - place.state[i]!)),
  }));
}

/** Share of steps whose true next state is nearest of 100: itself and 99 other texts of the set. */
function rankNext(transitions: readonly Transition[], chance: Chance): StepFigures {
  const distinct = [...new Map(transitions.map((one) => [one.text, one])).values()];
  const hits = { next_state_at_100: 0, copy_state_at_100: 0, goal_at_100: 0 };
  for (const one of transitions) {
    const others = new Set<Transition>();
    // Fewer texts than 100: all there are.
    const wanted = Math.min(99, distinct.length - 1);
    while (others.size < wanted) {
      const other = distinct[chance.below(distinct.length)]!;
      if (other.text !== one.text) others.add(other);
    }
    const wins = (guess: Float32Array) => {
      const own = dot(one.target, guess);
      for (const { target } of others) if (dot(target, guess) >= own) return 0;
      return 1;
    };
    hits.next_state_at_100 += wins(one.proposal);
    hits.copy_state_at_100 += wins(one.state);
    hits.goal_at_100 += wins(one.goal);
  }
  const count = transitions.length;
  return {
    next_state_at_100: hits.next_state_at_100 / count,
    copy_state_at_100: hits.copy_state_at_100 / count,
    goal_at_100: hits.goal_at_100 / count,
    change_spearman: spearman(
      transitions.map(({ change }) => change),
      transitions.map(({ moved }) => moved),
    ),
  };
}

type Sequence = { place: Place; actions: readonly number[] };

/** AUROC of a rollout's total state change: the true actions of a goal against four wrong versions of them. */
async function measureTotals(
  model: WorldModel,
  sequences: readonly Sequence[],
  chance: Chance,
): Promise<{ goal_auroc?: GoalAuroc }> {
  const usable = chance.shuffled(sequences).slice(0, mostRollouts);
  if (usable.length < leastRollouts) return {};
  const frequent = usable.flatMap(({ actions }) => actions);
  const otherOf = (actions: readonly number[]) => {
    const unlike = usable.filter((one) => one.actions.join() !== actions.join());
    return unlike.length === 0 ? undefined : unlike[chance.below(unlike.length)]!.actions;
  };
  const shuffle = (actions: readonly number[]) => {
    if (new Set(actions).size < 2) return undefined;
    let mixed = actions;
    while (mixed.join() === actions.join()) mixed = chance.shuffled(actions);
    return mixed;
  };
  const wrong: Record<keyof GoalAuroc, (actions: readonly number[]) => readonly number[] | undefined> = {
    truncated: (actions) => actions.slice(0, 1 + chance.below(actions.length - 1)),
    shuffled: shuffle,
    random: (actions) => actions.map(() => frequent[chance.below(frequent.length)]!),
    other: otherOf,
  };
  const right = await totalsOf(model, usable);
  const figures: [string, number][] = [];
  for (const [kind, make] of Object.entries(wrong)) {
    const made = usable.flatMap(({ place, actions }): Sequence[] => {
      const found = make(actions);
      return found ? [{ place, actions: found }] : [];
    });
    if (made.length > 0) figures.push([kind, auroc(right, await totalsOf(model, made))]);
  }
  return { goal_auroc: Object.fromEntries(figures) as GoalAuroc };
}

const totalsOf = async (model: WorldModel, sequences: readonly Sequence[]): Promise<number[]> =>
  (await followActions(model, sequences)).map((steps) =>
    steps.reduce((sum, { stateChange }) => sum + stateChange, 0),
  );
