// Hostile bodies and headers over every route: each gets an answer below 500, soon, in its route's form.
// FUZZ_RUNS=10000 npx vitest run --project edge test/edge/routes/fuzz.test.ts
import fc from "fast-check";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { createTestApp, newCaller, openaiStream, openaiUsage, type Sent } from "../support/app.ts";

const llmKeys = "/v1/account/llm-keys";
const valid: Record<string, Record<string, unknown>> = {
  "/v1/chat/completions": {
    model: "svc-x1ac-base-gpt-4o",
    messages: [
      { role: "system", content: "on the start page" },
      { role: "user", content: [{ type: "text", text: "go" }] },
    ],
    max_tokens: 10,
    temperature: 1,
    top_p: 1,
    n: 1,
    stop: ["x"],
    stream: false,
    tools: [{ type: "function", function: { name: "f", description: "d", parameters: { type: "object" } } }],
    tool_choice: "auto",
    svc: { plan: "off", max_llm_calls: 2 },
  },
  "/v1/messages": {
    model: "svc-x1ac-base-claude-sonnet-4-5",
    messages: [{ role: "user", content: "go" }],
    max_tokens: 10,
    system: "s",
    tools: [{ name: "t", description: "d", input_schema: { type: "object" } }],
  },
  "/v1/messages/count_tokens": {
    model: "svc-x1ac-base-claude-sonnet-4-5",
    messages: [{ role: "user", content: "go" }],
  },
  "/v1/embeddings": { model: "svc-x1ac-base", input: ["a", "b"], encoding_format: "base64" },
  "/v1/rollout": { goal: "buy a ticket", max_steps: 3, actions: [1, 2], initial_state: "s", mode: "m" },
  [llmKeys]: { alpha_key: "sk-1", beta_key: "sk-ant-1", gamma_key: "AIza1", router_key: "sk-or-1" },
};
const paths = [
  ...Object.keys(valid),
  "/v1/models",
  "/v1/account/balance",
  "/health",
  "/v1/%00",
  "/v1/models/..%2f",
];

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);
const hostileText = fc.constantFrom(
  "\u0000",
  "\ud800",
  "\udfff\ud800",
  "\u202e",
  "__proto__",
  "constructor",
  "toString",
  "a".repeat(20_000),
  "😀".repeat(500),
  "$" + "{jndi:ldap://x}",
  "'; DROP TABLE ledger; --",
  "\r\nx-injected: 1",
  "data: [DONE]\n\n",
  "svc-x1ac-base-",
  "../../etc/passwd",
  "NaN",
  "",
);
const hostileNumber = fc.constantFrom(
  -1,
  0,
  -0,
  0.5,
  1e308,
  -1e308,
  1e21,
  2 ** 53,
  2 ** 31,
  -(2 ** 31),
  Number.MIN_VALUE,
  4097,
);
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: hostileText },
  { weight: 3, arbitrary: hostileNumber },
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    [],
    {},
    [[]],
    [null],
    { toString: 1 },
    { length: -1 },
    { type: "text" },
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant(Array.from({ length: 300 }, () => ({ role: "user", content: "x" }))),
  fc.constant(JSON.parse('{"__proto__": {"admin": true}, "constructor": {"prototype": {"x": 1}}}')),
);
type Step = { field: number; inner: number; value: unknown };

/** A valid body with hostile values in some of its fields, at any depth. */
function spoil(body: Record<string, unknown>, steps: readonly Step[]): unknown {
  const copy: unknown = structuredClone(body);
  for (const { field, inner, value } of steps) {
    let holder = copy as Record<string, unknown>;
    for (let depth = 0; depth <= inner; depth++) {
      const keys = Object.keys(holder);
      if (keys.length === 0) break;
      const key = keys[(field + depth) % keys.length]!;
      const next = holder[key];
      if (depth === inner || typeof next !== "object" || next === null) {
        holder[key] = structuredClone(value);
        break;
      }
      holder = next as Record<string, unknown>;
    }
  }
  return copy;
}

const rawBody = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "{",
    "[",
    "nul",
    "\ufeff{}",
    '{"a":1,}',
    '{"model":"\\ud800"}',
    "1e999",
    "-",
    '"',
    "\u0000",
    "{}{}",
    "NaN",
    "[1e309]",
    '{"messages":[{"role":"user","content":"\\udc00"}],"model":"svc-x1ac-base-gpt-4o"}',
    '{"__proto__":{"model":"svc-x1ac-base-gpt-4o"}}',
    nested(50_000, "[", "]"),
    nested(20_000, '{"a":', "}").replace(":}", ":1}"),
    `{"model":"svc-x1ac-base-gpt-4o","messages":${nested(5_000, "[", "]")}}`,
    `{"n":${"9".repeat(5_000)}}`,
    `{"${"k".repeat(100_000)}":1}`,
    `{${Array.from({ length: 5_000 }, (_, index) => `"k${index}":1`).join()}}`,
  ),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.json({ maxDepth: 6 }),
);
const headerValue = fc.oneof(
  fc.constantFrom(
    "",
    "0",
    "-1",
    "application/json; charset=utf-7",
    "text/plain",
    "application/json;",
    "multipart/form-data; boundary=x",
    "Bearer",
    "Bearer  ",
    "Bearer a b",
    `Bearer svc_sk_live_${"0".repeat(49)}`,
    "gzip",
    "x".repeat(8_000),
    "a\tb",
    "*",
    'W/"x"',
    "127.0.0.1, 8.8.8.8",
    "http",
    "99999999999999999999",
    "é",
    "\u00ff\u0080",
    "__proto__",
  ),
  fc.string({ maxLength: 60 }).map((text) => text.replace(/[^\t -~]/g, "").trim()),
);
const headerName = fc.constantFrom(
  "content-type",
  "authorization",
  "x-api-key",
  "x-request-id",
  "idempotency-key",
  "x-alpha-key",
  "x-beta-key",
  "x-gamma-key",
  "x-router-key",
  "accept",
  "origin",
  "if-none-match",
  "x-forwarded-proto",
  "content-encoding",
  "anthropic-version",
  "anthropic-beta",
  "x-http-method-override",
  "expect",
  "range",
  "cookie",
  "x-svc-plan",
);

