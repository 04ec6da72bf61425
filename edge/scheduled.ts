/**
 * Work on a timer: end holds that nobody settled, delete what has expired, read the aggregator's models anew. Called by the cron
 * trigger on Cloudflare and by the supervisor of `npm start`; runs in any runtime with fetch.
 */
import { releaseExpired } from "./billing/sweep.ts";
import { encodeSnapshot, readAggregatorModels } from "./catalog/router-snapshot.ts";
import { hasCatalogSnapshot, writeCatalogSnapshot } from "./db/catalog-snapshot.ts";
import { openDatabase } from "./db/client.ts";
import { expiringRows } from "./expiring-rows.ts";
import { providerTimeouts } from "./providers/timeouts.ts";

export const routerSource = "router";

export type ScheduledOptions = {
  database: { url: string; authToken?: string | undefined };
  /** Absent: no aggregator to ask (offline). */
  router?: { baseUrl: string; apiKey?: string | undefined };
  fetch: typeof fetch;
  now: () => number;
  timeoutMs?: number;
};

/**
 * Releases abandoned holds, then deletes what has expired. If one of these steps fails, the others are done all the same. Throws the
 * DatabaseError of the first that failed, after the last.
 */
export async function sweep({
  database: options,
  fetch,
  now,
}: ScheduledOptions): Promise<{ releasedHolds: number }> {
  const database = openDatabase({ ...options, fetch });
  const failures: unknown[] = [];
  const note = (error: unknown) => void failures.push(error);
  const releasedHolds = (await releaseExpired(database, { now: now() }).catch(note)) ?? 0;
  for (const { deleteExpired, keptMs } of Object.values(expiringRows))
    await deleteExpired(database, now() - keptMs).catch(note);
  if (failures.length > 0) throw failures[0];
  return { releasedHolds };
}

/** True if no list was ever stored: then a new deployment does not wait for the hour. Throws DatabaseError. */
export async function lacksCatalog({ database, fetch }: ScheduledOptions): Promise<boolean> {
  return !(await hasCatalogSnapshot(openDatabase({ ...database, fetch }), routerSource));
}

/**
 * Reads the aggregator's list and stores it; if that fails, the last good copy stays. Returns the number of models, or the
 * reason.
 */
export async function refreshCatalog({
  database,
  router,
  fetch,
  now,
  timeoutMs = providerTimeouts.modelListMs,
}: ScheduledOptions): Promise<number | string> {
  if (router === undefined) return "no aggregator";
  const read = await readAggregatorModels({
    fetch,
    ...router,
    signal: AbortSignal.timeout(timeoutMs),
    readAtMs: now(),
  });
  if (!read.ok) return read.status === undefined ? read.reason : `${read.reason}, status ${read.status}`;
  const body = encodeSnapshot(read.snapshot);
  await writeCatalogSnapshot(openDatabase({ ...database, fetch }), {
    source: routerSource,
    body,
    fetchedAt: now(),
  });
  return read.snapshot.models.length;
}
