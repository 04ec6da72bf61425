// Prompts that one provider accepts and another refuses or reads differently: each provider gets the form that it accepts.
import { describe, expect, test } from "vitest";
import { type ProviderKind, providerKinds } from "../../../shared/providers.ts";
import { createTestApp, newCaller, type Sent } from "../support/app.ts";

type Json = Record<string, unknown>;
const models = {
  alpha: "gpt-4o",
  beta: "claude-sonnet-4-5",
  gamma: "gemini-2.5-flash",
  router: "anthropic/claude-sonnet-4.5",
} as const satisfies Record<ProviderKind, string>;

/** What the provider is sent. */
async function send(kind: ProviderKind, path: string, fields: Json) {
  const { apiKey } = await newCaller(1_000_000);
  const app = createTestApp({ provider: [() => new Response("{}", { status: 500 })] });
  const response = await app.post(
    path,
    apiKey,
    { model: `svc-x1ac-base-${models[kind]}`, svc: { plan: "off" }, ...fields },
    { [`x-${kind}-key`]: "sk-own" },
  );
  expect(response.status, await response.text()).toBe(502);
  const [{ body, text }] = app.sent as [Sent];
  return { body, text };
}
const chat = (kind: ProviderKind, fields: Json) =>
  send(kind, "/v1/chat/completions", { max_tokens: 50, ...fields });

describe("instructions alone (failures 41)", () => {
  const messages = [{ role: "system", content: "Write a haiku." }];

  test("are the user's turn where a turn is wanted", async () => {
    const beta = await chat("beta", { messages });
    expect(beta.body).toMatchObject({
      messages: [{ role: "user", content: [{ type: "text", text: "Write a haiku." }] }],
    });
    expect(beta.body).not.toHaveProperty("system");
    const gamma = await chat("gamma", { messages });
    expect(gamma.body).toMatchObject({ contents: [{ role: "user", parts: [{ text: "Write a haiku." }] }] });
    expect(gamma.body).not.toHaveProperty("systemInstruction");
  });

  test("stay what they are where they are taken", async () => {
    for (const kind of ["alpha", "router"] as const)
      expect((await chat(kind, { messages })).body.messages).toEqual(messages);
  });
});

describe("a message whose content is null", () => {
  const silent = (content: string | null) => [
    { role: "system", content },
    { role: "user", content: "Hi" },
    { role: "assistant", content },
    { role: "user", content },
    { role: "user", content: "Bye" },
  ];

  test.each(providerKinds)("reaches %s as one with no text", async (kind) => {
    const sent = await chat(kind, { messages: silent(null) });
    expect(sent.text).toBe((await chat(kind, { messages: silent("") })).text);
  });
});

test("an answer that the caller has begun does not end in white space at Anthropic (failures 42)", async () => {
  const messages = [
    { role: "user", content: "Count " },
    { role: "assistant", content: "One, \n" },
  ];
  const { body } = await chat("beta", { messages });
  expect(body.messages).toEqual([
    { role: "user", content: [{ type: "text", text: "Count " }] },
    { role: "assistant", content: [{ type: "text", text: "One," }] },
  ]);
  expect((await chat("alpha", { messages })).body.messages).toEqual(messages);
});

test.each([
  ["image/png", "/9j/4AAQSkZJRg==", "image/jpeg"],
  ["image/jpeg", "iVBORw0KGgoAAAANSUhEUg==", "image/png"],
  ["image/png", "R0lGODlhAQABAAAAACw=", "image/gif"],
  ["image/png", "UklGRiQAAABXRUJQVlA4", "image/webp"],
  ["image/heic", "AAAAGGZ0eXBoZWlj", "image/heic"],
])("a picture called %s goes by its bytes (failures 43)", async (called, data, type) => {
  const image = { type: "image_url", image_url: { url: `data:${called};base64,${data}` } };
  const messages = [{ role: "user", content: [{ type: "text", text: "What is it?" }, image] }];
  for (const kind of providerKinds) {
    const { text } = await chat(kind, { messages });
    expect(text).toContain(
      kind === "alpha" || kind === "router" ? `data:${type};base64,${data}` : `"${type}"`,
    );
    if (type !== called) expect(text).not.toContain(called);
  }
  const block = { type: "image", source: { type: "base64", media_type: called, data } };
  const { text } = await send("beta", "/v1/messages", {
    max_tokens: 50,
    messages: [{ role: "user", content: [block] }],
  });
  expect(text).toContain(`"media_type":"${type}"`);
});

