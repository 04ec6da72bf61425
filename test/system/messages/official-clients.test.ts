// Anthropic's client and the two most used ones on its API, unpatched, against the whole service: every
// provider kind, whole and streamed, tools over two turns, errors in the clients' own classes, and leaving.
import { describe, expect, test } from "vitest";
import { payers } from "../../support/gateway.ts";
import { weatherTool } from "../clients/client-driver.ts";
import { answered, modes, testLeaving, testTools, useGateway } from "../clients/client-suite.ts";
import { aiSdkDriver } from "./ai-sdk-driver.ts";
import { anthropicDriver, connect } from "./anthropic-driver.ts";
import { langchainDriver } from "./langchain-driver.ts";

const bench = useGateway();
const { targetOf } = bench;

const drivers = [anthropicDriver, aiSdkDriver, langchainDriver];
describe.each(drivers)("$name", (client) => {
  describe.each(payers)("with $name", (payer) => {
    // Anthropic counts thinking inside the output without a figure of its own in the fake's answers.
    const reasoningTokens = payer.kind === "beta" ? 0 : 8;

    test.each(modes)("reads $mode: text, reasoning, finish and tokens", async ({ stream }) => {
      bench.provider.respond(payer.kind, answered);
      const { reasoning, usage, ...answer } = await client.ask(targetOf(payer), stream);
      expect(answer).toEqual({ text: answered.text, finish: client.finishes.stop, calls: [] });
      expect(reasoning).toBe(answered.reasoning);
      if (client === langchainDriver) {
        // LangChain adds the counts of message_start and message_delta, although the latter are sums: a stream's usage is wrong. It does
        // not count thinking.
        if (!stream) expect(usage).toMatchObject({ input: 120, output: 40, total: 160, cached: 100 });
      } else {
        expect(usage).toEqual({
          input: 120,
          output: 40,
          total: 160,
          cached: 100,
          reasoning: reasoningTokens,
        });
      }
      expect(bench.provider.chats(payer.kind)).toHaveLength(1);
    });

    testTools(client, payer, bench, "Two calls.");
  });

  test.each(modes)(
    "carries Gemini's thought signature to the second turn in $mode (failures 21)",
    async ({ stream }) => {
      const gamma = payers.find(({ kind }) => kind === "gamma")!;
      const part = (parts: object[], more: object = {}) =>
        `data: ${JSON.stringify({ candidates: [{ content: { role: "model", parts }, index: 0, ...more }] })}\r\n\r\n`;
      const sealed = {
        functionCall: { name: weatherTool.name, args: { city: "Bern" } },
        thoughtSignature: "Z2VtaW5p",
      };
      bench.provider.respond("gamma", [
        {
          frames: [
            part([{ text: "Bern is meant.", thought: true }]),
            part([sealed], { finishReason: "STOP" }),
          ],
        },
        { text: "Clear." },
      ]);
      expect(await client.runTools(targetOf(gamma), stream)).toBe("Clear.");
      const [, second] = bench.provider.chats("gamma");
      expect((second!.body as { contents: unknown[] }).contents[1]).toMatchObject({
        role: "model",
        parts: [{ functionCall: { args: { city: "Bern" } }, thoughtSignature: "Z2VtaW5p" }],
      });
    },
  );

  test.each(modes)(
    "carries the aggregator's sealed reasoning to the second turn in $mode (failures 20)",
    async ({ stream }) => {
      const router = payers.find(({ kind }) => kind === "router")!;
      const chunk = (delta: object, finish_reason: string | null = null) =>
        `data: ${JSON.stringify({ id: "g", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
      const details = [
        {
          type: "reasoning.text",
          text: "Bern.",
          signature: "Y2xhdWRl",
          format: "anthropic-claude-v1",
          index: 0,
        },
        {
          type: "reasoning.encrypted",
          data: "b3BlbmFp",
          id: "rs_1",
          format: "openai-responses-v1",
          index: 1,
        },
      ];
      const call = {
        id: "functions.get_weather:0",
        type: "function",
        function: { name: weatherTool.name, arguments: '{"city":"Bern"}' },
      };
      bench.provider.respond("router", [
        {
          frames: [
            chunk({ reasoning_details: details }),
            chunk({ tool_calls: [{ index: 0, ...call }] }),
            chunk({}, "tool_calls"),
            "data: [DONE]\n\n",
          ],
        },
        { text: "Clear." },
      ]);
      expect(await client.runTools(targetOf(router), stream)).toBe("Clear.");
      const [, again] = bench.provider.chats("router");
      const [, assistant, result] = (again!.body as { messages: Record<string, unknown>[] }).messages.filter(
        ({ role }) => role !== "system",
      );
      expect(assistant).toMatchObject({ reasoning_details: details, tool_calls: [call] });
      expect(result).toMatchObject({ role: "tool", tool_call_id: call.id });
    },
  );

  describe("errors", () => {
    const pool = payers.find(({ name }) => name === "pool")!;
    const ownBeta = payers.find(({ kind }) => kind === "beta")!;
    const classOf = (name: string) => (client === aiSdkDriver ? "AI_APICallError" : name);

    test("401 for a key that is none, in one sentence that says what to do", async () => {
      const failure = await client.fail(targetOf(pool, { apiKey: "svc_sk_live_wrong" }));
      expect(failure.status).toBe(401);
      expect(failure.className).toBe(classOf("AuthenticationError"));
      expect(failure.error).toMatchObject({ type: "authentication_error" });
      expect(failure.message).toMatch(/API key/);
      expect(failure.message).not.toContain("svc_sk_live_wrong");
      expect(bench.provider.requests).toEqual([]);
    });

    test.each(modes)("402 before any model call, with both amounts ($mode)", async ({ stream }) => {
      const poor = await bench.gateway.newCaller(10);
      const failure = await client.fail(targetOf(pool, { apiKey: poor.apiKey }), { stream });
      expect(failure.status).toBe(402);
      expect(failure.error).toMatchObject({ type: "billing_error", available_credits: 0.000_01 });
      expect(bench.provider.chats("router")).toEqual([]);
    });

    test("404 for a model that is not in the catalogue", async () => {
      const failure = await client.fail(targetOf(pool, { model: "svc-x1ac-base-gpt-none" }));
      expect(failure.status).toBe(404);
      expect(failure.className).toBe(classOf("NotFoundError"));
      expect(failure.error).toMatchObject({ type: "not_found_error" });
    });

    test("400 for a value out of range, naming the field", async () => {
      const failure = await client.fail(targetOf(pool), { invalid: true });
      expect(failure.status).toBe(400);
      expect(failure.className).toBe(classOf("BadRequestError"));
      expect(failure.error).toMatchObject({ type: "invalid_request_error" });
      expect(failure.message).toMatch(/temperature|top_p/);
    });

    test.each(modes)("429 of the provider, with its Retry-After ($mode)", async ({ stream }) => {
      bench.provider.respond("beta", { status: 429, headers: { "retry-after": "7" }, text: "Slow down" });
      const failure = await client.fail(targetOf(ownBeta), { stream });
      expect(failure.status).toBe(429);
      expect(failure.className).toBe(classOf("RateLimitError"));
      expect(failure.error).toMatchObject({ type: "rate_limit_error" });
      expect(failure.retryAfter).toBe("7");
      expect(bench.provider.chats("beta")).toHaveLength(1);
    });

    test("502 overloaded_error where Anthropic says 529", async () => {
      bench.provider.respond("beta", { status: 529, headers: { "retry-after": "9" } });
      const failure = await client.fail(targetOf(ownBeta));
      expect(failure.status).toBe(502);
      expect(failure.error).toMatchObject({ type: "overloaded_error" });
    });

    test.each(payers)(
      "an error after the first words of a stream is an error ($name; failures 18)",
      async (payer) => {
        bench.provider.respond(payer.kind, { ...answered, reasoning: "", frameDelayMs: 60, cutAfter: 4 });
        const failure = await client.fail(targetOf(payer), { stream: true });
        expect(failure.message).toMatch(/complete|broke/);
      },
    );
  });

  testLeaving(client, bench);
});

describe("@anthropic-ai/sdk beyond the others", () => {
  const image = { type: "base64" as const, media_type: "image/png" as const, data: "iVBORw0KGgo=" };
  test.each(payers)("an image and a document reach $name", async (payer) => {
    const message = await connect(targetOf(payer)).messages.create({
      model: payer.model,
      max_tokens: 100,
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: image },
            {
              type: "document",
              source: { type: "text", media_type: "text/plain", data: "The sky is clear." },
            },
            { type: "text", text: "What do you see?" },
          ],
        },
      ],
    });
    expect(message.content[0]).toMatchObject({ type: "text" });
    const sent = JSON.stringify(bench.provider.chats(payer.kind)[0]?.body);
    expect(sent).toContain("iVBORw0KGgo=");
    // Gemini takes text files as base64.
    expect(sent).toMatch(/The sky is clear\.|VGhlIHNreSBpcyBjbGVhci4=/);
  });

  test("the request id is where the client looks for it, plan and bill in headers", async () => {
    const pool = payers.find(({ name }) => name === "pool")!;
    bench.provider.respond("router", answered);
    const { data, response } = await connect(targetOf(pool))
      .messages.create({ model: pool.model, max_tokens: 100, messages: [{ role: "user", content: "Hi" }] })
      .withResponse();
    expect((data as { _request_id?: string })._request_id).toBe(response.headers.get("x-request-id"));
    expect(Number(response.headers.get("x-svc-credits-charged"))).toBeGreaterThan(0);
    expect(response.headers.get("x-svc-plan")).toBeTruthy();
  });

  test.each(payers)("tokens are counted with $name", async (payer) => {
    const { input_tokens: tokens } = await connect(targetOf(payer)).messages.countTokens({
      model: payer.model,
      messages: [{ role: "user", content: "How many tokens are these?" }],
    });
    expect(tokens).toBeGreaterThan(3);
  });
});

test("the ledger is sound after all of it", async () => {
  expect(await bench.gateway.checkLedger()).toMatchObject({ ok: true });
});
