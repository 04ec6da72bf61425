/**
 * The edge's own app in workerd with a real database behind it: only the provider's and the gpu-worker's
 * answers, the clock and the limits are the test's.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { createInFlight } from "../../../edge/admission/in-flight.ts";
import { createKnownCallers } from "../../../edge/admission/known-callers.ts";
import { createMemoryBudget } from "../../../edge/admission/memory-budget.ts";
import { createTurns } from "../../../edge/admission/turns.ts";
import { createWrongKeys } from "../../../edge/admission/wrong-keys.ts";
import { createApiKey, hashApiKey } from "../../../edge/api-key.ts";
import { createApp } from "../../../edge/app.ts";
import { buildCatalog, type Catalog } from "../../../edge/catalog/catalog.ts";
import { createAccount, listLedger, readAccount } from "../../../edge/db/accounts.ts";
import { addApiKey, type NewApiKey } from "../../../edge/db/api-keys.ts";
import type { Pool } from "../../../edge/env.ts";
import type { TaskContext } from "../../../edge/gpu-workers/gpu-workers.ts";
import type { LogEntry, Services } from "../../../edge/pipeline/services.ts";
import { standardRequestLimits } from "../../../edge/pipeline/services.ts";
import { createSharedPace } from "../../../edge/stream/shared-pace.ts";
import { Telemetry } from "../../../edge/telemetry/telemetry.ts";
import { createKeyCache, type Vault } from "../../../edge/vault/provider-keys.ts";
import { createSealer } from "../../../edge/vault/seal.ts";
import type { EmbedRequest, EmbedResponse } from "../../../shared/embedding.ts";
import type { PlanRequest, PlanResponse } from "../../../shared/planning.ts";
import type { RolloutRequest, RolloutResponse } from "../../../shared/rollout.ts";
import { openTestDatabase } from "./accounts.ts";

export const testPlan: PlanResponse = {
  steps: [
    {
      actionId: 10,
      actionName: "search",
      category: "retrieval",
      probability: 0.6,
      confidence: "High",
      stateChange: 6,
    },
    {
      actionId: 30,
      actionName: "select",
      category: "navigation",
      probability: 0.5,
      confidence: "Medium",
      stateChange: 3,
    },
  ],
  overallConfidence: 0.6,
  brainSignal: {
    actionType: "search",
    confidence: 0.6,
    planAhead: ["select"],
    simulationConfirmed: true,
    goalProximity: 0.2,
  },
  goalReached: 0.1,
  tokens: 20,
  timings: { queueMs: 0.1, modelMs: 1 },
};

const catalog = buildCatalog({ startedAtMs: Date.UTC(2026, 10, 1) });

export type Sent = {
  url: string;
  headers: Headers;
  body: Record<string, unknown>;
  /** The body's bytes, as text. */
  text: string;
  signal: AbortSignal | null | undefined;
};

export type TestAppOptions = {
  /** Undefined: disabled. Default: an isolate's own, with the test's master key. */
  vault?: Services["vault"];
  now?: () => number;
  /** Answers the provider's calls, in turn; the last one stays. */
  provider?: ((sent: Sent) => Response | Promise<Response>)[];
  plan?: (request: PlanRequest, context: TaskContext) => Promise<PlanResponse>;
  /** Whether a plan may be counted on. Default: each is waited for. */
  serves?: boolean;
  rollout?: (request: RolloutRequest) => Promise<RolloutResponse>;
  embed?: (request: EmbedRequest, context: TaskContext) => Promise<EmbedResponse>;
  pool?: Pool;
  limits?: Services["callLimits"];
  requestLimits?: Partial<Services["requestLimits"]>;
  database?: Services["database"];
  corsOrigins?: string[];
  messagesMaxTokens?: number;
  /** Undefined: nobody signs in by e-mail. Default: codes are in `logs`. */
  mail?: Services["config"]["mail"];
  /** Default: none. */
  identities?: Services["config"]["identities"];
  /** Answers every call, whoever is called. Default: the provider's. */
  fetch?: Services["fetch"];
  signUpCreditMicro?: number;
  trustedProxies?: number;
  maxInFlight?: { perKey: number; perAccount: number };
  metricsToken?: string;
  telemetry?: Telemetry;
  /** Of large bodies, together. */
  bodyMemoryBytes?: number;
  catalog?: () => Promise<Catalog>;
  sleep?: Services["sleep"];
  sharedPace?: Services["sharedPace"];
};

