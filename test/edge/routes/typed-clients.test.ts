// Strictly typed clients: fields that they require in every answer, and fields that they send because a type has a default.
import { expect, test } from "vitest";
import { createTestApp, eventStream, newCaller, openaiUsage } from "../support/app.ts";

const go = { role: "user", content: "go" };
const model = "svc-x1ac-base-gpt-4o";

/** A provider's stream of one word, with what else its chunks say of the answer. */
const stream =
  (usage: object, facts: object = {}) =>
  (): Response => {
    const chunk = (choices: unknown[], more: object = {}) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", ...facts, choices, ...more })}\n\n`;
    const text = [
      chunk([{ index: 0, delta: { role: "assistant", content: "ok" }, finish_reason: null }]),
      chunk([{ index: 0, delta: {}, finish_reason: "stop" }]),
      chunk([], { usage }),
      "data: [DONE]\n\n",
    ];
    return eventStream(text.join(""));
  };

async function start(provider = stream(openaiUsage(3, 2))) {
  const { apiKey } = await newCaller(1_000_000);
  const app = createTestApp({ provider: [provider] });
  const ask = (path: string, body: object) => app.post(path, apiKey, { model, ...body });
  return { ...app, ask };
}

type Chunk = { usage?: object; service_tier?: string };
const readChunks = async (response: Response): Promise<Chunk[]> =>
  (await response.text())
    .split("\n\n")
    .filter((event) => event.startsWith("data: {"))
    .map((event) => JSON.parse(event.slice("data: ".length)));

test.each<[string, object]>([
  ["no details", {}],
  [
    "details without a value",
    { prompt_tokens_details: { cached_tokens: 1, image_tokens: null, audio_tokens: null } },
  ],
])("usage has each count of OpenAI's, none of them null, where the provider gave %s", async (_, details) => {
  const { ask } = await start(stream({ ...openaiUsage(3, 2), ...details }));
  const counts = {
    prompt_tokens_details: { cached_tokens: expect.any(Number), audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
  const { usage } = (await (await ask("/v1/chat/completions", { messages: [go] })).json()) as Chunk;
  const body = { messages: [go], stream: true, stream_options: { include_usage: true } };
  const last = (await readChunks(await ask("/v1/chat/completions", body))).at(-1);
  for (const written of [usage, last?.usage]) {
    const { prompt_tokens_details, completion_tokens_details } = written as Record<string, unknown>;
    expect({ prompt_tokens_details, completion_tokens_details }).toEqual(counts);
  }
});

/** `@openrouter/sdk` and typed readers of OpenAI's responses refuse an answer without these. */
test("what OpenAI says in every answer is there, also where a provider has no such thing", async () => {
  const { ask } = await start();
  const chat = await ask("/v1/chat/completions", { messages: [go] });
  expect(await chat.json()).toMatchObject({ system_fingerprint: null });
  const response = await ask("/v1/responses", { input: "go" });
  expect(await response.json()).toMatchObject({ frequency_penalty: 0, presence_penalty: 0 });
});

test("OpenAI's client of version 7.57 may ask for a picture as it is", async () => {
  const image_url = { url: "data:image/png;base64,AAAA", detail: "original" };
  const { ask } = await start();
  const messages = [{ role: "user", content: [{ type: "image_url", image_url }] }];
  expect((await ask("/v1/chat/completions", { messages })).status).toBe(200);
});

test("OpenRouter's own way to ask for a stream's usage is heeded", async () => {
  const { ask } = await start();
  const lastOf = async (fields: object) => {
    const response = await ask("/v1/chat/completions", { messages: [go], stream: true, ...fields });
    expect(response.headers.get("x-svc-unsupported")).toBeNull();
    return (await readChunks(response)).at(-1);
  };
  expect(await lastOf({ usage: { include: true } })).toMatchObject({ usage: { completion_tokens: 2 } });
  expect(await lastOf({ usage: { include: false } })).not.toHaveProperty("usage");
});

test.each([
  ["default", "default"],
  ["on_demand", undefined],
])("a tier is told where it is one of OpenAI's: %s", async (service_tier, told) => {
  const { ask } = await start(stream(openaiUsage(3, 2), { service_tier }));
  const whole = (await (await ask("/v1/chat/completions", { messages: [go] })).json()) as Chunk;
  const chunks = await readChunks(await ask("/v1/chat/completions", { messages: [go], stream: true }));
  expect(whole.service_tier).toBe(told);
  expect(chunks.find((chunk) => "service_tier" in chunk)?.service_tier).toBe(told);
});

test("an error names its field, or null", async () => {
  const { ask, send } = await start();
  const keyless = await send("/v1/chat/completions", { method: "POST" });
  expect(await keyless.json()).toMatchObject({ error: { param: null } });
  const missing = await ask("/v1/chat/completions", {});
  expect(await missing.json()).toMatchObject({ error: { code: null, param: "messages" } });
  const unknown = await ask("/v1/chat/completions", { model: "gpt-9", messages: [go] });
  expect(await unknown.json()).toMatchObject({ error: { code: "model_not_found", param: "model" } });
});

test.each([
  ["absent", {}],
  ["null", { content: null }],
])("the result of a tool that said nothing may be %s", async (_, said) => {
  const { ask, sent } = await start();
  const call = { id: "c1", type: "function", function: { name: "save", arguments: "{}" } };
  const messages = [
    go,
    { role: "assistant", tool_calls: [call] },
    { role: "tool", tool_call_id: "c1", ...said },
  ];
  const response = await ask("/v1/chat/completions", { messages });
  expect(response.status, await response.text()).toBe(200);
  expect((sent[0]!.body.messages as object[])[2]).toEqual({ role: "tool", tool_call_id: "c1", content: "" });
});

test.each([
  ["9223372036854775807", "9223372036854775000"],
  ["-9223372036854775808", "-9223372036854775000"],
  ["4611686018427387904", "4611686018427388000"],
])("a seed is any int64: %s", async (seed, reached) => {
  const { apiKey } = await newCaller(1_000_000);
  const { chat, sent } = createTestApp({ provider: [stream(openaiUsage(3, 2))] });
  const body = JSON.stringify({ model, messages: [go] });
  const response = await chat(apiKey, body.replace("{", `{"seed":${seed},`));
  expect(response.status, await response.text()).toBe(200);
  expect(sent[0]?.text).toContain(`"seed":${reached}`);
});

test.each(["1.5", "1e300"])("a seed is an integer of that size: %s", async (seed) => {
  const { apiKey } = await newCaller(1_000_000);
  const { chat } = createTestApp();
  const body = JSON.stringify({ model, messages: [go] });
  expect((await chat(apiKey, body.replace("{", `{"seed":${seed},`))).status).toBe(422);
});

test("a response says its tools and its format again with every field", async () => {
  const { ask } = await start(stream(openaiUsage(3, 2)));
  const schema = { type: "object", properties: {} };
  const strict = { type: "function", name: "b", description: "B", parameters: schema, strict: true };
  const tools = [{ type: "function", name: "a" }, strict];
  const whole = await (await ask("/v1/responses", { input: "x", tools })).json();
  const plain = { type: "function", name: "a", description: null, parameters: schema, strict: false };
  expect(whole).toMatchObject({ tools: [plain, strict], text: { format: { type: "text" } } });
  const text = { format: { type: "json_schema", name: "f", schema } };
  const streamed = await ask("/v1/responses", { input: "x", text, stream: true });
  const created = JSON.parse((await streamed.text()).split("\n")[1]!.slice("data: ".length));
  expect(created.response.text.format).toEqual({ ...text.format, description: null, strict: false });
});
