/** Similarity of two sequences: longest common subsequence, sets, pairs. Pure. */
import { mean } from "./measures.ts";

/** Length of the longest common subsequence. */
export function commonLength<Item>(left: readonly Item[], right: readonly Item[]): number {
  let row = new Array<number>(right.length + 1).fill(0);
  for (const item of left) {
    const next = [0];
    for (const [place, other] of right.entries())
      next.push(item === other ? row[place]! + 1 : Math.max(row[place + 1]!, next[place]!));
    row = next;
  }
  return row.at(-1)!;
}

/** F1 from the number of common items and both lengths; 1 for two empty sequences. */
const f1 = (common: number, left: number, right: number): number =>
  left + right === 0 ? 1 : (2 * common) / (left + right);

export const lcsF1 = <Item>(left: readonly Item[], right: readonly Item[]): number =>
  f1(commonLength(left, right), left.length, right.length);

/** F1 of two sets. */
export function setF1<Item>(left: Iterable<Item>, right: Iterable<Item>): number {
  const [one, other] = [new Set(left), new Set(right)];
  return f1([...one].filter((item) => other.has(item)).length, one.size, other.size);
}

/** Each item with its successor, as one text. */
export const pairsOf = (names: readonly string[]): string[] =>
  names.slice(1).map((name, place) => pairText(names[place]!, name));

export const pairText = (from: string, to: string): string => JSON.stringify([from, to]);

/** A plan, and the true actions. `fromMiddle`: LCS F1 of a plan from the middle of the row with the actions from there on. */
export type PlanScore = { planned: readonly number[]; done: readonly number[]; fromMiddle: number };
export type PlanFigures = {
  plan_lcs_f1: number;
  plan_exact: number;
  plan_first: number;
  plan_length_ratio: number;
  plan_mid_lcs_f1: number;
};

export function measurePlans(scores: readonly PlanScore[]): PlanFigures | undefined {
  if (scores.length === 0) return undefined;
  const steps = (count: (score: PlanScore) => number) => mean(scores.map(count));
  return {
    plan_lcs_f1: steps(({ planned, done }) => lcsF1(planned, done)),
    plan_exact: steps(({ planned, done }) => Number(planned.join() === done.join())),
    plan_first: steps(({ planned, done }) => Number(planned[0] === done[0])),
    plan_length_ratio: steps(({ planned }) => planned.length) / steps(({ done }) => done.length),
    plan_mid_lcs_f1: steps(({ fromMiddle }) => fromMiddle),
  };
}
