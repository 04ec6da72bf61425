/** Figures of an evaluation: ranking, calibration error, AUROC, rank correlation, a seeded generator. Pure. */

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Probability that a positive scores above a negative; ties count half. */
export function auroc(positives: readonly number[], negatives: readonly number[]): number {
  const ranks = ranksOf([...positives, ...negatives]);
  const count = positives.length;
  const sum = ranks.slice(0, count).reduce((total, rank) => total + rank, 0);
  return (sum - (count * (count + 1)) / 2) / (count * negatives.length);
}

/** Ranks from 1; equal values get the mean of their ranks. */
function ranksOf(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((left, right) => values[left]! - values[right]!);
  const ranks: number[] = new Array(values.length);
  for (let begin = 0; begin < order.length; ) {
    let end = begin;
    while (end < order.length && values[order[end]!] === values[order[begin]!]) end++;
    for (let place = begin; place < end; place++) ranks[order[place]!] = (begin + 1 + end) / 2;
    begin = end;
  }
  return ranks;
}

/** Spearman's rank correlation. */
export function spearman(left: readonly number[], right: readonly number[]): number {
  const [a, b] = [ranksOf(left), ranksOf(right)];
  const middle = mean(a);
  const product = (x: number[], y: number[]) =>
    x.reduce((sum, value, place) => sum + (value - middle) * (y[place]! - middle), 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}

const bins = 15;

/** Expected calibration error of stated probabilities, in 15 equal bins. */
export function calibrationError(stated: readonly { probability: number; right: boolean }[]): number {
  const byBin = Map.groupBy(stated, ({ probability }) => Math.min(bins - 1, Math.floor(probability * bins)));
  let error = 0;
  for (const some of byBin.values()) {
    const said = mean(some.map(({ probability }) => probability));
    error += (some.length / stated.length) * Math.abs(said - mean(some.map(({ right }) => Number(right))));
  }
  return error;
}

/** Normalised discounted cumulative gain (nDCG) of the first `depth` items: every right item has gain 1, any other 0. */
export function ndcg(order: readonly number[], right: ReadonlySet<number>, depth = 10): number {
  const gain = (place: number) => 1 / Math.log2(place + 2);
  const found = order
    .slice(0, depth)
    .reduce((sum, row, place) => sum + (right.has(row) ? gain(place) : 0), 0);
  let best = 0;
  for (let place = 0; place < Math.min(depth, right.size); place++) best += gain(place);
  return found / best;
}

/** Indices by value, highest first; equal values keep their order. */
export const rankDown = (values: ArrayLike<number>): number[] =>
  Array.from(values, (_, index) => index).sort((left, right) => values[right]! - values[left]!);

export type Random = {
  /** In [0, 1). */
  next(): number;
  /** A whole number below `count`. */
  below(count: number): number;
  shuffled<Item>(items: readonly Item[]): Item[];
};

/** The same numbers for the same seed on every machine (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    next,
    below,
    shuffled(items) {
      const mixed = [...items];
      for (let place = mixed.length - 1; place > 0; place--) {
        const other = below(place + 1);
        [mixed[place], mixed[other]] = [mixed[other]!, mixed[place]!];
      }
      return mixed;
    },
  };
}
