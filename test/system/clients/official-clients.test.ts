// The official clients, unpatched, against the whole service: every provider kind, whole and streamed, tools
// over two turns, errors in the client's own classes, and what happens when the client leaves.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ProviderKind } from "../../../shared/chat.ts";
import type { FakeProvider, FakeRequest, FakeScript } from "../../support/fake-provider.ts";
import { type Gateway, type Payer, payers, startGateway, type TestAccount } from "../../support/gateway.ts";
import { aiSdkDriver } from "./ai-sdk-driver.ts";
import { type Target, weatherTool } from "./client-driver.ts";
import { langchainDriver } from "./langchain-driver.ts";
import { openaiDriver } from "./openai-driver.ts";

let gateway: Gateway;
let provider: FakeProvider;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startGateway();
  provider = gateway.provider;
  account = await gateway.createAccount(100);
});
beforeEach(() => provider.reset());
afterAll(() => gateway?.stop());

const targetOf = (payer: Payer, fields: Partial<Target> = {}): Target => ({
  baseUrl: gateway.baseUrl,
  apiKey: account.apiKey,
  model: payer.model,
  headers: payer.headers,
  ...fields,
});

const answered: FakeScript = {
  text: "Grüße aus Zürich, 世界 👋!",
  reasoning: "Two cities are meant.",
  usage: { input: 120, output: 40, cachedInput: 100, reasoning: 8 },
};
const cities = [{ city: "Zürich" }, { city: "Bern" }];
const called: FakeScript = {
  text: "Let me look.",
  toolCalls: cities.map((city) => ({ name: weatherTool.name, arguments: city })),
  usage: { input: 80, output: 30 },
};

const chatRequests = (kind: ProviderKind): FakeRequest[] =>
  provider.requests.filter((request) => request.kind === kind && request.endpoint === "chat");

const drivers = [openaiDriver, aiSdkDriver, langchainDriver];
const modes = [
  { mode: "JSON", stream: false },
  { mode: "a stream", stream: true },
];

