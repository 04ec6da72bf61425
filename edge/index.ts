/**
 * The Worker's entry: `fetch` serves the app, `scheduled` runs the timer's work. Owns what an isolate keeps between requests
 * (`IsolateState` and the catalogue), each part of which can be lost at any time, and builds the services of each request from it.
 */
import { randomId } from "../shared/hex.ts";
import { createInFlight, type InFlight } from "./admission/in-flight.ts";
import { createKnownCallers, type KnownCallers } from "./admission/known-callers.ts";
import { createMemoryBudget, type MemoryBudget } from "./admission/memory-budget.ts";
import { createTurns, type Turns } from "./admission/turns.ts";
import { createWrongKeys, type WrongKeys } from "./admission/wrong-keys.ts";
import { createApp } from "./app.ts";
import { buildCatalog, type Catalog } from "./catalog/catalog.ts";
import { decodeSnapshot } from "./catalog/router-snapshot.ts";
import { readCatalogSnapshot } from "./db/catalog-snapshot.ts";
import { type Database, openDatabase } from "./db/client.ts";
import { SharedStream } from "./db/shared-stream.ts";
import { type Bindings, type Config, readConfig, readDataset } from "./env.ts";
import { createGarbageCollector } from "./garbage.ts";
import { createGpuWorkers, type GpuWorkers } from "./gpu-workers/gpu-workers.ts";
import type { EdgeContext } from "./middleware/context.ts";
import { type IsolateServices, standardRequestLimits } from "./pipeline/services.ts";
import { baseUrlOf } from "./providers/registry.ts";
import { providerTimeouts } from "./providers/timeouts.ts";
import { lacksCatalog, refreshCatalog, routerSource, sweep } from "./scheduled.ts";
import { createSharedPace, type SharedPace } from "./stream/shared-pace.ts";
import { Telemetry } from "./telemetry/telemetry.ts";
import { createKeyCache, type Vault } from "./vault/provider-keys.ts";
import { createSealer } from "./vault/seal.ts";

/**
 * workerd (1.20260918) never frees the error of a body that broke or was aborted while it was read. Until its `stack` is read, V8
 * keeps the functions of its frames alive, and through them the whole request: 35 KB leak for each answer that a provider cuts off.
 * Without frames nothing is kept. The cost: uncaught exceptions are reported without a stack; nothing here reads one.
 */
Error.stackTraceLimit = 0;

/** Age at which the isolate's catalogue is compared with the stored list again. */
const catalogMaxAgeMs = 300_000;

/** Built once for each set of bindings, and shared by the isolate's requests. */
type IsolateState = {
  config: Config;
  sharedStream: SharedStream | undefined;
  gpuWorkers: GpuWorkers;
  vault: Vault | undefined;
  inFlight: InFlight;
  knownCallers: KnownCallers;
  wrongKeys: WrongKeys;
  memory: MemoryBudget;
  turns: Turns;
  sharedPace: SharedPace;
  telemetry: Telemetry;
};
type KeptCatalog = { catalog: Catalog; fetchedAt: number; checkedAt: number };

const send: typeof fetch = (input, init) => fetch(input, init);
const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length));

function openVault({ vaultKeys }: Config): Vault | undefined {
  if (vaultKeys.length === 0) return undefined;
  return { sealer: createSealer(vaultKeys, randomBytes), cache: createKeyCache() };
}

function openTelemetry({ gitSha, traces: settings }: Config, bindings: Bindings): Telemetry {
  return new Telemetry({
    gitSha,
    startedAt: Date.now(),
    dataset: readDataset(bindings),
    traces: settings && { settings, fetch: send, randomBytes },
  });
}

