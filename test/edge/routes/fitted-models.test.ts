// What one model accepts and another refuses together with the whole request: limits, parameters, a last turn of the assistant.
import { describe, expect, test } from "vitest";
import type { ProviderKind } from "../../../shared/providers.ts";
import { createTestApp, newCaller, type Sent } from "../support/app.ts";

type Json = Record<string, unknown>;

/** A whole answer on each wire. */
const answer = {
  id: "1",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "ok" }],
  stop_reason: "end_turn",
  candidates: [{ content: { role: "model", parts: [{ text: "ok" }] }, finishReason: "STOP" }],
};

/** What the provider is sent, and what the caller is told was left out. */
async function chat(kind: ProviderKind, model: string, fields: Json, given: Json = answer) {
  const { apiKey } = await newCaller(1_000_000);
  const app = createTestApp({ provider: [() => Response.json(given)] });
  const messages = [{ role: "user", content: "Hi" }];
  const body = { model: `svc-x1ac-base-${model}`, messages, svc: { plan: "off" }, ...fields };
  const response = await app.chat(apiKey, body, { [`x-${kind}-key`]: "sk-own" });
  expect(response.status, await response.text()).toBe(200);
  const [sent] = app.sent as [Sent];
  return { body: sent.body, unsupported: response.headers.get("x-svc-unsupported") };
}

// github.com/BerriAI/litellm/issues/10548, github.com/tyrellshawn/bolt.diy/issues/2
test.each([
  ["alpha", "gpt-4o", { max_completion_tokens: 16_384 }],
  ["beta", "claude-sonnet-4-5", { max_tokens: 64_000 }],
  ["gamma", "gemini-2.5-flash", { generationConfig: { maxOutputTokens: 65_536 } }],
  ["router", "openai/gpt-4o", { max_tokens: 300_000 }],
] as const)("%s is asked for no more than %s writes (failures 49)", async (kind, model, limit) => {
  const { body } = await chat(kind, model, { max_tokens: 300_000 });
  expect(body).toMatchObject(limit);
});

// github.com/anomalyco/opencode/issues/13768 and 45359, github.com/strands-agents/sdk-python/issues/1694
describe("an answer that the caller has begun (failures 51)", () => {
  const begun = [
    { role: "user", content: "Count" },
    { role: "assistant", content: "One," },
    { role: "system", content: "In words." },
  ];
  const last = ({ messages, contents }: Json) =>
    JSON.stringify(((messages ?? contents) as unknown[]).slice(-1));

  test.each([
    ["beta", "claude-opus-4-6"],
    ["beta", "claude-sonnet-5"],
    ["gamma", "gemini-3.6-flash"],
    ["gamma", "gemini-3.5-flash-lite"],
    ["router", "anthropic/claude-sonnet-4.6"],
    ["router", "anthropic/claude-opus-5"],
  ] as const)("is ended where it is refused: %s, %s", async (kind, model) => {
    const { body } = await chat(kind, model, { messages: begun });
    expect(last(body)).toContain('"role":"user"');
    expect(last(body)).toContain("Continue.");
  });

  test.each([
    ["alpha", "gpt-4o"],
    ["beta", "claude-sonnet-4-5"],
    ["gamma", "gemini-2.5-flash"],
    ["router", "anthropic/claude-sonnet-4.5"],
  ] as const)("is gone on with where it is taken: %s, %s", async (kind, model) => {
    const { body } = await chat(kind, model, { messages: begun });
    expect(JSON.stringify(body)).not.toContain("Continue.");
  });
});

// github.com/ollama/ollama/issues/17774, github.com/vllm-project/vllm/issues/41114
test("instructions in the middle are the user's where a template takes them first only (failures 52)", async () => {
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "developer", content: "Be kind." },
    { role: "user", content: "Hi" },
    { role: "system", content: "The file has changed." },
    { role: "assistant", content: "Hello" },
    { role: "system", content: "It is late." },
  ];
  const text = (words: string) => ({ type: "text", text: words });
  const { body } = await chat("router", "qwen/qwen3-coder", { messages });
  expect(body.messages).toEqual([
    { role: "system", content: [text("Be brief."), text("Be kind.")] },
    { role: "user", content: [text("Hi"), text("The file has changed.")] },
    { role: "assistant", content: "Hello" },
    { role: "user", content: "It is late." },
  ]);
  const other = await chat("router", "openai/gpt-4o", { messages });
  expect(other.body.messages).toHaveLength(messages.length);
});

