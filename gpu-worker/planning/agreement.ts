/** Compares candidate plans over the 903 actions, and picks the one that agrees best with the others. Pure. */

/** A step of a plan; `probability`: that it is right. */
export type ActionStep = { actionId: number; probability: number };
/** A candidate plan. */
export type Proposal = { actions: readonly number[]; weight: number };
export type Agreed = {
  actions: readonly number[];
  /** Per action: the weight of the proposals whose longest common subsequence with this plan holds it, as a share of all. */
  support: number[];
};

/** Weight of the proposals that hold each action. */
export function heldBy(proposals: readonly Proposal[]): ReadonlyMap<number, number> {
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

/** How like two plans are: F1 of their longest common subsequence. */
export const likenessF1 = (plan: readonly number[], other: readonly number[]): number =>
  f1(commonPlaces(plan, other).length, plan.length, other.length);

/**
 * The proposal with the highest expected F1 of its longest common subsequence with the others (minimum Bayes risk,
 * Kumar & Byrne 2004); the first of equals. No proposal: an empty plan.
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
  let best: Agreed = { actions: [], support: [] };
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
      best = { actions, support };
      bestScore = score;
    }
  }
  return best;
}
