import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FakeProvider, type FakeScript, startFakeProvider, wires } from "../support/fake-provider.ts";
import { readSseData } from "../support/read-sse-data.ts";

let fake: FakeProvider;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  fake = await startFakeProvider();
  openai = new OpenAI({ apiKey: "sk-test", baseURL: fake.url("alpha"), maxRetries: 0 });
  // The client adds /v1 itself.
  const rewrite: typeof fetch = (input, init) => fetch(String(input).replace("/v1/", "/"), init);
  anthropic = new Anthropic({
    apiKey: "sk-ant-test",
    baseURL: fake.url("beta"),
    maxRetries: 0,
    fetch: rewrite,
  });
});
beforeEach(() => fake.reset());
afterAll(() => fake.stop());

const messages = [{ role: "user" as const, content: "Hi" }];
const rich: FakeScript = {
  text: "Grüße, 世界 👋!",
  reasoning: "Let me think.",
  toolCalls: [
    { id: "one", name: "get_weather", arguments: { city: "São Paulo", days: 3 } },
    { id: "two", name: "ping", arguments: "{}" },
  ],
  usage: { input: 120, output: 40, cachedInput: 100, cacheWrite: 10, reasoning: 8 },
};

const askOpenai = (stream: boolean) =>
  stream
    ? openai.chat.completions
        .stream({ model: "gpt-4o", messages, stream_options: { include_usage: true } })
        .finalChatCompletion()
    : openai.chat.completions.create({ model: "gpt-4o", messages });
const askAnthropic = (stream: boolean) => {
  const request = { model: "claude-opus-5", max_tokens: 100, messages };
  return stream ? anthropic.messages.stream(request).finalMessage() : anthropic.messages.create(request);
};
async function askGemini(stream: boolean) {
  const method = stream ? "streamGenerateContent?alt=sse" : "generateContent";
  const response = await fetch(`${fake.url("gamma")}/models/gemini-2.5-flash:${method}`, {
    method: "POST",
    body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "Hi" }] }] }),
  });
  const text = await response.text();
  const chunks = stream ? readSseData(text) : [text];
  return chunks.map((chunk) => JSON.parse(chunk) as GeminiChunk);
}
type GeminiChunk = {
  candidates: { content: { parts: Record<string, unknown>[] }; finishReason?: string }[];
  usageMetadata?: Record<string, number>;
};

describe.each([false, true])("an answer, streamed: %s", (stream) => {
  it("reads the same with the openai client", async () => {
    fake.respond("alpha", rich);
    const { choices, usage } = await askOpenai(stream);
    expect(choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: rich.text,
        tool_calls: [
          { id: "one", function: { name: "get_weather", arguments: '{"city":"São Paulo","days":3}' } },
          { id: "two", function: { name: "ping", arguments: "{}" } },
        ],
      },
    });
    expect(usage).toMatchObject({
      prompt_tokens: 120,
      completion_tokens: 40,
      total_tokens: 160,
      prompt_tokens_details: { cached_tokens: 100 },
      completion_tokens_details: { reasoning_tokens: 8 },
    });
  });

  it("reads the same with the anthropic client", async () => {
    fake.respond("beta", rich);
    const { content, stop_reason, usage } = await askAnthropic(stream);
    expect(content).toMatchObject([
      { type: "thinking", thinking: rich.reasoning, signature: expect.stringMatching(/.+/) },
      { type: "text", text: rich.text },
      { type: "tool_use", id: "one", name: "get_weather", input: { city: "São Paulo", days: 3 } },
      { type: "tool_use", id: "two", name: "ping", input: {} },
    ]);
    expect(stop_reason).toBe("tool_use");
    expect(usage).toMatchObject({
      input_tokens: 10,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 10,
      output_tokens: 40,
    });
  });

  it("has Gemini's parts and counts", async () => {
    fake.respond("gamma", rich);
    const chunks = await askGemini(stream);
    const parts = chunks.flatMap((chunk) => chunk.candidates[0]!.content.parts);
    const join = (thought: boolean) =>
      parts
        .filter((part) => Boolean(part.thought) === thought)
        .map((part) => part.text ?? "")
        .join("");
    expect([join(true), join(false)]).toEqual([rich.reasoning, rich.text]);
    expect(parts.filter((part) => part.functionCall)).toMatchObject([
      { functionCall: { name: "get_weather", args: { city: "São Paulo", days: 3 } } },
      { functionCall: { name: "ping", args: {} } },
    ]);
    expect(chunks.at(-1)).toMatchObject({
      candidates: [{ finishReason: "STOP" }],
      usageMetadata: {
        promptTokenCount: 120,
        candidatesTokenCount: 32,
        thoughtsTokenCount: 8,
        totalTokenCount: 160,
        cachedContentTokenCount: 100,
      },
    });
  });

  it("has a default for every kind", async () => {
    expect((await askOpenai(stream)).choices[0]?.finish_reason).toBe("stop");
    expect((await askAnthropic(stream)).stop_reason).toBe("end_turn");
    expect((await askGemini(stream)).at(-1)?.usageMetadata?.totalTokenCount).toBe(30);
  });
});