const request = fc.record({
  path: fc.constantFrom(...paths),
  query: fc.constantFrom(
    "",
    "",
    "",
    "?provider=alpha",
    "?provider=__proto__",
    "?provider=%ff",
    "?a[]=1&provider",
  ),
  method: fc.oneof(
    { weight: 6, arbitrary: fc.constant("POST") },
    { weight: 2, arbitrary: fc.constant("GET") },
    fc.constantFrom("DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"),
  ),
  body: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        steps: fc.array(fc.record({ field: fc.nat(20), inner: fc.nat(5), value: hostileValue }), {
          maxLength: 4,
        }),
      }),
    },
    { weight: 2, arbitrary: rawBody.map((text) => ({ text })) },
  ),
  headers: fc.oneof(
    { weight: 2, arbitrary: fc.constant<[string, string][]>([]) },
    { weight: 1, arbitrary: fc.array(fc.tuple(headerName, headerValue), { maxLength: 3 }) },
  ),
});

/** The only answers of 500 and above that are said in advance. */
const announced = /world_model_not_loaded|return_intermediate/;

function anthropicAnswer(stream: boolean): Response {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: null, usage };
  if (!stream)
    return Response.json({ ...message, content: [{ type: "text", text: "ok" }], stop_reason: "end_turn" });
  const events = [
    { type: "message_start", message: { ...message, content: [] } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "ok" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

describe("a hostile request", () => {
  const runs = inject("fuzzRuns");
  const answer = ({ url, body }: Sent) => {
    if (/\/(models|key)$/.test(url)) return Response.json({});
    if (url.endsWith("/count_tokens")) return Response.json({ input_tokens: 3 });
    return url.includes("anthropic")
      ? anthropicAnswer(body.stream === true)
      : openaiStream(["ok"], openaiUsage(1, 1));
  };
  const timings = { queueMs: 0, modelMs: 0 };
  const rollout = { initialState: "s", steps: [], tokens: 2, timings };
  const embedding = { vectors: ["AACAPw==", "AACAPw=="], dimension: 1, tokens: 2, timings };
  let app: ReturnType<typeof createTestApp>;
  let apiKey: string;
  beforeAll(async () => {
    apiKey = (await newCaller(1_000_000_000_000)).apiKey;
    app = createTestApp({
      provider: [answer],
      embed: async () => embedding,
      rollout: async () => rollout,
    });
  });

  test(`is answered, and never by a failure of ours (${runs} runs)`, {
    timeout: 30_000 + runs * 100,
  }, async () => {
    const seen = new Map<number, number>();
    let slowestMs = 0;
    await fc.assert(
      fc.asyncProperty(request, async ({ path, query, method, body, headers }) => {
        const sent = new Headers({ authorization: `Bearer ${apiKey}`, "content-type": "application/json" });
        for (const [name, value] of headers) sent.set(name, value);
        const text = "text" in body ? body.text : JSON.stringify(spoil(valid[path] ?? {}, body.steps));
        const bare = method === "GET" || method === "HEAD";
        const startedAt = performance.now();
        const response = await app.send(path + query, {
          method,
          headers: sent,
          ...(!bare && { body: text }),
        });
        const answered = await response.text();
        slowestMs = Math.max(slowestMs, performance.now() - startedAt);
        seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
        if (response.status >= 500) expect(answered).toMatch(announced);
        if (response.status >= 400 && method !== "HEAD") {
          const error = JSON.parse(answered);
          expect(typeof (path === llmKeys ? error.message : error.error.message)).toBe("string");
          expect(answered.length).toBeLessThan(20_000);
        }
        expect(response.headers.get("x-injected")).toBeNull();
        expect(response.headers.get("x-request-id")).toMatch(/^[\w.:-]{1,128}$/);
        expect(({} as Record<string, unknown>).admin).toBeUndefined();
      }),
      { numRuns: runs, seed: inject("propertySeed") },
    );
    // A fuzzer that is refused at the door tests the door. The rarer refusals are only sure in a long run.
    const sure = runs >= 5_000 ? [200, 400, 401, 404, 405, 415, 422] : [200, 400, 404, 422];
    expect([...seen.keys()].sort()).toEqual(expect.arrayContaining(sure));
    expect(slowestMs).toBeLessThan(5_000);
    expect(JSON.stringify(app.logs)).not.toContain("internal_error");
  });
});
