// `models`, a field of ours, sent through each official client to the whole service: the first model is down and the next
// one answers, on the pool and on the caller's own keys.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { ownKeys } from "../../support/gateway.ts";
import { useGateway } from "./client-suite.ts";

const bench = useGateway();
const [first, second] = ["svc-x1ac-base-gpt-4o", "svc-x1ac-base-claude-sonnet-4-5"];
const models = { models: [second] };
const down = { status: 500 };
const messages = [{ role: "user" as const, content: "find me a flight to Oslo" }];

/** Every own key, so that each model goes to its own provider. */
const keys = Object.assign({}, ...ownKeys.map(({ headers }) => headers));

const connect = async (headers = keys) => {
  const { apiKey, ...caller } = await bench.gateway.newCaller(1_000_000);
  const openai = new OpenAI({
    apiKey,
    baseURL: bench.gateway.baseUrl,
    defaultHeaders: headers,
    maxRetries: 0,
  });
  const baseURL = bench.gateway.baseUrl.replace(/\/v1$/, "");
  const anthropic = new Anthropic({ apiKey, baseURL, defaultHeaders: headers, maxRetries: 0 });
  return { apiKey, caller, openai, anthropic };
};

describe("if the first model is down", () => {
  test("chat completions: the next one answers, whole and streamed, and the record names both", async () => {
    const { apiKey, openai } = await connect();
    bench.provider.respond("alpha", down);
    bench.provider.respond("beta", { text: "From Claude" });
    const body = { model: first!, messages, ...models };
    const completion = await openai.chat.completions.create(body);
    expect(completion).toMatchObject({
      model: first,
      choices: [{ message: { content: "From Claude" } }],
      svc: { execution_llm: expect.stringContaining("claude-sonnet-4-5"), key_source: "user" },
    });
    let text = "";
    const stream = await openai.chat.completions.create({ ...body, stream: true });
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
    expect(text).toBe("From Claude");
    const record = await fetch(`${bench.gateway.baseUrl}/generation?id=${completion.id}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    expect(await record.json()).toMatchObject({ data: { models_tried: [first, second] } });
  });

  test("responses: the next one answers", async () => {
    const { openai } = await connect();
    bench.provider.respond("alpha", down);
    bench.provider.respond("beta", { text: "From Claude" });
    const response = await openai.responses.create({ model: first!, input: "go", ...models });
    expect(response.output_text).toBe("From Claude");
    expect(response).toMatchObject({ svc: { execution_llm: expect.stringContaining("claude") } });
  });

  test("messages: the next one answers", async () => {
    const { anthropic } = await connect();
    bench.provider.respond("alpha", down);
    bench.provider.respond("beta", { text: "From Claude" });
    const request = { model: first!, max_tokens: 50, messages, ...models };
    const { data, response } = await anthropic.messages.create(request).withResponse();
    expect(data.content).toMatchObject([{ type: "text", text: "From Claude" }]);
    expect(response.headers.get("x-svc-execution-llm")).toContain("claude");
  });

  test("on the pool too, and only what ran is charged", async () => {
    const { caller, openai } = await connect({});
    const usage = { input: 20, output: 10 };
    bench.provider.respond("router", (request) =>
      (request.body as { model: string }).model === "openai/gpt-4o" ? down : { text: "From Claude", usage },
    );
    const model = "svc-x1ac-base-gpt-4o";
    const other = { models: ["svc-x1ac-base-anthropic/claude-3.7-sonnet"] };
    const completion = await openai.chat.completions.create({ model, messages, max_tokens: 50, ...other });
    expect(completion.choices[0]!.message.content).toBe("From Claude");
    await caller.untilSettled();
    const [charge] = await caller.charges();
    expect(charge).toMatchObject({
      executionLlm: "anthropic/claude-3.7-sonnet",
      inputTokens: 20,
      flag: null,
    });
    expect((completion as { usage?: { cost?: number } }).usage?.cost).toBe(-charge!.amountMicro / 1e6);
    expect(await bench.gateway.checkLedger()).toMatchObject({ ok: true });
  });

  test("with no other that answers it is the client's own error class", async () => {
    const { openai } = await connect();
    bench.provider.respond("alpha", down);
    bench.provider.respond("beta", { status: 429 });
    const failing = openai.chat.completions.create({ model: first!, messages, ...models });
    await expect(failing).rejects.toBeInstanceOf(OpenAI.RateLimitError);
  });
});
