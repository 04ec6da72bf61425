// The official clients, unpatched, against the whole service: every provider kind, whole and streamed, tools
// over two turns, errors in the client's own classes, and what happens when the client leaves.
import { describe, expect, test } from "vitest";
import type { FakeScript } from "../../support/fake-provider.ts";
import { payers } from "../../support/gateway.ts";
import { aiSdkDriver } from "./ai-sdk-driver.ts";
import { answered, modes, testLeaving, testTools, useGateway } from "./client-suite.ts";
import { langchainDriver } from "./langchain-driver.ts";
import { openaiDriver } from "./openai-driver.ts";

const bench = useGateway();
const { targetOf } = bench;

const drivers = [openaiDriver, aiSdkDriver, langchainDriver];
describe.each(drivers)("$name", (client) => {
  describe.each(payers)("with $name", (payer) => {
    // Anthropic counts thinking inside the output without a figure of its own in the fake's answers.
    const reasoningTokens = payer.kind === "beta" ? 0 : 8;

    test.each(modes)("reads $mode: text, reasoning, finish and every token count", async ({ stream }) => {
      bench.provider.respond(payer.kind, answered);
      const { reasoning, ...answer } = await client.ask(targetOf(payer), stream);
      expect(answer).toEqual({
        text: answered.text,
        finish: client.finishes.stop,
        calls: [],
        usage: { input: 120, output: 40, total: 160, cached: 100, reasoning: reasoningTokens },
      });
      if (reasoning !== undefined) expect(reasoning).toBe(answered.reasoning);
      expect(bench.provider.chats(payer.kind)).toHaveLength(1);
    });

    testTools(client, payer, bench);
  });

  describe("errors", () => {
    const pool = payers.find(({ name }) => name === "pool")!;
    const ownAlpha = payers.find(({ kind }) => kind === "alpha")!;

    test("401 for a key that is none, in one sentence that says what to do", async () => {
      const failure = await client.fail(targetOf(pool, { apiKey: "svc_sk_live_wrong" }));
      expect(failure.status).toBe(401);
      expect(failure.className).toBe(client === aiSdkDriver ? "AI_APICallError" : "AuthenticationError");
      expect(failure.error).toMatchObject({ type: "authentication_error", code: "invalid_api_key" });
      expect(failure.message).toMatch(/API key/);
      expect(failure.message).not.toContain("svc_sk_live_wrong");
      expect(bench.provider.requests).toEqual([]);
    });

    test.each(modes)("401 for a provider key that the provider refuses, before $mode", async ({ stream }) => {
      bench.provider.respond("alpha", {
        status: 401,
        text: `Incorrect API key provided: ${ownAlpha.headers["x-alpha-key"]}`,
      });
      const failure = await client.fail(targetOf(ownAlpha), { stream });
      expect(failure.status).toBe(401);
      expect(failure.error).toMatchObject({ code: "invalid_provider_key" });
      expect(failure.message).toMatch(/alpha.*check your provider key/);
      expect(JSON.stringify(failure)).not.toContain(ownAlpha.headers["x-alpha-key"]);
    });

    test.each(modes)(
      "402 before any model call, with what is needed and what is there ($mode)",
      async ({ stream }) => {
        const poor = await bench.gateway.newCaller(10);
        const failure = await client.fail(targetOf(pool, { apiKey: poor.apiKey }), { stream });
        expect(failure.status).toBe(402);
        expect(failure.className).toBe(client === aiSdkDriver ? "AI_APICallError" : "APIError");
        expect(failure.error).toMatchObject({
          type: "insufficient_credits",
          code: "insufficient_credits",
          required_credits: expect.any(Number),
          available_credits: 0.000_01,
        });
        expect(failure.message).toMatch(/credits/);
        expect(bench.provider.chats()).toEqual([]);
      },
    );

    test("404 for a model that is not in the catalogue", async () => {
      const failure = await client.fail(targetOf(pool, { model: "svc-x1ac-base-gpt-none" }));
      expect(failure.status).toBe(404);
      expect(failure.className).toBe(client === aiSdkDriver ? "AI_APICallError" : "NotFoundError");
      expect(failure.error).toMatchObject({ type: "not_found_error", code: "model_not_found" });
      expect(failure.message).toMatch(/model/);
    });

    test("422 for a value out of range, naming the field", async () => {
      const failure = await client.fail(targetOf(pool), { invalid: true });
      expect(failure.status).toBe(422);
      expect(failure.className).toBe(client === aiSdkDriver ? "AI_APICallError" : "UnprocessableEntityError");
      expect(failure.error).toMatchObject({
        type: "validation_error",
        details: [expect.stringMatching(/temperature/)],
      });
      expect(failure.message).toMatch(/temperature/);
    });

    test.each(modes)("429 of the provider, with its Retry-After ($mode)", async ({ stream }) => {
      bench.provider.respond("alpha", { status: 429, headers: { "retry-after": "7" }, text: "Slow down" });
      const failure = await client.fail(targetOf(ownAlpha), { stream });
      expect(failure.status).toBe(429);
      expect(failure.className).toBe(client === aiSdkDriver ? "AI_APICallError" : "RateLimitError");
      expect(failure.error).toMatchObject({ type: "rate_limit_error", code: "upstream_rate_limited" });
      expect(failure.retryAfter).toBe("7");
      expect(failure.message).toMatch(/wait and retry/);
      expect(bench.provider.chats("alpha")).toHaveLength(1);
    });

    test("waits as long as Retry-After says and then gets its answer", async () => {
      const refused: FakeScript = { status: 429, headers: { "retry-after": "3" } };
      bench.provider.respond("alpha", [refused, answered]);
      const answer = await client.ask(targetOf(ownAlpha, { maxRetries: 2 }), false);
      expect(answer.text).toBe(answered.text);
      const [first, second, ...others] = bench.provider
        .chats("alpha")
        .map(({ receivedAtMs }) => receivedAtMs);
      expect(others).toEqual([]);
      // Without Retry-After the clients wait between half a second and two.
      expect(second! - first!).toBeGreaterThanOrEqual(2_950);
    });

    test.each(payers)("an error after the first words of a stream is an error ($name)", async (payer) => {
      bench.provider.respond(payer.kind, { ...answered, reasoning: "", frameDelayMs: 60, cutAfter: 4 });
      const failure = await client.fail(targetOf(payer), { stream: true });
      expect(failure.message).toMatch(/complete|broke/);
    });
  });

  // The openai client ends an aborted stream without a word; the others throw.
  testLeaving(client, bench, { silent: client === openaiDriver });
});

test("the ledger is sound after all of it", async () => {
  expect(await bench.gateway.checkLedger()).toMatchObject({ ok: true });
});
