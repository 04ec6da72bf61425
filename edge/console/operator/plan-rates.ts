/** Plans a second of each worker, from two readings of its counter. Pure. */

export type Reading = {
  workers: readonly { url: string; plans_done: number | null }[];
  atMs: number;
};

/** A worker that was restarted in between counts from 0 again: it has no rate until the next reading. */
export function planRates(before: Reading, now: Reading): ReadonlyMap<string, number> {
  const seconds = (now.atMs - before.atMs) / 1_000;
  const rates = now.workers.flatMap(({ url, plans_done: done }) => {
    const had = before.workers.find((worker) => worker.url === url)?.plans_done ?? null;
    if (done === null || had === null || done < had || seconds <= 0) return [];
    return [[url, (done - had) / seconds] as const];
  });
  return new Map(rates);
}
