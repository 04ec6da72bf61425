/**
 * How long something takes on a machine that does other things beside it. Those can only add to a run, so the fastest of some runs
 * counts. For Node and for the workerd of these tests, whose clock also goes on while something is computed.
 */
const mostRuns = 6;

/** ms of the fastest run; no further one once a run took less than `enoughMs`. */
export async function leastMs(enoughMs: number, run: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < mostRuns && least >= enoughMs; turn++) {
    const startedAt = performance.now();
    await run();
    least = Math.min(least, performance.now() - startedAt);
  }
  return least;
}