describe.each(drivers)("$name", (client) => {
  describe.each(payers)("with $name", (payer) => {
    // Anthropic counts thinking inside the output without a figure of its own in the fake's answers.
    const reasoningTokens = payer.kind === "beta" ? 0 : 8;

    test.each(modes)("reads $mode: text, reasoning, finish and every token count", async ({ stream }) => {
      provider.respond(payer.kind, answered);
      const { reasoning, ...answer } = await client.ask(targetOf(payer), stream);
      expect(answer).toEqual({
        text: answered.text,
        finish: client.finishes.stop,
        calls: [],
        usage: { input: 120, output: 40, total: 160, cached: 100, reasoning: reasoningTokens },
      });
      if (reasoning !== undefined) expect(reasoning).toBe(answered.reasoning);
      expect(chatRequests(payer.kind)).toHaveLength(1);
    });

    test.each(modes)("reads parallel tool calls in $mode", async ({ stream }) => {
      provider.respond(payer.kind, called);
      const { calls, finish, text } = await client.ask(targetOf(payer), stream);
      expect(calls).toEqual(cities.map((city) => ({ name: weatherTool.name, arguments: city })));
      expect([finish, text]).toEqual([client.finishes.toolCalls, called.text]);
    });

    test.each(modes)("runs parallel tools over two turns in $mode", async ({ stream }) => {
      provider.respond(payer.kind, [called, { text: "Clear in both." }]);
      expect(await client.runTools(targetOf(payer), stream)).toBe("Clear in both.");
      const turns = chatRequests(payer.kind).map(({ body }) => JSON.stringify(body));
      expect(turns).toHaveLength(2);
      for (const { city } of cities) {
        // As the provider's own field or inside the text of one: quotes may be escaped.
        const result = new RegExp(`\\\\*"city\\\\*":\\\\*"${city}\\\\*",\\\\*"sky\\\\*":\\\\*"clear\\\\*"`);
        expect(turns[0]).not.toMatch(result);
        expect(turns[1]).toMatch(result);
      }
    });
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
      expect(provider.requests).toEqual([]);
    });

    test.each(modes)("401 for a provider key that the provider refuses, before $mode", async ({ stream }) => {
      provider.respond("alpha", { status: 401, text: "Incorrect API key provided: sk-test-alpha" });
      const failure = await client.fail(targetOf(ownAlpha), { stream });
      expect(failure.status).toBe(401);
      expect(failure.error).toMatchObject({ code: "invalid_provider_key" });
      expect(failure.message).toMatch(/alpha.*check the key/);
      expect(JSON.stringify(failure)).not.toContain("sk-test-alpha");
    });

    test.each(modes)(
      "402 before any model call, with what is needed and what is there ($mode)",
      async ({ stream }) => {
        const poor = await gateway.createAccount(0.000_01);
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
        expect(provider.requests.filter(({ endpoint }) => endpoint === "chat")).toEqual([]);
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
      provider.respond("alpha", { status: 429, headers: { "retry-after": "7" }, text: "Slow down" });
      const failure = await client.fail(targetOf(ownAlpha), { stream });
      expect(failure.status).toBe(429);
      expect(failure.className).toBe(client === aiSdkDriver ? "AI_APICallError" : "RateLimitError");
      expect(failure.error).toMatchObject({ type: "rate_limit_error", code: "upstream_rate_limited" });
      expect(failure.retryAfter).toBe("7");
      expect(failure.message).toMatch(/wait and retry/);
      expect(chatRequests("alpha")).toHaveLength(1);
    });

    test("waits as long as Retry-After says and then gets its answer", async () => {
      const refused: FakeScript = { status: 429, headers: { "retry-after": "3" } };
      provider.respond("alpha", [refused, answered]);
      const answer = await client.ask(targetOf(ownAlpha, { maxRetries: 2 }), false);
      expect(answer.text).toBe(answered.text);
      const [first, second, ...others] = chatRequests("alpha").map(({ receivedAtMs }) => receivedAtMs);
      expect(others).toEqual([]);
      // Of their own accord the clients wait between half a second and two.
      expect(second! - first!).toBeGreaterThanOrEqual(2_950);
    });

    test.each(payers)("an error after the first words of a stream is an error ($name)", async (payer) => {
      provider.respond(payer.kind, { ...answered, reasoning: "", frameDelayMs: 60, cutAfter: 4 });
      const failure = await client.fail(targetOf(payer), { stream: true });
      expect(failure.message).toMatch(/complete|broke/);
    });
  });

  describe("leaving", () => {
    const silent: FakeScript = { text: "one two three four five six", hangAfter: 5 };
    const cases = payers.flatMap((payer) => modes.map((mode) => ({ ...mode, payer, name: payer.name })));

    test.each(cases)(
      "$mode with $name: the provider is told within 1 s, and the hold is gone",
      async ({ payer, stream }) => {
        const leaver = await gateway.createAccount(10);
        provider.respond(payer.kind, stream ? silent : { neverAnswer: true });
        const abort = new AbortController();
        let heard: (() => void) | undefined;
        const firstText = new Promise<void>((resolve) => {
          heard = resolve;
        });
        const left = client
          .leave(targetOf(payer, { apiKey: leaver.apiKey }), stream, abort.signal, () => heard?.())
          .then(
            () => undefined,
            (error: unknown) => error,
          );
        const sent = await provider.waitFor(
          ({ kind, endpoint }) => kind === payer.kind && endpoint === "chat",
        );
        if (stream) await firstText;
        else await sleep(50);
        expect((await leaver.show()).open_holds).toBe(1);

        const leftAtMs = Date.now();
        abort.abort();
        // The openai client ends an aborted stream without a word; the others throw.
        const said = await left;
        if (client !== openaiDriver || !stream) expect(String(said)).toMatch(/abort/i);
        await expect.poll(() => sent.closedEarly, { timeout: 2_000, interval: 10 }).toBe(true);
        expect(sent.closedAtMs! - leftAtMs).toBeLessThan(1_000);

        await expect.poll(async () => (await leaver.show()).open_holds, { timeout: 5_000 }).toBe(0);
        const { balance, available } = await leaver.show();
        const [charge, ...others] = await leaver.charges();
        expect(others).toEqual([]);
        expect(charge).toMatchObject({ outcome: "client_left" });
        expect(charge!.amount).toBeLessThan(0);
        expect([balance, available]).toEqual([10 + charge!.amount, 10 + charge!.amount]);
      },
    );
  });
});

test("the ledger is sound after all of it", async () => {
  expect(await gateway.ledgerIsSound()).toBe(true);
});
