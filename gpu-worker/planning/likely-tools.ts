/** The few tools of which one is likely next. Pure. */
import type { PlanningConfig } from "../world-model/manifest.ts";

/**
 * A prediction set (Vovk et al. 2005): the fewest tools, likeliest first, whose probabilities, rescaled over the tools without
 * the endings, sum to `from`. Empty when the set would hold more than `most` tools or more than half of them: such a list would
 * narrow nothing down.
 */
export function likelyTools(
  chances: Float64Array,
  { from, most }: PlanningConfig["session"]["likely"],
): number[] {
  const total = chances.reduce((sum, chance) => sum + chance, 0);
  const ranked = [...chances.keys()].sort((a, b) => chances[b]! - chances[a]!);
  let covered = 0;
  const last = ranked.findIndex((tool) => {
    covered += chances[tool]!;
    return covered >= from * total;
  });
  const count = last + 1;
  return count <= Math.min(most, chances.length / 2) ? ranked.slice(0, count) : [];
}
