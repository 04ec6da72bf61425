// The table of errors as callers meet it: a real refusal for every code, each with its status and type, a
// request id, and one sentence that says what to do next.
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { build, prepare } from "../../../edge/db/client.ts";
import { type ErrorCode, errorTable } from "../../../shared/errors.ts";
import type { FakeScript } from "../../support/fake-provider.ts";
import { type Caller, type Gateway, hello, startGateway } from "../../support/gateway.ts";

/** Codes that other tests provoke, because they need another route, a clock, or a fault inside the service. */
const heldElsewhere: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "internal_error", // test/edge/routes/own-mistakes.test.ts
  "intermediate_results_required", // test/edge/routes/rollout.test.ts
  "rate_limit_exceeded", // test/edge/routes/account
  "vault_unavailable", // test/edge/routes/account
  "token_expired", // test/edge/routes/account
  "sign_in_failed", // test/edge/routes/account
  "permission_denied", // test/edge/routes/account
  "limit_reached", // test/edge/routes/account
  "unsupported_parameter", // test/edge/routes/responses.test.ts
  "websocket_not_served", // test/edge/routes/codex-errors.test.ts
  "service_busy", // test/edge/middleware/request-body.test.ts
  "service_unavailable", // test/scripts/self-host/relay/relay.test.ts
  "stored_key_unreadable", // test/edge/vault
  "idempotency_in_progress", // test/edge/idempotency
  "idempotency_answer_lost", // test/edge/idempotency
  "idempotency_key_reused", // test/edge/idempotency
]);

/** Words that tell a reader what to do next. */
const advice =
  /\b(send|use|check|retry|try|add|lower|choose|wait|change|write|report|ask|create|see|upgrade)\b|GET \/v1\/models/i;

let gateway: Gateway;
let caller: Caller;
beforeAll(async () => {
  gateway = await startGateway();
  caller = await gateway.newCaller(100_000_000);
});
beforeEach(() => gateway.provider.reset());
afterAll(() => gateway?.stop());

type Call = {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
  key?: string;
};

