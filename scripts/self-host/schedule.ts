/**
 * The clock that a bare workerd lacks: what Cloudflare's cron trigger does for the deployed edge is done
 * here in the supervisor. A failure is one log line; the next turn tries again.
 */
import { providers } from "../../edge/providers/registry.ts";
import { refreshCatalog, type ScheduledOptions, sweep } from "../../edge/scheduled.ts";
import type { EdgeVariables } from "./edge-variables.ts";

const sweepEveryMs = 60_000;
const refreshEveryMs = 3_600_000;
/** A start waits no longer than this for the aggregator's list; the last good copy serves meanwhile. */
const firstRefreshMs = 3_000;

type Log = (line: string) => void;

/** @param offline there is no aggregator to ask */
export function readScheduledOptions(variables: EdgeVariables, offline: boolean): ScheduledOptions {
  const { LIBSQL_URL, LIBSQL_AUTH_TOKEN, ROUTER_BASE_URL, POOL_ROUTER_KEY } = variables;
  const apiKey = POOL_ROUTER_KEY === "none" ? undefined : POOL_ROUTER_KEY;
  return {
    database: { url: LIBSQL_URL!, authToken: LIBSQL_AUTH_TOKEN },
    ...(!offline && { router: { baseUrl: ROUTER_BASE_URL ?? providers.router.defaultBaseUrl, apiKey } }),
    fetch,
    now: Date.now,
  };
}

/** The catalogue's first reading. Never throws. */
export async function refreshOnce(options: ScheduledOptions, log: Log): Promise<void> {
  if (options.router === undefined) return;
  await report("catalogue", log, async () => {
    const result = await refreshCatalog({ ...options, timeoutMs: firstRefreshMs });
    return typeof result === "number"
      ? `${result} models of the aggregator`
      : `the aggregator's list could not be read (${result}); the last good copy is used`;
  });
}

/** @returns stops the clock; work under way ends by itself */
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

/** Turns never overlap: one that is still at work skips the next. */
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
