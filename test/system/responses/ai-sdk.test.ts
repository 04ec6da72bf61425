// The AI SDK's default model, `openai(...)`, as it comes: it speaks the Responses API, believes that answers are stored
// and refers to their items by id. Three turns with tools, streamed and not, and typed objects, on three wires.
import { createOpenAI } from "@ai-sdk/openai";
import { generateObject, generateText, type ModelMessage, stepCountIs, streamText, tool } from "ai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { FakeRequest } from "../../support/fake-provider.ts";
import { type Caller, type Gateway, ownKeys, startGateway } from "../../support/gateway.ts";

let gateway: Gateway;
let caller: Caller;
beforeAll(async () => {
  gateway = await startGateway();
  caller = await gateway.newCaller(1_000_000_000);
});
afterAll(() => gateway?.stop());

const tools = {
  weather: tool({
    description: "The weather in a city",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `${city}: sunny`,
  }),
};

/** A call, then words that only the second answer has. */
const script = [
  {
    reasoning: "I should look.",
    text: "Let me look.",
    toolCalls: [{ id: "call_w1", name: "weather", arguments: { city: "Oslo" } }],
  },
  { text: "It is sunny in Oslo." },
  { text: "You are welcome." },
];

const sentTexts = (request: FakeRequest | undefined) => JSON.stringify(request?.body);

describe.each(ownKeys)("openai(...) on $kind", ({ kind, model, headers }) => {
  const connect = () => createOpenAI({ baseURL: gateway.baseUrl, apiKey: caller.apiKey, headers })(model);

  const turns = async (
    ask: (messages: ModelMessage[]) => Promise<{ text: string; messages: ModelMessage[] }>,
  ) => {
    gateway.provider.reset();
    gateway.provider.respond(kind, [...script]);
    const messages: ModelMessage[] = [{ role: "user", content: "Weather in Oslo?" }];
    const first = await ask(messages);
    expect(first.text).toBe("It is sunny in Oslo.");
    messages.push(...first.messages, { role: "user", content: "Thanks" });
    const second = await ask(messages);
    expect(second.text).toBe("You are welcome.");
    const prompts = gateway.provider.chats();
    expect(prompts).toHaveLength(3);
    // What the model said in the first turn reached it again in the second and third.
    expect(sentTexts(prompts[1])).toContain("Let me look.");
    expect(sentTexts(prompts[1])).toContain("Oslo: sunny");
    expect(sentTexts(prompts[2])).toContain("It is sunny in Oslo.");
  };

  test("generateText: tools and turns", () =>
    turns(async (messages) => {
      const answer = await generateText({ model: connect(), messages, tools, stopWhen: stepCountIs(4) });
      return { text: answer.text, messages: answer.response.messages };
    }));

  test("streamText: tools and turns", () =>
    turns(async (messages) => {
      const errors: unknown[] = [];
      const answer = streamText({
        model: connect(),
        messages,
        tools,
        stopWhen: stepCountIs(4),
        onError: ({ error }) => void errors.push(error),
      });
      const text = await answer.text;
      expect(errors).toEqual([]);
      return { text, messages: (await answer.response).messages };
    }));

  test("generateObject", async () => {
    gateway.provider.respond(kind, { text: '{"city":"Oslo"}' });
    const schema = z.object({ city: z.string() });
    const { object } = await generateObject({ model: connect(), schema, prompt: "Which city?" });
    expect(object).toEqual({ city: "Oslo" });
  });

  test("a failure in the middle is an error of the stream", async () => {
    gateway.provider.respond(kind, { text: "One two three four", cutAfter: 4 });
    const errors: unknown[] = [];
    const answer = streamText({
      model: connect(),
      prompt: "Count",
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    });
    for await (const _part of answer.fullStream);
    expect(errors).toHaveLength(1);
  });
});
