// A client leaves while its provider is silent: no write to the client fails, so only its closed connection tells of it. Through the
// relay and workerd, observed at the provider's socket.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { FakeScript } from "../../support/fake-provider.ts";
import {
  type Caller,
  type Gateway,
  hello,
  ownKeys,
  readDeltas,
  startGateway,
} from "../../support/gateway.ts";
import { least } from "../../support/least-ms.ts";

/** Bound, in milliseconds after the client left, for the provider's socket to be closed and the charge to be made. */
const closedWithinMs = 1_000;
const credit = 1_000_000;
const words = "one two three four five six seven eight nine ten";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.stop());
afterEach(() => gateway.provider.reset());

const answered = () => gateway.provider.waitFor(({ endpoint }) => endpoint === "chat");

/** Leaves, and waits until the provider's side of the connection has closed. @returns after how many ms */
async function leave(leaving: AbortController): Promise<number> {
  const leftAtMs = Date.now();
  leaving.abort();
  const { closedAtMs } = await gateway.provider.waitFor(({ closedEarly }) => closedEarly);
  return closedAtMs! - leftAtMs;
}

/** The one charge of a caller, once it is there; nothing of the hold is left. */
async function readCharge(caller: Caller) {
  await caller.untilSettled();
  const [charge, ...more] = await caller.charges();
  expect(more).toEqual([]);
  expect((await caller.account())!.balanceMicro).toBe(credit + charge!.amountMicro);
  return charge!;
}

describe("a client that leaves a stream whose provider has gone silent", () => {
  test("on the pool: provider closed within 1 s, at least the produced tokens charged at once, hold gone (failures 1, 5, 31, 32)", async () => {
    const leaveOnce = async (): Promise<number> => {
      gateway.provider.reset();
      const caller = await gateway.newCaller(credit);
      gateway.provider.respond("router", { text: words, hangAfter: 6 });
      const leaving = new AbortController();
      const response = await caller.chat({ ...hello, stream: true }, { signal: leaving.signal });
      await readDeltas(response, 5);
      const leftAtMs = Date.now();
      const closedMs = await leave(leaving);
      const charge = await readCharge(caller);
      expect(charge).toMatchObject({ outcome: "client_left", flag: "usage_missing", keySource: "pool" });
      expect(charge.outputTokens).toBeGreaterThanOrEqual(5);
      // By our own count: a Worker lives 30 s after its client, too short to drain the provider for its report.
      return Math.max(closedMs, charge.createdAt - leftAtMs);
    };
    expect(await least(closedWithinMs, leaveOnce)).toBeLessThan(closedWithinMs);
  });

  test.each(ownKeys)(
    "on a key of $kind: provider closed within 1 s, planning charged, hold gone",
    async ({ kind, model, headers }) => {
      const leaveOnce = async (): Promise<number> => {
        gateway.provider.reset();
        const caller = await gateway.newCaller(credit);
        gateway.provider.respond(kind, { text: words, hangAfter: 4 });
        const leaving = new AbortController();
        const response = await caller.chat(
          { ...hello, model, stream: true },
          { headers, signal: leaving.signal },
        );
        await readDeltas(response, 2);
        const closedMs = await leave(leaving);
        const charge = await readCharge(caller);
        expect(charge).toMatchObject({ outcome: "client_left", keySource: "user", provider: kind });
        expect(charge.amountMicro).toBeLessThan(0);
        return closedMs;
      };
      expect(await least(closedWithinMs, leaveOnce)).toBeLessThan(closedWithinMs);
    },
  );

  test("after a report of no usage: charged for planning alone (failures 2)", async () => {
    const caller = await gateway.newCaller(credit);
    const chunk = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });
    const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    gateway.provider.replay(
      "router",
      // In the chunk of the last word: once that has come to the caller, the report has been read.
      [chunk("one"), { ...chunk(" two"), usage }].map((one) => JSON.stringify(one)),
      { hangAfter: 2 },
    );
    const leaving = new AbortController();
    const response = await caller.chat({ ...hello, stream: true }, { signal: leaving.signal });
    await readDeltas(response, 2);
    await leave(leaving);
    const charge = await readCharge(caller);
    expect(charge).toMatchObject({ outcome: "client_left", flag: null, inputTokens: 0, outputTokens: 0 });
    expect(charge.planningTokens).toBeGreaterThan(0);
    expect(-charge.amountMicro).toBe(Math.ceil(charge.planningTokens! * 0.1 * 1.25));
  });

  test("under a model's older name: priced as the model that ran (failures 3)", async () => {
    const caller = await gateway.newCaller(credit);
    gateway.provider.respond("router", { text: words, hangAfter: 6 });
    const leaving = new AbortController();
    const older = { ...hello, model: "svc-x1ac-base-gpt-4o-mini-2024-07-18", stream: true };
    const response = await caller.chat(older, { signal: leaving.signal });
    await readDeltas(response, 5);
    await leave(leaving);
    const charge = await readCharge(caller);
    expect(charge).toMatchObject({ model: older.model, executionLlm: "openai/gpt-4o-mini" });
    expect(charge.prices).toMatchObject({ llm: { input: 150_000, output: 600_000 } });
    expect(charge.amountMicro).toBeLessThan(0);
  });
});

describe("a client that leaves a JSON request", () => {
  const silent: [string, FakeScript, number][] = [
    ["before the provider answers", { neverAnswer: true }, 0],
    ["while the provider is silent in mid-answer", { text: words, hangAfter: 6 }, 5],
  ];
  test.each(silent)(
    "%s: provider closed, charged once, hold gone (failures 4)",
    async (_name, script, tokens) => {
      const leaveAfter = async (waitMs: number) => {
        gateway.provider.reset();
        const caller = await gateway.newCaller(credit);
        gateway.provider.respond("router", script);
        const leaving = new AbortController();
        const pending = caller.chat(hello, { signal: leaving.signal }).catch(() => undefined);
        await answered();
        await sleep(waitMs);
        await leave(leaving);
        expect(await pending).toBeUndefined();
        const charge = await readCharge(caller);
        expect(charge).toMatchObject({ outcome: "client_left", flag: "usage_missing" });
        expect(charge.inputTokens).toBeGreaterThan(0);
        return charge.outputTokens!;
      };
      // The test cannot see when the service has read what the provider wrote: if it was too early, it waits four times as long.
      let charged = -1;
      for (let waitMs = 100; charged < tokens && waitMs < 10_000; waitMs *= 4)
        charged = await leaveAfter(waitMs);
      expect(charged).toBeGreaterThanOrEqual(tokens);
    },
  );

  test.each(ownKeys)(
    "on a key of $kind: provider closed within 1 s, planning charged, hold gone",
    async ({ kind, model, headers }) => {
      const leaveOnce = async (): Promise<number> => {
        gateway.provider.reset();
        const caller = await gateway.newCaller(credit);
        gateway.provider.respond(kind, { neverAnswer: true });
        const leaving = new AbortController();
        const options = { headers, signal: leaving.signal };
        const pending = caller.chat({ ...hello, model }, options).catch(() => undefined);
        await answered();
        const closedMs = await leave(leaving);
        await pending;
        expect(await readCharge(caller)).toMatchObject({ outcome: "client_left", keySource: "user" });
        return closedMs;
      };
      expect(await least(closedWithinMs, leaveOnce)).toBeLessThan(closedWithinMs);
    },
  );
});
