// Limits on a body's number of values: a million small values take a thousand times their text in memory.
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { holdsMoreValues, maxBodyValues } from "../../../edge/dialects/json-scan.ts";
import { leastMs } from "../../support/least-ms.ts";
import { createTestApp, newCaller } from "../support/app.ts";

test("values are arrays, objects and what stands after a comma; what is inside strings is none", () => {
  const count = (value: unknown): number => {
    if (typeof value !== "object" || value === null) return 0;
    const items = Object.values(value);
    return 1 + Math.max(0, items.length - 1) + items.reduce((sum, item) => sum + count(item), 0);
  };
  const tricky = fc.string({ unit: fc.constantFrom('"', "\\", ",", "[", "{", "a"), maxLength: 12 });
  const value = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.array(tricky), fc.dictionary(tricky, tricky));
  fc.assert(
    fc.property(value, (body) => {
      const text = JSON.stringify(body);
      const values = count(JSON.parse(text));
      expect(holdsMoreValues(text, values)).toBe(false);
      expect(values === 0 || holdsMoreValues(text, values - 1)).toBe(true);
    }),
  );
});

test.each([
  ["a string that never ends", `"${"\\".repeat(100_001)}`],
  ["quotes after quotes", '\\"'.repeat(100_000)],
])("%s is read once", async (_, text) => {
  expect(await leastMs(1_000, () => holdsMoreValues(text, 10))).toBeLessThan(1_000);
});

test.each([
  ["wide", `{"model":"m","messages":[${"0,".repeat(maxBodyValues)}0]}`],
  ["deep", "[".repeat(maxBodyValues + 1)],
])("a %s body of too many values is refused (413) before it is parsed", async (_, body) => {
  const { apiKey } = await newCaller(1_000);
  const response = await createTestApp().send("/v1/chat/completions", {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body,
  });
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({ error: { code: "request_too_large" } });
});

test("a conversation of 5,000 turns is taken", () => {
  const call = { id: "c", type: "function", function: { name: "f", arguments: '{"a":[1,2,3]}' } };
  const turns = [
    { role: "assistant", content: "x", tool_calls: [call] },
    { role: "tool", tool_call_id: "c", content: "y" },
  ];
  const text = JSON.stringify({ messages: Array(5_000).fill(turns).flat() });
  expect(holdsMoreValues(text, maxBodyValues)).toBe(false);
});

const asked = "a marker no other text holds";
const embedded = { vectors: ["AAAAAA=="], dimension: 1, tokens: 5, timings: { queueMs: 0, modelMs: 0 } };
const turns = { model: "svc-x1ac-base-gpt-4o", messages: [{ role: "user", content: asked }] };

test.each([
  ["/v1/chat/completions", turns],
  ["/v1/messages", { ...turns, max_tokens: 50 }],
  ["/v1/responses", { model: turns.model, input: asked }],
  ["/v1/embeddings", { model: "svc-x1ac-base", input: asked }],
])("the body of POST %s is parsed once", async (path, body) => {
  const { apiKey } = await newCaller(1_000_000);
  const { send } = createTestApp({ embed: async () => embedded });
  const text = JSON.stringify(body);
  const parse = vi.spyOn(JSON, "parse");
  try {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const response = await send(path, {
      method: "POST",
      headers: { ...headers, "x-alpha-key": "sk-alpha" },
      body: text,
    });
    await response.text();
    expect(response.status).toBe(200);
    const whole = parse.mock.calls.filter(([read]) => read === text);
    expect(whole).toHaveLength(1);
  } finally {
    parse.mockRestore();
  }
});

test("a number beyond any range is out of its field's range too (422)", async () => {
  const { apiKey } = await newCaller(1_000_000);
  const body = JSON.stringify({ ...turns, temperature: 2 }).replace('"temperature":2', '"temperature":1e400');
  const response = await createTestApp().chat(apiKey, body);
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ error: { type: "validation_error" } });
});

test("arguments of calls, JSON in strings, are bounded as a body's values are, all together", async () => {
  const { apiKey } = await newCaller(10_000_000);
  const app = createTestApp();
  const half = `{"a":[${"{},".repeat(30_000)}{}]}`;
  const call = (id: string) => ({ type: "tool_use", id, name: "f", input: half });
  const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "x" });
  const ask = (...ids: string[]) =>
    app.post(
      "/v1/messages",
      apiKey,
      {
        model: "svc-x1ac-base-claude-sonnet-4-5",
        max_tokens: 8,
        messages: [
          { role: "user", content: "x" },
          { role: "assistant", content: ids.map(call) },
          { role: "user", content: ids.map(result) },
        ],
      },
      { "x-beta-key": "sk-ant-own" },
    );
  expect((await ask("a")).status).not.toBe(413);
  const sent = app.sent.length;
  expect((await ask("a", "b")).status).toBe(413);
  expect(app.sent).toHaveLength(sent);
});

const deep = `${'{"a":'.repeat(90_000)}1${"}".repeat(90_000)}`;
const named = '"model":"svc-x1ac-base-gpt-4o","max_tokens":5';
test.each([
  ["/v1/responses", `{"model":"svc-x1ac-base-gpt-4o","input":"x","metadata":${deep}}`],
  [
    "/v1/responses",
    `{"model":"svc-x1ac-base-gpt-4o","input":"x","tools":[{"type":"function","name":"f","parameters":${deep}}]}`,
  ],
  [
    "/v1/messages",
    `{${named},"messages":[{"role":"user","content":"x"}],"output_config":{"format":{"type":"json_schema","schema":${deep}}}}`,
  ],
])("%s: a body too deep to be gone through is no fault of ours", async (path, body) => {
  const { apiKey } = await newCaller(10_000_000);
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const response = await createTestApp().send(path, { method: "POST", headers, body });
  // The model of these tests writes no JSON, which is told where JSON was asked for.
  const isOffFormat = /does not have the format that was asked for/.test(await response.text());
  expect([200, 400]).toContain(isOffFormat ? 200 : response.status);
  await response.settled();
});