function call({ path = "/v1/chat/completions", method = "POST", headers, body = hello, key }: Call) {
  return fetch(gateway.service.url + path, {
    method,
    headers: {
      authorization: `Bearer ${key ?? caller.apiKey}`,
      "content-type": "application/json",
      ...headers,
    },
    ...(method === "POST" && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

/** Sends a request that the pool's provider answers by this script. */
function refused(script: FakeScript, more: Call = {}): Promise<Response> {
  gateway.provider.respond("router", script);
  return call(more);
}

async function withStopped(part: "sqld", work: () => Promise<Response>): Promise<Response> {
  const pid = (await gateway.service.pidOf(part))!;
  process.kill(pid, "SIGSTOP");
  try {
    return await work();
  } finally {
    process.kill(pid, "SIGCONT");
    // Until sqld works again: the next test expects a refusal for another reason.
    await expect.poll(async () => (await call({})).status).toBe(200);
  }
}

async function suspend(): Promise<string> {
  const { accountId, apiKey } = await gateway.newCaller(1_000_000);
  const statement = prepare(build.run(sql`UPDATE accounts SET suspended_at = 1 WHERE id = ${accountId}`));
  await gateway.database.execute(statement);
  return apiKey;
}

/** Kills the gpu-worker and asks, until a request comes in the moment before it is started again. */
async function missWorldModel(): Promise<Response> {
  for (;;) {
    // It may not be started again yet.
    await gateway.service.kill("gpu-worker").catch(() => {});
    const response = await call({});
    if (response.status !== 200) return response;
    await response.body?.cancel();
  }
}

const large = "x".repeat(11 * 1024 * 1024);
/** Of the code's own body: a stream is sent in chunks, without a declared length. */
const inChunks = (text: string) => new Blob([text]).stream();

const refusals: [ErrorCode, string, () => Promise<Response>][] = [
  ["missing_api_key", "no key", () => call({ headers: { authorization: "" } })],
  ["missing_api_key", "another scheme", () => call({ headers: { authorization: "Basic abc" } })],
  ["invalid_api_key", "a mistyped key", () => call({ key: `${caller.apiKey}x` })],
  ["invalid_api_key", "a mistyped key and a large body", () => call({ key: "nonsense", body: large })],
  [
    "invalid_provider_key",
    "a key its provider refuses",
    async () => {
      gateway.provider.respond("alpha", { status: 401 });
      return call({ headers: { "x-alpha-key": "sk-wrong" } });
    },
  ],
  [
    "missing_provider_key",
    "a model the pool does not have",
    () => call({ body: { ...hello, model: "svc-x1ac-base-gpt-5" } }),
  ],
  ["insufficient_credits", "no credit", async () => (await gateway.newCaller(1)).chat(hello)],
  [
    "https_required",
    "plain http from elsewhere",
    () => call({ headers: { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "http" } }),
  ],
  ["account_suspended", "a suspended account", async () => call({ key: await suspend() })],
  ["not_found", "an unknown path", () => call({ path: "/v1/nothing" })],
  ["model_not_found", "an unknown model", () => call({ body: { ...hello, model: "svc-x1ac-base-gpt-99" } })],
  ["model_not_found", "no model name of ours", () => call({ body: { ...hello, model: "gpt-4o" } })],
  ["method_not_allowed", "another method", () => call({ method: "GET" })],
  ["invalid_request", "an embedding-only model", () => call({ body: { ...hello, model: "svc-x1ac-base" } })],
  ["invalid_json", "broken JSON", () => call({ body: '{"model":' })],
  ["request_too_large", "a declared length", () => call({ body: large })],
  [
    "request_too_large",
    "a body in chunks",
    () =>
      fetch(`${gateway.service.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${caller.apiKey}`, "content-type": "application/json" },
        body: inChunks(large),
        duplex: "half",
      } as RequestInit),
  ],
  ["unsupported_media_type", "a form", () => call({ headers: { "content-type": "text/plain" } })],
  ["validation_error", "a wrong type", () => call({ body: { ...hello, temperature: "warm" } })],
  [
    "world_model_not_loaded",
    "a size that is not loaded",
    () => call({ body: { ...hello, model: "svc-x1ac-small-gpt-4o" } }),
  ],
  [
    "world_model_not_loaded",
    "a size without a price",
    () => call({ body: { ...hello, model: "svc-x1ac-huge-gpt-4o" } }),
  ],
  ["upstream_rejected", "the provider's 400", () => refused({ status: 400 })],
  [
    "context_length_exceeded",
    "a prompt that does not fit",
    () => refused({ status: 400, text: "prompt is too long: 3 tokens > 2 maximum" }),
  ],
  ["upstream_rate_limited", "the provider's 429", () => refused({ status: 429 })],
  ["upstream_error", "the provider's 500", () => refused({ status: 500 })],
  ["upstream_error", "an answer that is none", () => refused({ json: "surprise" })],
  [
    "upstream_error",
    "an error in place of the answer",
    () => refused({ frames: ['data: {"error":{"message":"no capacity"}}\n\n'] }),
  ],
  ["upstream_truncated", "a connection that breaks", () => refused({ text: "one two three", cutAfter: 3 })],
  [
    "answer_off_format",
    "prose where JSON was asked for",
    () =>
      refused(
        { text: "Sure, here it is." },
        { body: { ...hello, response_format: { type: "json_object" } } },
      ),
  ],
  ["upstream_overloaded", "the provider's 503, twice", () => refused({ status: 503 })],
  ["upstream_timeout", "the provider's 408", () => refused({ status: 408 })],
  ["billing_unavailable", "a ledger that says nothing", () => withStopped("sqld", () => call({}))],
  ["world_model_unavailable", "a world model that is away", missWorldModel],
];

describe("every error of the table", () => {
  test.each(refusals)("%s for %s", async (code, _cause, provoke) => {
    const response = await provoke();
    const { status, type, publicCode } = errorTable[code];
    const text = await response.text();
    const { error } = JSON.parse(text) as { error: Record<string, unknown> };
    expect({ status: response.status, ...error }).toMatchObject({
      status,
      type,
      code: publicCode ? code : null,
    });
    expect(error.message).toMatch(advice);
    expect(String(error.message).length).toBeLessThan(700);
    expect(response.headers.get("x-request-id")).toMatch(/^req_/);
    if (status === 429) expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(text).not.toMatch(/127\.0\.0\.1|\bat .*:\d+:\d+|node_modules|SQLITE/);
  });

  test("is provoked here or in a test that is named above", () => {
    const held = new Set<string>([...refusals.map(([code]) => code), ...heldElsewhere]);
    expect(Object.keys(errorTable).filter((code) => !held.has(code))).toEqual([]);
  });
});
