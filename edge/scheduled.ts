/**
 * Work on a timer: give back holds nobody settled, read the aggregator's models anew. Called by the cron
 * trigger on Cloudflare and by the supervisor of `npm start`; runs in any runtime with fetch.
 */
import { releaseExpired } from "./billing/ledger.ts";
import { encodeSnapshot, readAggregatorModels } from "./catalog/router-snapshot.ts";
import { writeCatalogSnapshot } from "./db/catalog-snapshot.ts";
import { openDatabase } from "./db/client.ts";

export const routerSource = "router";

export type ScheduledOptions = {
  database: { url: string; authToken?: string | undefined };
  /** Absent: no aggregator to ask (offline). */
  router?: { baseUrl: string; apiKey?: string | undefined };
  fetch: typeof fetch;
  now: () => number;
  timeoutMs?: number;
};

/** Releases abandoned holds; gives how many. Throws DatabaseError. */
export function sweepHolds({ database, fetch, now }: ScheduledOptions): Promise<number> {
  return releaseExpired(openDatabase({ ...database, fetch }), { now: now() });
}

/** Reads the aggregator and keeps its list; on failure the last good copy stays. Gives the number of models, or the reason. */
export async function refreshCatalog({
  database,
  router,
  fetch,
  now,
  timeoutMs = 10_000,
}: ScheduledOptions): Promise<number | string> {
  if (router === undefined) return "no aggregator";
  const read = await readAggregatorModels({
    fetch,
    ...router,
    signal: AbortSignal.timeout(timeoutMs),
    readAtMs: now(),
  });
  if (!read.ok) return read.reason;
  const body = encodeSnapshot(read.snapshot);
  await writeCatalogSnapshot(openDatabase({ ...database, fetch }), {
    source: routerSource,
    body,
    fetchedAt: now(),
  });
  return read.snapshot.models.length;
}
