/** The few tools of which one is probably next. Pure. */
import type { PlanningConfig } from "../world-model/manifest.ts";

/**
 * A prediction set (Vovk et al. 2005): the fewest tools, likeliest first, whose probabilities, rescaled over the tools without
 * the endings, sum to `from`. Empty if the set would hold more than `most` tools or more than half of them, since such a list would
 * narrow nothing down. A tool that nobody asked for (`isUnasked`, tool-numbers.ts) is replaced by the next likely one, unless it is
 * the likeliest: in lists for development sessions 3 of 46 such tools were right, of all others one in six.
 */
export function likelyTools(
  chances: Float64Array,
  { from, most }: PlanningConfig["session"]["likely"],
  isUnasked: (tool: number) => boolean,
): number[] {
  const total = chances.reduce((sum, chance) => sum + chance, 0);
  // A forbidden tool has the probability 0.
  const ranked = [...chances.keys()]
    .filter((tool) => chances[tool]! > 0)
    .sort((a, b) => chances[b]! - chances[a]!);
  let covered = 0;
  const last = ranked.findIndex((tool) => {
    covered += chances[tool]!;
    return covered >= from * total;
  });
  const count = last + 1;
  if (count > Math.min(most, chances.length / 2)) return [];
  return ranked.filter((tool, at) => at === 0 || !isUnasked(tool)).slice(0, count);
}