/** A provider's answer in server-sent events. */
export const eventStream = (body: BodyInit): Response =>
  new Response(body, { headers: { "content-type": "text/event-stream" } });

/** A stream in OpenAI's format: a role chunk, one chunk for each piece, finish and usage. */
export function openaiStream(pieces: string[], usage?: object, finish: string | null = "stop"): Response {
  const chunk = (choices: unknown[], more: object = {}) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices, ...more })}\n\n`;
  const delta = (value: object, finish_reason: string | null = null) =>
    chunk([{ index: 0, delta: value, finish_reason }]);
  const frames = [delta({ role: "assistant", content: "" }), ...pieces.map((content) => delta({ content }))];
  if (finish !== null) frames.push(delta({}, finish));
  if (usage !== undefined) frames.push(chunk([], { usage }));
  if (finish !== null) frames.push("data: [DONE]\n\n");
  return eventStream(frames.join(""));
}

export const openaiUsage = (input: number, output: number) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
});

export function createTestApp(options: TestAppOptions = {}) {
  const database = openTestDatabase();
  // Apps share one database: limits by network are each app's own, as its keyed hashes are.
  const appId = crypto.randomUUID();
  const sent: Sent[] = [];
  const late: string[] = [];
  const logs: LogEntry[] = [];
  const plans: PlanRequest[] = [];
  const vault = createTestVault();
  const inFlight = createInFlight();
  const turns = createTurns();
  const telemetry = options.telemetry ?? new Telemetry({ gitSha: "abc", startedAt: 0 });
  const sharedPace = createSharedPace();
  const knownCallers = createKnownCallers();
  const wrongKeys = createWrongKeys();
  const memory = createMemoryBudget(options.bodyMemoryBytes ?? 1e9);
  const answers = options.provider ?? [() => openaiStream(["Hello", " world"], openaiUsage(12, 2))];
  const providerFetch = async (input: RequestInfo | URL, init: RequestInit = {}) => {
    // As fetch does: with a signal that has fired nothing is sent. Only a first-byte limit that ran out before the call may ask.
    if (init.signal?.aborted) late.push(String(input));
    init.signal?.throwIfAborted();
    const entry = {
      url: String(input),
      headers: new Headers(init.headers),
      body: init.body === undefined ? {} : JSON.parse(String(init.body)),
      text: String(init.body ?? ""),
      signal: init.signal,
    };
    sent.push(entry);
    return answers[Math.min(sent.length, answers.length) - 1]!(entry);
  };
  const app = createApp({
    randomId: () => crypto.randomUUID().replaceAll("-", ""),
    createServices: (context) => ({
      config: {
        database: { url: "", authToken: undefined },
        gpuWorkerUrls: [],
        signingKey: { kty: "OKP", crv: "Ed25519", d: `test ${appId}`, x: "" },
        baseUrls: {},
        pool: options.pool ?? { on: true, key: "pool-canary-key" },
        maxInFlight: options.maxInFlight ?? { perKey: 0, perAccount: 0 },
        trustedProxies: options.trustedProxies ?? 0,
        bodyMemoryBytes: options.bodyMemoryBytes ?? 1e9,
        corsOrigins: options.corsOrigins ?? ["*"],
        vaultKeys: [],
        metricsToken: options.metricsToken,
        traces: undefined,
        messagesMaxTokens: options.messagesMaxTokens ?? 4_096,
        mail: "mail" in options ? options.mail : { kind: "log" },
        identities: options.identities ?? {},
        signUpCreditMicro: options.signUpCreditMicro ?? 0,
        gitSha: "abc",
      },
      database: options.database ?? database,
      vault: "vault" in options ? options.vault : vault,
      gpuWorkers: {
        serves: () => options.serves ?? false,
        run: async (task, request, context) => {
          if (task === "plan") plans.push(request as PlanRequest);
          const tasks = { plan: async () => testPlan, ...options };
          return (await tasks[task]!(request as never, context)) as never;
        },
        health: async () => ({
          sizes: ["base"],
          brain: {
            loaded: false,
            checkpoint: "base",
            device: "cpu",
            num_actions: 903,
            random_baseline_nats: 6.806,
            sentence_transformers: true,
            tool_matching: "sentence-transformers",
          },
        }),
      },
      catalog: options.catalog ?? (async () => catalog),
      fetch: options.fetch ?? (providerFetch as typeof fetch),
      now: options.now ?? Date.now,
      sleep: options.sleep ?? ((milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))),
      randomId: () => crypto.randomUUID().replaceAll("-", ""),
      randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
      inFlight,
      knownCallers,
      wrongKeys,
      memory,
      turns,
      sharedPace: options.sharedPace ?? sharedPace,
      telemetry,
      callLimits: options.limits ?? { firstByteMs: 2_000, idleMs: 2_000, totalMs: 10_000 },
      requestLimits: { ...standardRequestLimits, ...options.requestLimits },
      waitUntil: (work) => context.executionCtx.waitUntil(work),
      log: (entry) => logs.push(entry),
    }),
  });

  /** Sends a request; resolves when the answer's headers are there. `settled` waits for the work behind it. */
  const send = async (path: string, init: RequestInit = {}) => {
    const execution = createExecutionContext();
    const response = await app.fetch(new Request(`http://127.0.0.1${path}`, init), {}, execution);
    return Object.assign(response, { settled: () => waitOnExecutionContext(execution) });
  };
  /** Sends a body with an API key. Text is sent as it is, anything else as JSON. */
  const post = (
    path: string,
    key: string,
    body: unknown,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ) =>
    send(path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...(signal && { signal }),
    });
  const chat = (key: string, body: unknown, headers?: Record<string, string>, signal?: AbortSignal) =>
    post("/v1/chat/completions", key, body, headers, signal);
  return { app, database, sent, late, logs, plans, send, post, chat, inFlight, memory, turns };
}

