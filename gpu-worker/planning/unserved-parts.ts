/**
 * Which parts of a goal no call has served yet. Pure; `fill_mixed` of training/session_readings.py is the same rule.
 */

/** A call serves the part that most asks for its tool, if that part asks for it with at least this probability. */
const leastServed = 0.1;

/**
 * `parts`: per part of the goal, the mixer's probability of each tool. `called`: rows of the tools called since, in order.
 * Gives the places of the parts that are left, in their order.
 */
export function partsLeft(parts: readonly Float64Array[], called: readonly number[]): number[] {
  let left = [...parts.keys()];
  for (const row of called) {
    const chances = left.map((part) => parts[part]![row]!);
    const most = Math.max(...chances);
    if (most >= leastServed) left = left.filter((_, at) => at !== chances.indexOf(most));
  }
  return left;
}
