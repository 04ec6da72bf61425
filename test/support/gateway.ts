/**
 * The whole service with the fake provider as all four providers and a pool key, with what tests of money, of
 * leaving and of official clients need: callers with exact credit, the ledger as it stands, the operator's check.
 */
import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { createApiKey, hashApiKey } from "../../edge/api-key.ts";
import { createAccount, listLedger, readAccount } from "../../edge/db/accounts.ts";
import { addApiKey } from "../../edge/db/api-keys.ts";
import { type Database, openDatabase } from "../../edge/db/client.ts";
import { type ProviderKind, providerKinds } from "../../shared/providers.ts";
import { type FakeProvider, startFakeProvider, wires } from "./fake-provider.ts";
import { root, startService, type TestService } from "./service.ts";

export type Gateway = {
  /** Root of the API as SDKs want it: `…/v1`. */
  baseUrl: string;
  service: TestService;
  provider: FakeProvider;
  database: Database;
  /** Address and token of the database. */
  libsql: { url: string; authToken: string };
  /** A new account with this credit, in micro-credits, and one API key. */
  newCaller(creditMicro: number): Promise<Caller>;
  /** `npm run admin -- ledger check --json`, as an operator runs it: its verdict. */
  checkLedger(): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
};

export type ChatOptions = { headers?: Record<string, string>; signal?: AbortSignal };

export type Caller = {
  accountId: string;
  apiKey: string;
  chat(body: Record<string, unknown>, options?: ChatOptions): Promise<Response>;
  account(): ReturnType<typeof readAccount>;
  /** Ledger rows of kind charge, newest first. */
  charges(): ReturnType<typeof listLedger>;
  ledger(): ReturnType<typeof listLedger>;
  /** Resolves when no hold is open; rejects after `timeoutMs` (30 s, a Worker's life after its client). */
  untilSettled(timeoutMs?: number): Promise<void>;
};

/** The pool's key, in the shape by which the scrubber of logs recognises one. */
export const poolKey = "sk-or-v1-pool-4b1d5e8f0a7c";

/** A model of every provider kind, and the header and a key that send the request there. */
export const ownKeys = [
  { kind: "alpha", model: "svc-x1ac-base-gpt-4o", headers: { "x-alpha-key": "sk-proj-own-0123456789" } },
  {
    kind: "beta",
    model: "svc-x1ac-base-claude-sonnet-4-5",
    headers: { "x-beta-key": "sk-ant-own-0123456789" },
  },
  {
    kind: "gamma",
    model: "svc-x1ac-base-gemini-2.5-flash",
    headers: { "x-gamma-key": "AIzaOwn-0123456789abcdef" },
  },
  {
    kind: "router",
    model: "svc-x1ac-base-openai/gpt-4o",
    headers: { "x-router-key": "sk-or-v1-own-0123456789" },
  },
] as const;

/** Who pays and which wire is spoken: a caller's own key of each kind, or the pool. */
export type Payer = { name: string; kind: ProviderKind; model: string; headers: Record<string, string> };

export const payers: readonly Payer[] = [
  ...ownKeys.map((own) => ({ name: `own key, ${own.kind}`, ...own })),
  { name: "pool", kind: "router", model: "svc-x1ac-base-gpt-4o", headers: {} },
];

export const hello = {
  model: "svc-x1ac-base-gpt-4o",
  messages: [{ role: "user", content: "find me a flight to Oslo" }],
  max_tokens: 50,
};

/** `options`: as startService has them. */
export async function startGateway(
  env: Record<string, string> = {},
  options: { readyMs?: number; dataDir?: string } = {},
): Promise<Gateway> {
  const provider = await startFakeProvider();
  const roots = Object.fromEntries(
    providerKinds.map((kind) => [`${kind.toUpperCase()}_BASE_URL`, provider.url(kind)]),
  );
  provider.respond("router", { json: aggregatorList() }, "models");
  const service = await startService({
    env: { ...roots, POOL_ROUTER_KEY: poolKey, ...env },
    ...options,
  }).catch(async (error: unknown) => {
    await provider.stop();
    throw error;
  });
  const libsql = await service.readLibsql();
  const database = openDatabase(libsql);
  return {
    baseUrl: `${service.url}/v1`,
    service,
    provider,
    database,
    libsql,
    newCaller: (creditMicro) => newCaller(database, service.url, creditMicro),
    checkLedger: () => checkLedger(service),
    stop: async () => {
      await service.stop();
      await provider.stop();
    },
  };
}

/** The fake aggregator's models, one that has an older name in our table of aliases, and one that thinks. */
function aggregatorList(): unknown {
  const { data } = wires.router.writeModels() as { data: Record<string, unknown>[] };
  const pricing = { prompt: "0.00000015", completion: "0.0000006" };
  const thinker = { id: "vendor/thinker", supported_parameters: ["max_tokens", "reasoning"] };
  return {
    data: [...data, { ...data[0], id: "openai/gpt-4o-mini", pricing }, { ...data[0], ...thinker, pricing }],
  };
}

async function newCaller(database: Database, url: string, creditMicro: number): Promise<Caller> {
  const accountId = `acct_${randomUUID()}`;
  await createAccount(database, { accountId, email: "caller@example.com", creditMicro, now: Date.now() });
  const apiKey = createApiKey(randomBytes(32));
  const key = { keyId: `key_${randomUUID()}`, accountId, name: "test", hash: await hashApiKey(apiKey) };
  await addApiKey(database, { ...key, now: Date.now() });
  const ledger = () => listLedger(database, accountId, 5_000);
  return {
    accountId,
    apiKey,
    chat: (body, { headers = {}, signal } = {}) =>
      fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
        ...(signal && { signal }),
      }),
    account: () => readAccount(database, accountId),
    ledger,
    charges: async () => (await ledger()).filter(({ kind }) => kind === "charge"),
    untilSettled: async (timeoutMs = 30_000) => {
      for (const deadline = Date.now() + timeoutMs; ; await sleep(20)) {
        const { openHolds } = (await readAccount(database, accountId))!;
        if (openHolds === 0) return;
        if (Date.now() > deadline) throw new Error(`${openHolds} holds are still open`);
      }
    },
  };
}

async function checkLedger(service: TestService): Promise<Record<string, unknown>> {
  const words = ["run", "--silent", "admin", "--", "ledger", "check", "--json"];
  const run = promisify(execFile)("npm", words, { cwd: root, env: service.env });
  // A broken ledger ends the command with 1 and says what is broken on stdout all the same.
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  return JSON.parse(stdout);
}

/** Reads a stream until it holds `count` content deltas, then leaves it open. */
export async function readDeltas(response: Response, count: number): Promise<string> {
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (text.split('"content":"').length - 1 < count) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`the stream ended after: ${text}`);
    text += decoder.decode(value, { stream: true });
  }
  return text;
}
