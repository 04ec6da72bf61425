/** The magnitude r of a text's latent: how much the text asks for, by its information content. Pure. */
import type { Idf } from "./candidates.ts";

/** Sum of the idf of the distinct stems of a text, in nats. */
export const informationOf = (stems: Int32Array, idf: Idf): number =>
  stems.reduce((sum, stem) => sum + idf[stem]!, 0);

/** Piecewise linear through the knots [information, magnitude]; flat beyond the first and the last. */
export function magnitudeOf(information: number, knots: readonly (readonly [number, number])[]): number {
  const above = knots.findIndex(([at]) => at >= information);
  if (above <= 0) return (above === 0 ? knots[0] : knots.at(-1))![1];
  const [lowAt, low] = knots[above - 1]!;
  const [highAt, high] = knots[above]!;
  return low + ((high - low) * (information - lowAt)) / (highAt - lowAt);
}
