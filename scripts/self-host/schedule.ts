/**
 * The timer that a bare workerd lacks: does in the supervisor what Cloudflare's cron trigger does for the deployed edge. A
 * failure is one log line; the next run tries again.
 */
import { decodeSnapshot } from "../../edge/catalog/router-snapshot.ts";
import { readCatalogSnapshot } from "../../edge/db/catalog-snapshot.ts";
import { openDatabase } from "../../edge/db/client.ts";
import { readPool } from "../../edge/env.ts";
import { providers } from "../../edge/providers/registry.ts";
import { refreshCatalog, routerSource, type ScheduledOptions, sweep } from "../../edge/scheduled.ts";
import type { EdgeVariables } from "./edge-variables.ts";

const sweepEveryMs = 60_000;
const refreshEveryMs = 3_600_000;
/** Longest time that a start waits for the aggregator's list; meanwhile the last good copy is used. */
const firstRefreshMs = 3_000;

type Log = (line: string) => void;

/** @param offline there is no aggregator to ask */
export function readScheduledOptions(variables: EdgeVariables, offline: boolean): ScheduledOptions {
  const { LIBSQL_URL, LIBSQL_AUTH_TOKEN, ROUTER_BASE_URL, POOL_ROUTER_KEY } = variables;
  const pool = readPool(POOL_ROUTER_KEY);
  const apiKey = pool.on ? pool.key : undefined;
  return {
    database: { url: LIBSQL_URL!, authToken: LIBSQL_AUTH_TOKEN },
    ...(!offline && { router: { baseUrl: ROUTER_BASE_URL ?? providers.router.defaultBaseUrl, apiKey } }),
    fetch,
    now: Date.now,
  };
}

/** Reads the aggregator's list for the first time. Never throws. */
export async function refreshOnce(options: ScheduledOptions, log: Log): Promise<void> {
  if (options.router === undefined) return;
  await report("catalogue", log, async () => {
    const result = await refreshCatalog({ ...options, timeoutMs: firstRefreshMs });
    return typeof result === "number"
      ? `${result} models of the aggregator`
      : `the aggregator's list could not be read (${result}); the last good copy is used`;
  });
}

/** Ids of the models in the stored list; none if there is none, or the database does not answer. */
export async function listOffered({ database, router, fetch }: ScheduledOptions): Promise<string[]> {
  if (router === undefined) return [];
  const stored = await readCatalogSnapshot(openDatabase({ ...database, fetch }), routerSource).catch(
    () => undefined,
  );
  const snapshot = stored && decodeSnapshot(stored.body);
  return snapshot?.models.map(({ id }) => id) ?? [];
}

/** @returns a function that stops the timer; a run in progress ends by itself */
export function startSchedule(options: ScheduledOptions, log: Log): () => void {
  const sweeping = every(sweepEveryMs, () =>
    report("sweep", log, async () => {
      const { releasedHolds } = await sweep(options);
      return releasedHolds > 0 ? `released ${releasedHolds} holds that were never settled` : undefined;
    }),
  );
  const refresh = every(refreshEveryMs, () =>
    report("catalogue", log, async () => {
      const result = await refreshCatalog(options);
      return typeof result === "number" || options.router === undefined
        ? undefined
        : `not refreshed (${result})`;
    }),
  );
  return () => {
    clearInterval(sweeping);
    clearInterval(refresh);
  };
}

/** Runs never overlap: while one is in progress the next is skipped. */
function every(periodMs: number, work: () => Promise<void>): NodeJS.Timeout {
  let busy = false;
  return setInterval(async () => {
    if (busy) return;
    busy = true;
    await work();
    busy = false;
  }, periodMs).unref();
}

async function report(name: string, log: Log, work: () => Promise<string | undefined>): Promise<void> {
  try {
    const line = await work();
    if (line !== undefined) log(`[${name}] ${line}`);
  } catch (error) {
    log(`[${name}] failed: ${error instanceof Error ? error.message : "unknown"}`);
  }
}