function buildState(bindings: Bindings): IsolateState {
  const config = readConfig(bindings);
  return {
    config,
    // Plain http is a database on this machine. One far away would have an idle stream of each isolate.
    sharedStream: config.database.url.startsWith("http:") ? new SharedStream(Date.now) : undefined,
    gpuWorkers: createGpuWorkers({
      urls: config.gpuWorkerUrls,
      signingKey: config.signingKey,
      fetch: send,
      random: Math.random,
      now: Date.now,
    }),
    vault: openVault(config),
    inFlight: createInFlight(),
    knownCallers: createKnownCallers(),
    wrongKeys: createWrongKeys(),
    memory: createMemoryBudget(config.bodyMemoryBytes),
    turns: createTurns(),
    sharedPace: createSharedPace(),
    telemetry: openTelemetry(config, bindings),
  };
}

function createIsolate() {
  const byBindings = new WeakMap<Bindings, IsolateState>();
  let kept: KeptCatalog | undefined;

  const stateOf = (bindings: Bindings): IsolateState => {
    const known = byBindings.get(bindings);
    if (known !== undefined) return known;
    const fresh = buildState(bindings);
    byBindings.set(bindings, fresh);
    return fresh;
  };

  const loadCatalog = async (database: Database, config: Config, now: number): Promise<Catalog> => {
    const stored = await readCatalogSnapshot(database, routerSource);
    const fetchedAt = stored?.fetchedAt ?? 0;
    if (kept === undefined || kept.fetchedAt !== fetchedAt) {
      const freeRouter = config.pool.on && config.pool.key === undefined;
      const snapshot = stored === undefined ? undefined : decodeSnapshot(stored.body);
      kept = { catalog: buildCatalog({ snapshot, startedAtMs: now, freeRouter }), fetchedAt, checkedAt: now };
    }
    kept.checkedAt = now;
    return kept.catalog;
  };

  return {
    createServices(context: EdgeContext): IsolateServices {
      const { config, sharedStream, ...shared } = stateOf(context.env);
      const waitUntil = (work: Promise<unknown>) => context.executionCtx.waitUntil(work);
      const database = openDatabase({ ...config.database, sharedStream, waitUntil });
      return {
        ...shared,
        config,
        database,
        catalog: async () => {
          const now = Date.now();
          if (kept === undefined) return loadCatalog(database, config, now);
          if (now - kept.checkedAt > catalogMaxAgeMs) {
            kept.checkedAt = now;
            waitUntil(loadCatalog(database, config, now).catch(() => {}));
          }
          return kept.catalog;
        },
        fetch: send,
        now: Date.now,
        sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
        randomId,
        randomBytes,
        callLimits: providerTimeouts.call,
        requestLimits: standardRequestLimits,
        waitUntil,
        log: (entry) => console.log(JSON.stringify(entry)),
      };
    },
  };
}

const { createServices } = createIsolate();
const app = createApp({ createServices, randomId });
const garbage = createGarbageCollector((globalThis as { gc?: () => void }).gc, Date.now);

export default {
  fetch: async (request: Request, bindings: Bindings, execution: ExecutionContext) => {
    const response = await app.fetch(request, bindings, execution);
    garbage.requestAnswered(execution);
    return response;
  },

  /** Every minute the sweep; the aggregator's list every hour, and at once where there is none (wrangler.toml has the times). */
  async scheduled(
    event: ScheduledController,
    bindings: Bindings,
    _execution: ExecutionContext,
  ): Promise<void> {
    const { database, baseUrls, pool } = readConfig(bindings);
    const router = { baseUrl: baseUrlOf("router", baseUrls), apiKey: pool.on ? pool.key : undefined };
    const options = { database, router, fetch: send, now: Date.now };
    const onTheHour = new Date(event.scheduledTime).getUTCMinutes() === 0;
    // Neither keeps the other from its work: prices must be read also where the sweep fails.
    const works = await Promise.allSettled([sweep(options), refresh(options, onTheHour)]);
    for (const work of works) if (work.status === "rejected") throw work.reason;
  },
};

async function refresh(options: Parameters<typeof refreshCatalog>[0], onTheHour: boolean): Promise<void> {
  if (!onTheHour && !(await lacksCatalog(options))) return;
  const reason = await refreshCatalog(options);
  // The last good list stays in use, with its prices.
  if (typeof reason === "string")
    console.log(JSON.stringify({ level: "warn", event: "catalogue_not_refreshed", reason }));
}
