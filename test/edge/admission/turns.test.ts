import { describe, expect, test } from "vitest";
import { createTurns, type Turn } from "../../../edge/admission/turns.ts";

const wanted = { name: "parse acct_a", atOnce: 2, lastsMs: 5_000 };

/** Turns under a clock that `sleep` moves on; `onSleep` is called before. */
function setUp(onSleep: (now: number) => void = () => {}) {
  const turns = createTurns();
  let now = 0;
  const clock = {
    now: () => now,
    sleep: async (milliseconds: number) => {
      onSleep(now);
      now += milliseconds;
    },
  };
  const take = (name = wanted.name, patienceMs = 0): Promise<Turn | undefined> =>
    turns.take({ ...wanted, name }, patienceMs, clock);
  return { take, now: () => now };
}

describe("a turn", () => {
  test("is given at once while there are fewer than may be", async () => {
    const { take, now } = setUp();
    expect([await take(), await take(), await take()]).toEqual([
      expect.anything(),
      expect.anything(),
      undefined,
    ]);
    expect(now()).toBe(0);
  });

  test("of one owner is none of another's", async () => {
    const { take } = setUp();
    await take();
    await take();
    expect(await take("parse acct_b")).toBeDefined();
  });

  test("is waited for until another ends", async () => {
    const ended: number[] = [];
    const { take, now } = setUp((at) => {
      if (at < 100 || ended.length > 0) return;
      first?.end();
      first?.end();
      ended.push(at);
    });
    const first = await take();
    await take();
    expect(await take(undefined, 1_000)).toBeDefined();
    expect(now() - ended[0]!).toBeLessThanOrEqual(60);
    // Ending twice gives one turn back.
    expect(await take()).toBeUndefined();
  });

  test("goes to whoever has waited longest", async () => {
    const turns = createTurns();
    let now = 0;
    const clock = {
      now: () => now,
      sleep: () => new Promise<void>((resolve) => setTimeout(resolve)),
    };
    const one = { ...wanted, atOnce: 1 };
    const running = await turns.take(one, 0, clock);
    const served: number[] = [];
    const waiting = [0, 1, 2, 3].map(async (at) => {
      const turn = await turns.take(one, 60_000, clock);
      served.push(at);
      now += 1;
      turn?.end();
    });
    running?.end();
    await Promise.all(waiting);
    expect(served).toEqual([0, 1, 2, 3]);
  });

  test("that nobody ends, ends by itself", async () => {
    const { take, now } = setUp();
    await take();
    await take();
    expect(await take(undefined, 30_000)).toBeDefined();
    expect(now()).toBeGreaterThanOrEqual(wanted.lastsMs);
    expect(now()).toBeLessThan(wanted.lastsMs + 61);
  });

  test("that has lapsed and is ended late ends no other", async () => {
    const { take, now } = setUp();
    const lapsed = [await take(), await take()];
    const running = [await take(undefined, 30_000), await take(undefined, 30_000)];
    expect(now()).toBeGreaterThanOrEqual(wanted.lastsMs);
    for (const turn of [...running, ...lapsed]) turn?.end();
    const two = [await take(), await take()];
    for (const turn of lapsed) turn?.end();
    expect([...two, await take()]).toEqual([expect.anything(), expect.anything(), undefined]);
  });

  test("that does not come in time is none", async () => {
    const { take, now } = setUp();
    await take();
    await take();
    expect(await take(undefined, 1_000)).toBeUndefined();
    expect(now()).toBeLessThan(1_061);
  });
});

test("a turn that is free goes to who waits for it, not to a newcomer who asks sooner than the waiter looks again", async () => {
  const turns = createTurns();
  const one = { ...wanted, atOnce: 1 };
  const wakes: (() => void)[] = [];
  const clock = { now: () => 0, sleep: () => new Promise<void>((wake) => void wakes.push(wake)) };
  const first = await turns.take(one, 0, clock);
  const waiter = turns.take(one, 1_000, clock);
  first!.end();
  expect(await turns.take(one, 0, clock)).toBeUndefined();
  wakes[0]!();
  expect(await waiter).toBeDefined();
});
