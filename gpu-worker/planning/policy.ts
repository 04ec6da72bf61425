/**
 * act and next at one node of a plan: how good every candidate would be now, given what has been taken, and
 * where taking it leads. Pure and without learned heads: likeness to the clauses still open, the order in
 * which effects follow each other, and distance from what was already done.
 */
import type { Effect, PlanningConfig } from "../world-model/manifest.ts";
import { transition } from "../world-model/transition.ts";
import { dot, norm, softmax } from "../world-model/vectors.ts";
import { type Situation, type Taken, takenFrom } from "./situation.ts";

export type Node = {
  /** Share of each clause that is done, 0-1. */
  covered: readonly number[];
  taken: readonly Taken[];
  state: Float32Array;
  /** Effect of the last action, or the start. */
  last: Effect | "start";
};

export type Policy = {
  /** Probability of each candidate; the last entry is the one of stopping. */
  probabilities: Float64Array;
  scores: Float64Array;
};

export const rootOf = (situation: Situation, config: PlanningConfig): Node => {
  const start: Node = {
    covered: situation.likeness.map(() => 0),
    taken: [],
    state: situation.state,
    last: "start",
  };
  let node = start;
  for (const step of situation.history) node = { state: node.state, ...cover(situation, node, step, config) };
  return node;
};

/** What a step adds to the covered shares: all of it for a clause's best candidate, little for a distant one. */
function cover(situation: Situation, node: Node, step: Taken, config: PlanningConfig): Omit<Node, "state"> {
  const covered = node.covered.map((share, clause) => {
    const best = situation.best[clause]!;
    const ratio = best > 0 ? step.likeness[clause]! / best : 0;
    const reached = Math.min(1, Math.max(0, ratio)) ** config.coverageSharpness;
    return step.failed ? share : Math.max(share, reached);
  });
  return { covered, taken: [...node.taken, step], last: step.effect };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
export const coveredShare = (node: Node): number => mean(node.covered);

/** Probabilities of every candidate and of stopping. */
export function actAt(situation: Situation, node: Node, config: PlanningConfig): Policy {
  const { set, likeness, usesTools } = situation;
  const order = config.effectOrder[node.last]!;
  const scores = new Float64Array(set.candidates.length + 1).fill(Number.NEGATIVE_INFINITY);
  // The covered share of the clause that speaks for each candidate: how much of it would be said twice.
  const doneAlready = new Float64Array(set.candidates.length);
  let openBefore = 0;
  for (const [clause, share] of node.covered.entries()) {
    const row = likeness[clause]!;
    const open = 1 - share;
    const late = config.clauseOrderPenalty * openBefore;
    for (let i = 0; i < row.length; i++) {
      const score = open * row[i]! - late;
      if (score <= scores[i]!) continue;
      scores[i] = score;
      doneAlready[i] = share;
    }
    openBefore += open;
  }
  for (const [i, { effect, system }] of set.candidates.entries()) {
    scores[i]! += config.orderWeight * order[effect]! - (system ? config.systemPenalty : 0);
  }
  for (const step of node.taken) {
    if (step.failed) continue;
    const alike = step.alike();
    for (const [i, { name, effect }] of set.candidates.entries()) {
      if (name === step.name) scores[i]! -= config.repeatPenalty;
      else if (effect === step.effect)
        scores[i]! -= config.similarPenalty * doneAlready[i]! * Math.max(0, alike[i]! - config.similarFrom);
    }
  }
  const { uncovered, covered } = config.endScore;
  // Every clause must be done: the one least covered counts as much as all together.
  const done = (coveredShare(node) + Math.min(...node.covered)) / 2;
  const end = uncovered + (covered - uncovered) * done + config.orderWeight * order.end!;
  scores[scores.length - 1] = usesTools ? Math.max(end, config.noToolScore) : end;
  const temperature = usesTools ? config.toolTemperature : config.actionTemperature;
  return { scores, probabilities: softmax(scores.map((score) => score / temperature)) };
}

/** The node after taking candidate `row`, and how far the state is predicted to move. */
export function stepFrom(
  situation: Situation,
  node: Node,
  row: number,
  config: PlanningConfig,
): { node: Node; stateChange: number } {
  const { set, goal } = situation;
  const { effect } = set.candidates[row]!;
  const vector = set.vectors.subarray(row * goal.length, (row + 1) * goal.length);
  const step = takenFrom(set, row, situation.likeness);
  const covering = cover(situation, node, step, config);
  const completes = mean(covering.covered) - mean(node.covered);
  const { next, stateChange } = transition(
    { state: node.state, goal, action: vector, effect, completes },
    config.transition,
  );
  return { node: { ...covering, state: next }, stateChange };
}

/** value: calibrated probability that the goal is reached at this node. */
export function goalReachedAt(situation: Situation, node: Node, config: PlanningConfig): number {
  const { bias, covered, leastCovered, proximity } = config.goalReached;
  const logit =
    bias +
    covered * coveredShare(node) +
    leastCovered * Math.min(...node.covered) +
    proximity * proximityAt(situation, node);
  return 1 / (1 + Math.exp(-logit));
}

/** Cosine of the node's state and the goal. */
export const proximityAt = ({ goal }: Situation, { state }: Node): number =>
  dot(state, goal) / (norm(state) * norm(goal));