/** A vault as one isolate has it. `fill` makes another master key of the same name. */
export function createTestVault(fill = 7): Vault {
  const sealer = createSealer([{ id: "k1", bytes: new Uint8Array(32).fill(fill) }], (length) =>
    crypto.getRandomValues(new Uint8Array(length)),
  );
  return { sealer, cache: createKeyCache() };
}

/** An account with credit and a working API key, with what else the key is to have. */
export async function newCaller(creditMicro: number, key: Partial<NewApiKey> = {}) {
  const database = openTestDatabase();
  const accountId = `acct_${crypto.randomUUID()}`;
  await createAccount(database, { accountId, email: "someone@example.com", creditMicro, now: 1 });
  return {
    accountId,
    ...(await addKey(accountId, key)),
    account: () => readAccount(database, accountId),
    charges: async () => (await listLedger(database, accountId, 500)).filter(({ kind }) => kind === "charge"),
  };
}

/** One more working API key of an account. */
export async function addKey(accountId: string, key: Partial<NewApiKey> = {}) {
  const apiKey = createApiKey(crypto.getRandomValues(new Uint8Array(32)));
  const keyId = `key_${crypto.randomUUID()}`;
  const hash = await hashApiKey(apiKey);
  await addApiKey(openTestDatabase(), { keyId, accountId, name: "test", hash, now: 1, ...key });
  return { keyId, apiKey };
}
