/**
 * Draws candidate plans over the 903 actions from the plan decoder, picks the candidate that agrees best with all others, and measures
 * how well any sequence agrees with them.
 */
import { actionCount } from "../../../shared/planning.ts";
import { actionIds } from "../../world-model/actions.ts";
import { peakOf, sumExponentials } from "../../world-model/vectors.ts";
import type { WorldModel } from "../../world-model/world-model.ts";
import type { Situation } from "../situation.ts";
import { openSequenceReader, type SequenceReader } from "./sequence-reader.ts";

/**
 * A step of a plan. `probability`: how likely the step is right. `isDoubted`: the reader of wishes and the decoder together give it too
 * little (plan-actions.ts).
 */
export type ActionStep = { actionId: number; probability: number; isDoubted?: true };
/** A candidate plan. */
export type Proposal = { actions: readonly number[]; weight: number };

/** What the decoder wrote for a situation. `read`: the reader that keeps what it read of that, and the situation's place in it. */
export type Drawn = { proposals: Proposal[]; read: { reader: SequenceReader; owner: number } };

/** A beginning that several proposals have in common. `codes`: one for each of them, from 0 to 1, which chooses its next action. */
type Beginning = { owner: number; actions: readonly number[]; codes: readonly number[] };

/** Actions that no plan contains; `end` closes a plan. */
const neverTaken: readonly number[] = [actionIds.pad, actionIds.unk, actionIds.start, actionIds.noop];

/**
 * The proposals for each situation, in order. Arithmetic sampling (Vilnis et al. 2023): proposal i follows the code (i + 1/2) / n
 * through the cumulative probabilities, so the proposals spread over the distribution and are the same each time. An empty
 * proposal means that nothing is left to do. All situations advance together, and a beginning that several proposals share is
 * decoded once. `barred`: for each situation the actions that its proposals may not hold.
 */
export async function proposePlans(
  model: WorldModel,
  situations: readonly Situation[],
  barred: readonly (readonly number[])[] = [],
): Promise<Drawn[]> {
  const { proposals: sampling } = model.manifest.planning;
  if (situations.length === 0) return [];
  const reader = await openSequenceReader(model, situations);
  const found = situations.map((_, owner): Drawn => ({ proposals: [], read: { reader, owner } }));
  const codes = Array.from({ length: sampling.samples }, (_, i) => (i + 0.5) / sampling.samples);
  const never = situations.map((_, owner) => [...neverTaken, ...(barred[owner] ?? [])]);
  let live = situations.map((_, owner): Beginning => ({ owner, actions: [], codes }));
  while (live.length > 0) {
    const logits = await reader.read(live);
    live = live.flatMap(({ owner, actions, codes }, row) => {
      const grown: Beginning[] = [];
      for (const [action, left] of groupCodes(logits[row]!, never[owner]!, codes, sampling)) {
        const isDone = action === actionIds.end;
        const longer = isDone ? actions : [...actions, action];
        if (isDone || longer.length === situations[owner]!.request.maxSteps)
          found[owner]!.proposals.push({ actions: longer, weight: left.length / sampling.samples });
        else grown.push({ owner, actions: longer, codes: left });
      }
      return grown;
    });
  }
  return found;
}

type Share = { action: number; share: number };

/** Logits without the barred actions. Every call of `likelyActions` writes all of them anew: an array for each call would be garbage. */
const reused = new Float32Array(actionCount);

/** The actions above `minChance` but for the barred ones, likeliest first, with probabilities that are rescaled to sum to 1. */
function likelyActions(
  all: Float32Array,
  barred: readonly number[],
  { temperature, minChance }: { temperature: number; minChance: number },
): Share[] {
  const logits = reused;
  logits.set(all);
  for (const id of barred) logits[id] = Number.NEGATIVE_INFINITY;
  const peak = peakOf(logits);
  const weightOf = (id: number) => Math.exp((logits[id]! - peak) / temperature);
  // At most 1, so that the likeliest action is kept even if the distribution is flat.
  const least = Math.min(1, minChance * sumExponentials(logits, peak, temperature));
  const lowest = peak + temperature * Math.log(least);
  const likely: Share[] = [];
  let total = 0;
  for (let id = 0; id < logits.length; id++) {
    if (logits[id]! < lowest) continue;
    likely.push({ action: id, share: weightOf(id) });
    total += likely.at(-1)!.share;
  }
  likely.sort((left, right) => right.share - left.share || left.action - right.action);
  return likely.map(({ action, share }) => ({ action, share: share / total }));
}

