/**
 * Draws candidate plans over the 903 actions from the plan decoder, and picks the candidate that agrees best with all others. Of any
 * sequence it says how well it agrees with them.
 */
import { actionIds } from "../world-model/actions.ts";
import { type MemoryRow, memoryRows } from "../world-model/plan-decoder.ts";
import { sumExponentials } from "../world-model/vectors.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import type { Situation } from "./situation.ts";

/** A step of a plan. `probability`: how likely the step is right. `isDoubted`: only one of the model's two readers holds it (plan-actions.ts). */
export type ActionStep = { actionId: number; probability: number; isDoubted?: true };
/** A candidate plan. */
export type Proposal = { actions: readonly number[]; weight: number };

/** What the decoder wrote for a situation. `stops`: how likely each beginning that it wrote is a whole plan, by the ids in it. */
export type Drawn = { proposals: Proposal[]; stops: Map<string, number> };
/** A sequence's key in `stops`. */
export const keyOf = (actions: readonly number[]): string => actions.join();

/** A beginning that several proposals have in common. `codes`: one for each of them, rescaled to choose the next action. */
type Beginning = {
  owner: number;
  hidden: Float32Array;
  actions: readonly number[];
  codes: readonly number[];
};

/** Actions that no plan contains; `end` closes a plan. */
const neverTaken: ReadonlySet<number> = new Set([
  actionIds.pad,
  actionIds.unk,
  actionIds.start,
  actionIds.noop,
]);

/** What the decoder reads of a situation. */
export type DecodedFrom = Pick<Situation, "goal" | "state" | "parts" | "taken">;

/** The vectors of a situation that the decoder attends to. */
export function memoryOf({ goal, state, parts, taken }: DecodedFrom): MemoryRow[] {
  const recent = taken.slice(-memoryRows.taken).reverse();
  return [
    { at: memoryRows.goal, vector: goal },
    { at: memoryRows.state, vector: state },
    ...parts.slice(0, memoryRows.parts).map((vector, at) => ({ at: memoryRows.firstPart + at, vector })),
    ...recent.map(({ vector }, at) => ({ at: memoryRows.firstTaken + at, vector })),
  ];
}

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
  const found = situations.map((): Drawn => ({ proposals: [], stops: new Map() }));
  if (situations.length === 0) return found;
  const { hidden, step } = await model.decoder.open(situations.map(memoryOf));
  const codes = Array.from({ length: sampling.samples }, (_, i) => (i + 0.5) / sampling.samples);
  let live = situations.map((_, owner): Beginning => ({ owner, hidden: hidden[owner]!, actions: [], codes }));
  while (live.length > 0) {
    const results = await step(
      live.map(({ owner, hidden, actions }) => {
        return { owner, hidden, last: actions.at(-1) ?? actionIds.start };
      }),
    );
    live = live.flatMap((beginning, row) => {
      const { owner, actions } = beginning;
      const { hidden, logits } = results[row]!;
      found[owner]!.stops.set(keyOf(actions), stopChance(logits));
      for (const id of barred[owner] ?? []) logits[id] = Number.NEGATIVE_INFINITY;
      const grown: Beginning[] = [];
      for (const [action, left] of groupCodes(logits, beginning.codes, sampling)) {
        const isDone = action === actionIds.end;
        const longer = isDone ? actions : [...actions, action];
        if (isDone || longer.length === situations[owner]!.request.maxSteps)
          found[owner]!.proposals.push({ actions: longer, weight: left.length / sampling.samples });
        else grown.push({ owner, hidden, actions: longer, codes: left });
      }
      return grown;
    });
  }
  return found;
}

/** The probability that a plan ends, by the decoder's logits after its last step. */
export function stopChance(logits: Float32Array): number {
  const peak = peakOf(logits);
  return Math.exp(logits[actionIds.end]! - peak) / sumExponentials(logits, peak, 1);
}

function peakOf(logits: Float32Array): number {
  let peak = Number.NEGATIVE_INFINITY;
  for (let id = 0; id < logits.length; id++) if (logits[id]! > peak) peak = logits[id]!;
  return peak;
}

type Share = { action: number; share: number };

/**
 * The actions above `minChance`, likeliest first, with probabilities that are rescaled to sum to 1. Overwrites the logits of
 * `neverTaken`.
 */
function likelyActions(
  logits: Float32Array,
  { temperature, minChance }: { temperature: number; minChance: number },
): Share[] {
  for (const id of neverTaken) logits[id] = Number.NEGATIVE_INFINITY;
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
  codes: readonly number[],
  sampling: { temperature: number; minChance: number },
): Map<number, number[]> {
  const shares = likelyActions(logits, sampling);
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
  /** Per action: the weight of the proposals whose longest common subsequence with this plan holds it, as a share of all. */
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
  const total = distinct.reduce((sum, { weight }) => sum + weight, 0);
  let best: Agreed = { actions: [], score: 0, support: [] };
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const { actions } of distinct) {
    const support = actions.map(() => 0);
    let score = 0;
    for (const other of distinct) {
      const places = commonPlaces(actions, other.actions);
      score += other.weight * f1(places.length, actions.length, other.actions.length);
      for (const place of places) support[place]! += other.weight / total;
    }
    if (score > bestScore + 1e-9) {
      best = { actions, score: total === 0 ? 0 : score / total, support };
      bestScore = score;
    }
  }
  return best;
}

/** Expected F1 of a plan's longest common subsequence with the proposals, by their weights; 0 without proposals. */
export function agreement(plan: readonly number[], proposals: readonly Proposal[]): number {
  const total = proposals.reduce((sum, { weight }) => sum + weight, 0);
  const common = proposals.reduce((sum, { actions, weight }) => sum + weight * likenessF1(plan, actions), 0);
  return total === 0 ? 0 : common / total;
}
