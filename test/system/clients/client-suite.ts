/**
 * Tests that every official client of either dialect has to pass, and the service they run against: tools over two
 * turns, and leaving. Registers vitest's hooks and tests; answers and errors are tested by each dialect's own file.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { FakeScript } from "../../support/fake-provider.ts";
import { type Caller, type Gateway, type Payer, payers, startGateway } from "../../support/gateway.ts";
import { type ClientDriver, type Target, weatherTool } from "./client-driver.ts";

export const modes = [
  { mode: "JSON", stream: false },
  { mode: "a stream", stream: true },
];

export const answered: FakeScript = {
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

/** One service for a file of tests, whose fake provider forgets its script and its requests between them. */
export function useGateway() {
  let gateway: Gateway;
  let account: Caller;
  beforeAll(async () => {
    gateway = await startGateway();
    account = await gateway.newCaller(100_000_000);
  });
  beforeEach(() => gateway.provider.reset());
  afterAll(() => gateway?.stop());
  return {
    get gateway() {
      return gateway;
    },
    get provider() {
      return gateway.provider;
    },
    targetOf: (payer: Payer, fields: Partial<Target> = {}): Target => ({
      baseUrl: gateway.baseUrl,
      apiKey: account.apiKey,
      model: payer.model,
      headers: payer.headers,
      ...fields,
    }),
  };
}
type ClientBench = ReturnType<typeof useGateway>;

/** `reasoning`: what the model thinks before it calls. */
export function testTools(client: ClientDriver, payer: Payer, bench: ClientBench, reasoning = ""): void {
  test.each(modes)("reads parallel tool calls in $mode", async ({ stream }) => {
    bench.provider.respond(payer.kind, called);
    const { calls, finish, text } = await client.ask(bench.targetOf(payer), stream);
    expect(calls).toEqual(cities.map((city) => ({ name: weatherTool.name, arguments: city })));
    expect([finish, text]).toEqual([client.finishes.toolCalls, called.text]);
  });

  test.each(modes)("runs parallel tools over two turns in $mode", async ({ stream }) => {
    bench.provider.respond(payer.kind, [{ ...called, reasoning }, { text: "Clear in both." }]);
    expect(await client.runTools(bench.targetOf(payer), stream)).toBe("Clear in both.");
    const turns = bench.provider.chats(payer.kind).map(({ body }) => JSON.stringify(body));
    expect(turns).toHaveLength(2);
    for (const { city } of cities) {
      // As the provider's own field or inside the text of one: quotes may be escaped.
      const result = new RegExp(`\\\\*"city\\\\*":\\\\*"${city}\\\\*",\\\\*"sky\\\\*":\\\\*"clear\\\\*"`);
      expect(turns[0]).not.toMatch(result);
      expect(turns[1]).toMatch(result);
    }
    // No id or seal of the service's own reaches a provider.
    expect(turns[1]).not.toMatch(/toolu_svc|svc1\./);
  });
}

/** `silent`: the client ends a stream that it aborted without an error. */
export function testLeaving(client: ClientDriver, bench: ClientBench, { silent = false } = {}): void {
  const unfinished: FakeScript = { text: "one two three four five six", hangAfter: 5 };
  const cases = payers.flatMap((payer) => modes.map((mode) => ({ ...mode, payer, name: payer.name })));

  describe("leaving", () => {
    test.each(cases)(
      "$mode with $name: the provider is told, and the hold is gone",
      async ({ payer, stream }) => {
        const leaver = await bench.gateway.newCaller(10_000_000);
        bench.provider.respond(payer.kind, stream ? unfinished : { neverAnswer: true });
        const abort = new AbortController();
        const { promise: firstText, resolve: heard } = Promise.withResolvers<void>();
        const target = bench.targetOf(payer, { apiKey: leaver.apiKey });
        const left = client.leave(target, stream, abort.signal, heard).then(
          () => undefined,
          (error: unknown) => error,
        );
        const sent = await bench.provider.waitFor(
          ({ kind, endpoint }) => kind === payer.kind && endpoint === "chat",
        );
        if (stream) await firstText;
        expect((await leaver.account())?.openHolds).toBe(1);

        abort.abort();
        const said = await left;
        if (!silent || !stream) expect(String(said)).toMatch(/abort/i);
        await expect.poll(() => sent.closedEarly).toBe(true);
        await leaver.untilSettled();
        const { balanceMicro, availableMicro } = (await leaver.account())!;
        const [charge, ...others] = await leaver.charges();
        expect(others).toEqual([]);
        expect(charge).toMatchObject({ outcome: "client_left" });
        expect(charge!.amountMicro).toBeLessThan(0);
        const rest = 10_000_000 + charge!.amountMicro;
        expect([balanceMicro, availableMicro]).toEqual([rest, rest]);
      },
    );
  });
}