describe("marks of the prompt's cache (failures 44)", () => {
  const cache_control = { type: "ephemeral" };
  const call = { id: "call_1", type: "function", function: { name: "t", arguments: "{}" }, cache_control };
  const parameters = { type: "object", properties: {} };

  test("on messages, calls and functions of a chat completion are those of their last parts", async () => {
    const { body } = await chat("beta", {
      tools: [{ type: "function", function: { name: "t", parameters, cache_control } }],
      messages: [
        { role: "system", content: "Long.", cache_control },
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
          cache_control,
        },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "call_1", content: "done", cache_control },
      ],
    });
    expect(body).toMatchObject({
      tools: [{ name: "t", cache_control }],
      system: [{ type: "text", text: "Long.", cache_control }],
      messages: [
        { content: [{ text: "a" }, { text: "b", cache_control }] },
        { content: [{ type: "tool_use", cache_control }] },
        { content: [{ type: "tool_result", content: [{ text: "done", cache_control }] }] },
      ],
    });
    expect(JSON.stringify(body.messages)).not.toContain('"text":"a","cache_control"');
  });

  test("on items and parts of Responses too, OpenAI's own with them", async () => {
    const prompt_cache_breakpoint = { mode: "explicit" };
    const input = [
      { role: "user", content: "Long.", cache_control },
      { role: "user", content: [{ type: "input_text", text: "Hi", prompt_cache_breakpoint }] },
      { type: "function_call", call_id: "call_1", name: "t", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: "done", cache_control },
    ];
    const router = await send("router", "/v1/responses", { input });
    expect(router.body.messages).toMatchObject([
      { role: "user", content: [{ type: "text", text: "Long.", cache_control }] },
      { role: "user", content: [{ type: "text", text: "Hi", prompt_cache_breakpoint }] },
      { role: "assistant" },
      { role: "tool", content: [{ type: "text", text: "done", cache_control }] },
    ]);
    const alpha = await send("alpha", "/v1/responses", { input });
    expect(alpha.body.messages).toMatchObject([
      { content: "Long." },
      { content: [{ type: "text", text: "Hi", prompt_cache_breakpoint }] },
      {},
      { content: "done" },
    ]);
    expect(alpha.text).not.toContain("cache_control");
  });

  test("on the results of an Anthropic conversation reach the aggregator on their last text", async () => {
    const result = (tool_use_id: string, content: unknown) => ({
      type: "tool_result",
      tool_use_id,
      content,
      cache_control,
    });
    const use = (id: string) => ({ type: "tool_use", id, name: "t", input: {} });
    const picture = { type: "image", source: { type: "url", url: "https://a.test/a.png" } };
    const text = (words: string) => ({ type: "text", text: words });
    const { body } = await send("router", "/v1/messages", {
      max_tokens: 50,
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: ["toolu_1", "toolu_2", "toolu_3"].map(use) },
        {
          role: "user",
          content: [
            result("toolu_1", "done"),
            result("toolu_2", [text("a"), text("b"), picture]),
            result("toolu_3", []),
          ],
        },
      ],
    });
    expect((body.messages as Json[]).slice(2)).toMatchObject([
      { role: "tool", content: [{ type: "text", text: "done", cache_control }] },
      { role: "tool", content: [text("a"), { type: "text", text: "b", cache_control }] },
      { role: "tool", content: "" },
      { role: "user" },
    ]);
    expect(JSON.stringify(body.messages).match(/cache_control/g)).toHaveLength(2);
  });
});