/** The codes grouped by the action whose interval they fall in, each rescaled to 0-1 within it: its code for the next step. */
function groupCodes(
  logits: Float32Array,
  barred: readonly number[],
  codes: readonly number[],
  sampling: { temperature: number; minChance: number },
): Map<number, number[]> {
  const shares = likelyActions(logits, barred, sampling);
  const taken = new Map<number, number[]>();
  for (const code of codes) {
    let low = 0;
    let at = 0;
    while (at < shares.length - 1 && low + shares[at]!.share <= code) low += shares[at++]!.share;
    const { action, share } = shares[at]!;
    const left = Math.min(Math.max((code - low) / share, 0), 1 - 1e-9);
    const others = taken.get(action);
    if (others) others.push(left);
    else taken.set(action, [left]);
  }
  return taken;
}

export type Agreed = {
  actions: readonly number[];
  /** Its `agreement` with the proposals. */
  score: number;
  /** Its `supportOf` by the proposals. */
  support: number[];
};

/** Per action, the weight of all proposals that hold it. */
export function weighActions(proposals: readonly Proposal[]): ReadonlyMap<number, number> {
  const held = new Map<number, number>();
  for (const { actions, weight } of proposals)
    for (const id of new Set(actions)) held.set(id, (held.get(id) ?? 0) + weight);
  return held;
}

/** Which places of `plan` are part of a longest common subsequence with `other`. */
function commonPlaces(plan: readonly number[], other: readonly number[]): number[] {
  const width = other.length + 1;
  const lengths = new Uint8Array((plan.length + 1) * width);
  for (let i = plan.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        plan[i] === other[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const places: number[] = [];
  for (let i = 0, j = 0; i < plan.length && j < other.length; ) {
    if (plan[i] === other[j]) {
      places.push(i++);
      j++;
    } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i++;
    else j++;
  }
  return places;
}

/** F1 of a common subsequence of that length; two empty plans are alike. */
const f1 = (common: number, left: number, right: number): number =>
  left + right === 0 ? 1 : (2 * common) / (left + right);

/** Similarity of two plans: F1 of their longest common subsequence. */
export const likenessF1 = (plan: readonly number[], other: readonly number[]): number =>
  f1(commonPlaces(plan, other).length, plan.length, other.length);

/**
 * The proposal with the highest expected F1 of its longest common subsequence with the others (minimum Bayes risk, Kumar & Byrne
 * 2004); the first of equals. Without proposals an empty plan.
 */
export function agree(proposals: readonly Proposal[]): Agreed {
  const merged = new Map<string, { actions: readonly number[]; weight: number }>();
  for (const { actions, weight } of proposals) {
    const key = actions.join();
    const known = merged.get(key);
    if (known) known.weight += weight;
    else merged.set(key, { actions, weight });
  }
  const distinct = [...merged.values()];
  let actions: readonly number[] = [];
  let score = Number.NEGATIVE_INFINITY;
  for (const candidate of distinct) {
    const reached = agreement(candidate.actions, distinct);
    if (reached > score + leastGain) [actions, score] = [candidate.actions, reached];
  }
  return { actions, score: Math.max(0, score), support: supportOf(actions, distinct) };
}

/** Scores that differ by less are equal but for the rounding of their sums. */
const leastGain = 1e-9;

/** Per action of a sequence, the weight of the proposals whose longest common subsequence with it holds the action, as a share of all. */
export function supportOf(sequence: readonly number[], proposals: readonly Proposal[]): number[] {
  const total = totalOf(proposals);
  const support = sequence.map(() => 0);
  for (const { actions, weight } of proposals)
    for (const place of commonPlaces(sequence, actions)) support[place]! += weight / total;
  return support;
}

/** Expected F1 of a plan's longest common subsequence with the proposals, by their weights; 0 without proposals. */
export function agreement(plan: readonly number[], proposals: readonly Proposal[]): number {
  const total = totalOf(proposals);
  const common = proposals.reduce((sum, { actions, weight }) => sum + weight * likenessF1(plan, actions), 0);
  return total === 0 ? 0 : common / total;
}

const totalOf = (proposals: readonly Proposal[]): number =>
  proposals.reduce((sum, { weight }) => sum + weight, 0);