// github.com/camel-ai/camel/issues/4171, github.com/elizaOS/eliza/issues/16499
describe("Claude's limits of strict tools (failures 60)", () => {
  const text = { type: "string" };
  const tool = (index: number, properties: Json, required: string[]) => ({
    type: "function",
    function: {
      name: `t${index}`,
      strict: true,
      parameters: { type: "object", properties, required, additionalProperties: false },
    },
  });
  const listStrict = ({ tools }: Json) => (tools as Json[]).map(({ strict }) => strict === true);

  test.each([
    ["20 tools", 20, { a: text }, ["a"], 20],
    ["25 tools", 25, { a: text }, ["a"], 20],
    ["30 parameters that may be left out", 15, { a: text, b: text }, [], 12],
    [
      "18 of several types",
      9,
      { a: { type: ["string", "null"] }, b: { anyOf: [text, { type: "null" }] } },
      ["a", "b"],
      8,
    ],
  ])("%s", async (_, count, properties, required, strict) => {
    const tools = Array.from({ length: count }, (_, index) => tool(index, properties, required));
    const { body, unsupported } = await chat("beta", "claude-sonnet-4-5", { tools });
    expect(listStrict(body)).toEqual(tools.map((_, index) => index < strict));
    expect(unsupported).toBe(strict < count ? "tools.strict" : null);
  });

  test("the format of the answer counts too", async () => {
    const names = Array.from({ length: 23 }, (_, index) => `p${index}`);
    const schema = { type: "object", properties: Object.fromEntries(names.map((name) => [name, text])) };
    const response_format = { type: "json_schema", json_schema: { name: "f", schema } };
    const tools = [tool(0, { a: text, b: text }, []), tool(1, { a: text }, [])];
    const given = { ...answer, content: [{ type: "text", text: "{}" }] };
    const { body } = await chat("beta", "claude-sonnet-4-5", { tools, response_format }, given);
    expect(listStrict(body)).toEqual([false, true]);
  });
});

test.each([
  ["alpha", "gpt-5.6-sol", { prompt_cache_retention: "24h" }, ["prompt_cache_retention"]],
  ["alpha", "gpt-4o", { prompt_cache_retention: "24h" }, []],
  [
    "gamma",
    "gemini-3.6-flash",
    { presence_penalty: 0.5, frequency_penalty: 0.5 },
    ["presence_penalty", "frequency_penalty"],
  ],
] as const)(
  "%s's %s is not sent %j where it gave that up (failures 53)",
  async (kind, model, fields, left) => {
    const { body, unsupported } = await chat(kind, model, fields);
    expect(unsupported?.split(/, ?/) ?? []).toEqual(left);
    expect(JSON.stringify(body).includes("etention")).toBe(left.length === 0);
    expect(JSON.stringify(body)).not.toContain("enalty");
  },
);

test("the greatest effort goes to models that know it (failures 53)", async () => {
  expect((await chat("alpha", "gpt-5.6-sol", { reasoning_effort: "max" })).body.reasoning_effort).toBe("max");
  expect((await chat("alpha", "gpt-5.5", { reasoning_effort: "max" })).body.reasoning_effort).toBe("xhigh");
});

test.each<[string, string, Json, string]>([
  ["reasoning_effort", "/v1/chat/completions", { reasoning_effort: "low" }, "reasoning_effort"],
  ["OpenRouter's reasoning", "/v1/chat/completions", { reasoning: { effort: "low" } }, "reasoning"],
  ["thinking", "/v1/messages", { thinking: { type: "adaptive" } }, "thinking"],
  ["an effort", "/v1/messages", { output_config: { effort: "low" } }, "output_config.effort"],
])("what is left out has the name that the request gave it: %s", async (_, path, fields, named) => {
  const { apiKey } = await newCaller(1_000_000);
  const app = createTestApp({ provider: [() => Response.json(answer)] });
  const body = {
    model: "svc-x1ac-base-gpt-4o",
    messages: [{ role: "user", content: "Hi" }],
    max_tokens: 10,
    ...fields,
  };
  const response = await app.post(path, apiKey, body, { "x-alpha-key": "sk-own" });
  expect(response.headers.get("x-svc-unsupported")).toBe(named);
  await response.text();
});
