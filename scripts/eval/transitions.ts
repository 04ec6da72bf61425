/** Observed steps for measuring the dynamics: the predicted next state beside the observed one. */
import { dot, norm } from "../../gpu-worker/world-model/vectors.ts";
import type { WorldModel } from "../../gpu-worker/world-model/world-model.ts";
import type { Episode } from "./episodes.ts";
import { type Random, spearman } from "./measures.ts";

/**
 * `proposal`, `target`, `state`, `goal`: directions of the predicted next state, the observed one, the state before, and the goal.
 * `change`: predicted length of the change, `moved`: the observed one.
 */
export type Transition = {
  text: string;
  proposal: Float32Array;
  target: Float32Array;
  state: Float32Array;
  goal: Float32Array;
  change: number;
  moved: number;
};
export type TransitionFigures = {
  next_state_at_100: number;
  copy_state_at_100: number;
  goal_at_100: number;
  change_spearman: number;
};

const minTransitions = 100;

const directionOf = (latent: Float32Array): Float32Array => {
  const length = norm(latent);
  return latent.map((value) => value / length);
};

/** A transition for every step whose next text was read. */
export async function readTransitions(
  { heads }: WorldModel,
  episodes: readonly Episode[],
): Promise<Transition[]> {
  const seen = episodes.flatMap(({ goal, steps }) =>
    steps.flatMap(({ place, act, actionId, next }) => (next ? [{ goal, place, act, actionId, next }] : [])),
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

/**
 * For three guesses (the predicted state, the state before, the goal): the share of steps at which the true next state is nearer to the
 * guess than 99 other texts of the set.
 */
export function measureTransitions(
  transitions: readonly Transition[],
  random: Random,
): TransitionFigures | undefined {
  if (transitions.length < minTransitions) return undefined;
  const distinct = [...new Map(transitions.map((transition) => [transition.text, transition])).values()];
  const hits = { next_state_at_100: 0, copy_state_at_100: 0, goal_at_100: 0 };
  for (const transition of transitions) {
    const others = new Set<Transition>();
    // If there are fewer than 100 texts, all of them.
    const wanted = Math.min(99, distinct.length - 1);
    while (others.size < wanted) {
      const other = distinct[random.below(distinct.length)]!;
      if (other.text !== transition.text) others.add(other);
    }
    const wins = (guess: Float32Array) => {
      const own = dot(transition.target, guess);
      for (const { target } of others) if (dot(target, guess) >= own) return 0;
      return 1;
    };
    hits.next_state_at_100 += wins(transition.proposal);
    hits.copy_state_at_100 += wins(transition.state);
    hits.goal_at_100 += wins(transition.goal);
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
