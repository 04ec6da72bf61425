/** Figures from samples: percentiles of one round, and the median with its spread over rounds. Pure. */

/** The middle of several rounds, and the lowest and highest of them. */
export type Figure = { median: number; low: number; high: number };

/** The value below which `share` (0-1) of the samples lie, by nearest rank. NaN without samples. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}

/** One figure from one value per round. */
export function summarize(rounds: readonly number[]): Figure {
  return { median: percentile(rounds, 0.5), low: Math.min(...rounds), high: Math.max(...rounds) };
}
