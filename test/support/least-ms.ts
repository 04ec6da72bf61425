/**
 * How long something takes on a machine that does other things beside it: those only ever add to a run, so the fastest of some counts.
 * In Node and in workerd, whose clock goes on only while nothing is computed.
 */
const mostRuns = 6;

/** ms of the fastest run; no further one once a run took less than `enoughMs`. */
export async function leastMs(enoughMs: number, run: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < mostRuns && least >= enoughMs; turn++) {
    const startedAt = Date.now();
    run();
    await new Promise((resolve) => setTimeout(resolve, 1));
    least = Math.min(least, Date.now() - startedAt);
  }
  return least;
}
