// Typed answers and tools through the helpers of the AI SDK, with each of its APIs, and of the openai client, at every provider: the
// client itself checks the result against the caller's schema.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateObject, generateText, type LanguageModel, stepCountIs, streamObject, tool } from "ai";
import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { FakeRequest, FakeScript } from "../../support/fake-provider.ts";
import { ownKeys } from "../../support/gateway.ts";
import { useGateway } from "./client-suite.ts";

const bench = useGateway();
let apiKey: string;
beforeAll(async () => {
  ({ apiKey } = await bench.gateway.newCaller(100_000_000));
});

const trip = { city: "Oslo", stops: [{ name: "Bergen", nights: 2 }] };
const schema = z.object({
  city: z.string(),
  stops: z.array(z.object({ name: z.string(), nights: z.number() })),
});
const prompt = "Plan a trip";

/** As a model does: a type that comes as a tool is called, one that comes as a format is written. */
function answer({ body }: FakeRequest): FakeScript {
  const { tools } = body as { tools?: unknown };
  const [, name] = /"name":"(\w+)"(?=.*"stops")/.exec(JSON.stringify(tools ?? [])) ?? [];
  return name === undefined
    ? { text: JSON.stringify(trip, undefined, 1) }
    : { toolCalls: [{ id: "call_t", name, arguments: trip }] };
}

type Settings = { baseURL: string; apiKey: string; headers: Record<string, string> };
const ways: Readonly<Record<string, (settings: Settings, model: string) => LanguageModel>> = {
  "openai(...)": (settings, model) => createOpenAI(settings)(model),
  "openai.chat(...)": (settings, model) => createOpenAI(settings).chat(model),
  "@ai-sdk/anthropic": (settings, model) => createAnthropic(settings)(model),
  "@ai-sdk/openai-compatible": (settings, model) =>
    createOpenAICompatible({ ...settings, name: "svc", supportsStructuredOutputs: true })(model),
};

describe.each(ownKeys)("on $kind", ({ kind, model: name, headers }) => {
  const settings = () => ({ baseURL: bench.gateway.baseUrl, apiKey, headers });
  beforeEach(() => bench.provider.respond(kind, answer));

  describe.each(Object.entries(ways))("the AI SDK by %s", (_way, connect) => {
    const ask = () => ({ model: connect(settings(), name), maxOutputTokens: 1_000, maxRetries: 0, prompt });

    test("generateObject", async () => {
      expect((await generateObject({ ...ask(), schema })).object).toEqual(trip);
    });

    test("streamObject", async () => {
      const { partialObjectStream, object } = streamObject({ ...ask(), schema });
      const parts: unknown[] = [];
      for await (const part of partialObjectStream) parts.push(part);
      // A call of Gemini's comes whole.
      expect(parts.length).toBeGreaterThan(kind === "gamma" ? 0 : 1);
      expect(await object).toEqual(trip);
    });

    test("generateText with a tool", async () => {
      const book = tool({ inputSchema: schema, execute: async ({ city }) => `booked ${city}` });
      bench.provider.respond(kind, [
        { text: "One moment.", toolCalls: [{ id: "call_b", name: "book", arguments: trip }] },
        { text: "Have a good trip." },
      ]);
      const { text, steps } = await generateText({ ...ask(), tools: { book }, stopWhen: stepCountIs(3) });
      expect([text, steps.length]).toEqual(["Have a good trip.", 2]);
      expect(JSON.stringify(bench.provider.chats(kind)[1]!.body)).toContain("booked Oslo");
    });
  });

  describe("the openai client", () => {
    const client = () =>
      new OpenAI({ ...settings(), defaultHeaders: headers, maxRetries: 0, logLevel: "off" });

    test("chat.completions.parse", async () => {
      const response_format = zodResponseFormat(schema, "trip");
      const messages = [{ role: "user" as const, content: prompt }];
      const { choices } = await client().chat.completions.parse({ model: name, messages, response_format });
      expect(choices[0]!.message.parsed).toEqual(trip);
    });

    test("responses.parse", async () => {
      const text = { format: zodTextFormat(schema, "trip") };
      const { output_parsed: parsed } = await client().responses.parse({ model: name, input: prompt, text });
      expect(parsed).toEqual(trip);
    });
  });
});
