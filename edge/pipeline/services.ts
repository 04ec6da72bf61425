/** What the pipeline is given to work with: every I/O, clock and random source of a request, as arguments. */
import type { InFlight } from "../admission/in-flight.ts";
import type { KnownCallers } from "../admission/known-callers.ts";
import type { MemoryBudget } from "../admission/memory-budget.ts";
import type { Turns } from "../admission/turns.ts";
import type { WrongKeys } from "../admission/wrong-keys.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Database } from "../db/client.ts";
import type { Config } from "../env.ts";
import type { GpuWorkers } from "../gpu-workers/gpu-workers.ts";
import type { CallLimits } from "../providers/timeouts.ts";
import type { SharedPace } from "../stream/shared-pace.ts";
import type { RequestRecord } from "../telemetry/request-record.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { Vault } from "../vault/provider-keys.ts";

/** Time limits of one request. */
export type RequestLimits = {
  /** From the hold to the last byte. Well below the age at which the sweep takes a silent request for dead (billing/sweep.ts). */
  deadlineMs: number;
  /** Until its body has arrived. */
  bodyMs: number;
  /** How long the rest of a refused request's body is read and discarded (middleware/drain-body.ts). */
  discardMs: number;
  /** How often a running request records what it would be charged, for the sweep. */
  progressMs: number;
  /** On the pool: how long a full queue waits for its reader before the rest of the answer is dropped. */
  patienceMs: number;
};

export const standardRequestLimits: RequestLimits = {
  deadlineMs: 600_000,
  bodyMs: 120_000,
  discardMs: 10_000,
  progressMs: 30_000,
  patienceMs: 30_000,
};

/** What an isolate gives each of its requests. */
export type IsolateServices = {
  config: Config;
  database: Database;
  /** Undefined where VAULT_KEYS is not set. */
  vault: Vault | undefined;
  gpuWorkers: GpuWorkers;
  catalog: () => Promise<Catalog>;
  fetch: typeof fetch;
  now: () => number;
  sleep: (milliseconds: number) => Promise<void>;
  randomId: () => string;
  /** For secrets: cryptographically random. */
  randomBytes: (length: number) => Uint8Array;
  /** The requests that run in this isolate. */
  inFlight: InFlight;
  /** Callers who were admitted in this isolate lately. */
  knownCallers: KnownCallers;
  /** Provider keys that were refused in this isolate lately. */
  wrongKeys: WrongKeys;
  /** What large request bodies take of the isolate's memory. */
  memory: MemoryBudget;
  /** Turns of this isolate's accounts at what blocks others. */
  turns: Turns;
  /** Metrics, data points and traces of this isolate's requests, for its operator. */
  telemetry: Telemetry;
  /** Shared by the isolate's streams: how often each may write. */
  sharedPace: SharedPace;
  /** Time limits of each provider call. */
  callLimits: CallLimits;
  /** Time limits of the whole request. */
  requestLimits: RequestLimits;
  /** Keeps work alive after the response is gone (Workers: 30 s at most). */
  waitUntil: (work: Promise<unknown>) => void;
  log: (entry: LogEntry) => void;
};

export type Services = IsolateServices & {
  /** Records when this request's stages began and ended. */
  requestRecord: RequestRecord;
};

/** One line for the operator: codes, ids and times only, never a key, a prompt or an answer. */
export type LogEntry = { level: "info" | "warn" | "error"; event: string } & Readonly<
  Record<string, string | number | boolean | null | undefined>
>;