// github.com/decolua/9router/issues/355, github.com/anomalyco/opencode/issues/16318, github.com/janhq/jan/issues/8136
test.each([
  ["deepseek/deepseek-v4-pro", true],
  ["moonshotai/kimi-k2.5", true],
  ["z-ai/glm-5", false],
])("thoughts go back to %s under the name it wants: %s (failures 59)", async (model, named) => {
  const reasoning = "The file is long.";
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello", reasoning_content: reasoning },
    { role: "user", content: "And?" },
  ];
  const { apiKey } = await newCaller(1_000_000);
  const app = createTestApp({ provider: [() => new Response("{}", { status: 500 })] });
  const body = { model: `svc-x1ac-base-${model}`, messages, svc: { plan: "off" } };
  await app.chat(apiKey, body, { "x-router-key": "sk-own" });
  const [{ body: sent }] = app.sent as [Sent];
  const given = named ? { reasoning, reasoning_content: reasoning } : { reasoning };
  expect((sent.messages as Json[])[1]).toEqual({ role: "assistant", content: "Hello", ...given });
});

// github.com/google-gemini/gemini-cli/issues/11814
test("a history that begins with a call has a turn before it at Gemini (failures 58)", async () => {
  const call = { id: "call_1", type: "function", function: { name: "t", arguments: "{}" } };
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: "done" },
    { role: "user", content: "And?" },
  ];
  const { body } = await chat("gamma", { messages });
  expect(body.contents).toMatchObject([
    { role: "user", parts: [{ text: "Continue." }] },
    { role: "model", parts: [{ functionCall: { name: "t" } }] },
    { role: "user", parts: [{ functionResponse: { name: "t" } }] },
    { role: "user", parts: [{ text: "And?" }] },
  ]);
  const answered = [{ role: "assistant", content: "Hello" }, ...messages.slice(3)];
  expect((await chat("gamma", { messages: answered })).body.contents).toHaveLength(2);
});

// github.com/google/oss-rebuild/pull/1559, github.com/dust-tt/dust/pull/32270
test("Gemini's results come first and alone, in the order of their calls, and pictures and words after them (failures 48)", async () => {
  const png = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
  const use = (id: string, name: string) => ({ type: "tool_use", id, name, input: {} });
  const messages = [
    { role: "user", content: "look" },
    { role: "assistant", content: [use("toolu_1", "a"), use("toolu_2", "b")] },
    {
      role: "user",
      content: [
        { type: "text", text: "reminder" },
        { type: "tool_result", tool_use_id: "toolu_2", content: [png] },
        { type: "tool_result", tool_use_id: "toolu_1", content: "x" },
      ],
    },
  ];
  const tools = ["a", "b"].map((name) => ({ name, input_schema: { type: "object", properties: {} } }));
  const { body } = await send("gamma", "/v1/messages", { max_tokens: 50, messages, tools });
  const [, , ...after] = body.contents as Json[];
  expect(after).toMatchObject([
    {
      role: "user",
      parts: [{ functionResponse: { name: "a" } }, { functionResponse: { name: "b" } }],
    },
    { role: "user", parts: [{ text: "reminder" }, { inlineData: { mimeType: "image/png" } }] },
  ]);
});

// github.com/ggml-org/llama.cpp/issues/25510, github.com/OpenHands/software-agent-sdk/issues/2887
test.each(['{"path": "a', "[1]", "null", '"{}"', "\u0001"])(
  "a call whose arguments are %j is an object to the aggregator, no longer than the hold has counted (failures 62)",
  async (text) => {
    const call = { id: "call_1", type: "function", function: { name: "t", arguments: text } };
    const messages = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "This is no JSON." },
    ];
    const read = async (kind: ProviderKind) => {
      const { body } = await chat(kind, { messages });
      const [, turn] = body.messages as [unknown, { tool_calls: (typeof call)[] }];
      return turn.tool_calls[0]!.function.arguments;
    };
    const sent = await read("router");
    expect(JSON.parse(sent)).toBeTypeOf("object");
    expect(JSON.parse(sent)).not.toBeNull();
    expect(sent.length).toBeLessThanOrEqual(text.length + 12);
    expect(await read("alpha")).toBe(text);
  },
);
