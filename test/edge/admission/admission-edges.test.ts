import { describe, expect, test } from "vitest";
import { createInFlight } from "../../../edge/admission/in-flight.ts";
import { createKnownCallers } from "../../../edge/admission/known-callers.ts";
import { createMemoryBudget } from "../../../edge/admission/memory-budget.ts";
import { createTurns } from "../../../edge/admission/turns.ts";
import type { Account } from "../../../edge/db/api-keys.ts";

test("a turn that is free goes to who waits for it, not to a newcomer who asks sooner than the waiter looks again", async () => {
  const turns = createTurns();
  const wanted = { name: "parse acct_a", atOnce: 1, lastsMs: 5_000 };
  const wakes: (() => void)[] = [];
  const clock = { now: () => 0, sleep: () => new Promise<void>((wake) => void wakes.push(wake)) };
  const first = await turns.take(wanted, 0, clock);
  const waiter = turns.take(wanted, 1_000, clock);
  first!.end();
  expect(await turns.take(wanted, 0, clock)).toBeUndefined();
  wakes[0]!();
  expect(await waiter).toBeDefined();
});

test("a lease that was told to end at one time is not made longer by another word", () => {
  const inFlight = createInFlight();
  const taken = inFlight.take([{ name: "key", limit: 1 }], 0);
  if ("full" in taken) expect.unreachable("it was full");
  else for (const at of [10, 20]) taken.lease.end(at);
  expect([9, 10].map((now) => inFlight.count("key", now))).toEqual([1, 0]);
});

test("who was turned away often is asked to wait as at first once all of its requests have ended", () => {
  const inFlight = createInFlight();
  const key = { name: "key", limit: 1 };
  const waitOf = () => {
    const taken = inFlight.take([key], 0);
    return "full" in taken ? taken.retryAfterSeconds : taken.lease;
  };
  const lease = waitOf();
  expect([waitOf(), waitOf(), waitOf()]).toEqual([1, 2, 3]);
  if (typeof lease === "object") lease.end();
  waitOf();
  expect(waitOf()).toBe(1);
});

test("an owner's only request may pass its share of the memory, as it would wait for itself; of several none may", async () => {
  const claimAll = async (...wanted: [request: object, bytes: number][]) => {
    const budget = createMemoryBudget(300);
    const clock = { now: () => 0, sleep: async () => {} };
    const granted: boolean[] = [];
    for (const [request, bytes] of wanted)
      granted.push((await budget.claim({ owner: "a", request, bytes }, 0, clock)) !== undefined);
    return granted;
  };
  const [one, other] = [{}, {}];
  expect(await claimAll([one, 150], [one, 60])).toEqual([true, true]);
  expect(await claimAll([one, 150], [other, 50], [one, 1])).toEqual([true, true, false]);
});

describe("known callers", () => {
  const account = { accountId: "acct_1" } as Account;

  test("are remembered for ten minutes after they were admitted last, a refusal of theirs for one", () => {
    const known = createKnownCallers();
    known.admit("hash", account, 0);
    known.admit("hash", account, 1_000);
    known.refuse("acct_1", 0);
    known.refuse("acct_1", 1_000);
    const recalled = [600_999, 601_000].map((now) => known.recall("hash", now)?.account);
    expect(recalled).toEqual([account, undefined]);
    expect([60_999, 61_000].map((now) => known.wasRefused("acct_1", now))).toEqual([true, false]);
  });

  test("are ten thousand at most: who was admitted longest ago is forgotten, and refused longest ago", () => {
    const known = createKnownCallers();
    for (let at = 0; at < 10_000; at++) {
      known.admit(`hash ${at}`, account, 0);
      known.refuse(`acct ${at}`, 0);
    }
    known.admit("hash 0", account, 1);
    known.refuse("acct 0", 1);
    known.admit("another", account, 1);
    known.refuse("another", 1);
    expect([0, 1, 2].map((at) => known.recall(`hash ${at}`, 2) !== undefined)).toEqual([true, false, true]);
    expect([0, 1, 2].map((at) => known.wasRefused(`acct ${at}`, 2))).toEqual([true, false, true]);
  });
});
