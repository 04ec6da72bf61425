/**
 * How long something takes on a machine that does other things beside it. Those can only add to a run, so the fastest of some runs
 * counts. For Node and for the workerd of these tests, whose clock also goes on while something is computed.
 */
const mostRuns = 6;

/** The least result of up to `mostRuns` calls of `measure`, which ends early once one is below `enough`. */
export async function least(enough: number, measure: () => Promise<number>): Promise<number> {
  let found = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < mostRuns && found >= enough; turn++) found = Math.min(found, await measure());
  return found;
}

/** Milliseconds of the fastest of some runs, as `least` counts them. */
export const leastMs = (enoughMs: number, run: () => unknown): Promise<number> =>
  least(enoughMs, async () => {
    const startedAt = performance.now();
    await run();
    return performance.now() - startedAt;
  });