describe("the aggregator's form", () => {
  const router = () => new OpenAI({ apiKey: "sk-or-test", baseURL: fake.url("router"), maxRetries: 0 });

  it("opens with a comment and reports usage and cost unasked", async () => {
    fake.respond("router", {
      text: "Hello there",
      reasoning: "Hm.",
      usage: { input: 5, output: 3, costUsd: 0.0125 },
    });
    const response = await fetch(`${fake.url("router")}/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "openai/gpt-4o", messages, stream: true }),
    });
    const text = await response.text();
    expect(text.startsWith(": OPENROUTER PROCESSING\n\n")).toBe(true);
    const chunks = readSseData(text);
    expect(chunks.at(-1)).toBe("[DONE]");
    expect(JSON.parse(chunks.at(-2)!)).toMatchObject({
      choices: [],
      usage: { total_tokens: 8, cost: 0.0125 },
    });
    expect(text).toContain('"reasoning":"Hm."');
  });

  it("lists models with prices and tells about the key", async () => {
    const { data } = await router().models.list();
    expect(data[0]).toMatchObject({ id: "openai/gpt-4o", pricing: { prompt: "0.0000025" } });
    expect((await fetch(`${fake.url("router")}/key`)).status).toBe(200);
  });
});

describe("usage in OpenAI's stream", () => {
  it("comes only when asked for", async () => {
    const stream = await openai.chat.completions.create({ model: "gpt-4o", messages, stream: true });
    const usages: unknown[] = [];
    for await (const chunk of stream) usages.push(chunk.usage ?? null);
    expect(new Set(usages)).toEqual(new Set([null]));
  });
});

describe("errors", () => {
  it("are typed by the official clients", async () => {
    fake.respond("alpha", { status: 429, headers: { "retry-after": "7" } });
    fake.respond("beta", { status: 401, text: "bad key" });
    await expect(askOpenai(false)).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await expect(askAnthropic(true)).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
    fake.respond("gamma", { status: 400, text: "no such field" });
    expect(await askGemini(false)).toEqual([
      { error: { code: 400, message: "no such field", status: "INVALID_ARGUMENT" } },
    ]);
  });

  it("are 404 for unknown routes, in the provider's format", async () => {
    const response = await fetch(`${fake.url("beta")}/complete`, { method: "POST", body: "{}" });
    expect([response.status, await response.json()]).toMatchObject([404, { type: "error" }]);
    expect((await fetch(`${fake.url("alpha").replace("alpha", "delta")}/models`)).status).toBe(404);
  });
});

describe("how bytes are sent", () => {
  it.each<NonNullable<FakeScript["chunking"]>>(["frame", "byte", "whole", 3])(
    "cut by %s gives the same stream",
    async (chunking) => {
      fake.respond("alpha", { text: "Grüße 👋", chunking });
      expect((await askOpenai(true)).choices[0]?.message.content).toBe("Grüße 👋");
    },
  );

  it("replays recorded events with the frames of each provider", async () => {
    const line = '{"type":"ping"}';
    expect(wires.beta.writeReplay([line])).toEqual([`event: ping\ndata: ${line}\n\n`]);
    expect(wires.alpha.writeReplay([line])).toEqual([`data: ${line}\n\n`, "data: [DONE]\n\n"]);
    fake.replay("gamma", ['{"candidates":[]}'], { chunking: "byte" });
    expect(await askGemini(true)).toEqual([{ candidates: [] }]);
  });

  it("waits before the headers and between frames", async () => {
    fake.respond("alpha", { frames: ["data: 1\n\n", "data: 2\n\n"], delayMs: 60, frameDelayMs: 60 });
    const started = performance.now();
    const response = await fetch(`${fake.url("alpha")}/chat/completions`, { method: "POST", body: "{}" });
    const headersAt = performance.now() - started;
    expect(await response.text()).toBe("data: 1\n\ndata: 2\n\n");
    expect(headersAt).toBeGreaterThan(50);
    expect(performance.now() - started).toBeGreaterThan(110);
  });

  it("breaks the connection after so many frames, without blaming the client", async () => {
    fake.respond("alpha", { frames: ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"], cutAfter: 2 });
    const response = await fetch(`${fake.url("alpha")}/chat/completions`, { method: "POST", body: "{}" });
    let read = "";
    const reading = (async () => {
      for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) read += piece;
    })();
    await expect(reading).rejects.toThrow();
    expect(read).toBe("data: 1\n\ndata: 2\n\n");
    expect(fake.requests[0]?.closedEarly).toBe(false);
  });

  it("hangs after so many frames until the client leaves, and says when", async () => {
    fake.respond("alpha", { text: "one two three", hangAfter: 2 });
    const stream = await openai.chat.completions.create({ model: "gpt-4o", messages, stream: true });
    const leftAt = Date.now();
    stream.controller.abort();
    const request = await fake.waitFor(({ closedEarly }) => closedEarly);
    expect(request.closedAtMs).toBeGreaterThanOrEqual(leftAt);
  });

  it("never answers until the client leaves", async () => {
    fake.respond("gamma", { neverAnswer: true });
    const leaving = new AbortController();
    const asked = fetch(`${fake.url("gamma")}/models/x:generateContent`, {
      method: "POST",
      body: "{}",
      signal: leaving.signal,
    });
    const left = expect(asked).rejects.toThrow();
    await fake.waitFor(({ kind }) => kind === "gamma");
    leaving.abort();
    await left;
    await fake.waitFor(({ kind, closedEarly }) => kind === "gamma" && closedEarly);
  });

  it("answers with an error that names the fake when its script cannot be written to the wire", async () => {
    fake.respond("beta", { toolCalls: [{ name: "broken", arguments: "{" }] });
    await expect(askAnthropic(false)).rejects.toThrow(/fake provider: SyntaxError/);
  });
});

describe("between requests, the fake", () => {
  it("keeps method, path, headers and parsed body of each request", async () => {
    await askOpenai(false);
    expect(fake.requests).toHaveLength(1);
    expect(fake.requests[0]).toMatchObject({
      kind: "alpha",
      endpoint: "chat",
      method: "POST",
      path: "/chat/completions",
      headers: { authorization: "Bearer sk-test" },
      body: { model: "gpt-4o", messages },
      closedEarly: false,
    });
  });

  it("tells the generating calls, all or of one kind, from other requests", async () => {
    await fetch(`${fake.url("alpha")}/models`);
    await askOpenai(false);
    await askAnthropic(false);
    expect(fake.chats().map(({ kind }) => kind)).toEqual(["alpha", "beta"]);
    expect(fake.chats("beta")).toEqual([fake.requests[2]]);
  });

  it("answers several replies in turn, the last one for ever, and functions per request", async () => {
    fake.respond("alpha", [{ text: "first" }, ({ path }) => ({ text: `then ${path}` })]);
    const texts = [];
    for (let turn = 0; turn < 3; turn += 1) texts.push((await askOpenai(false)).choices[0]?.message.content);
    expect(texts).toEqual(["first", "then /chat/completions", "then /chat/completions"]);
  });
});
