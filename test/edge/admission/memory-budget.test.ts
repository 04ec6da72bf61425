import fc from "fast-check";
import { expect, test } from "vitest";
import { type Claim, createMemoryBudget } from "../../../edge/admission/memory-budget.ts";

/** Time moves only while somebody sleeps. */
function createClock() {
  let now = 0;
  const wake: (() => void)[] = [];
  return {
    now: () => now,
    sleep: () => new Promise<void>((resolve) => void wake.push(resolve)),
    async pass(ms: number) {
      now += ms;
      for (const resolve of wake.splice(0)) resolve();
      for (let turn = 0; turn < 8; turn++) await Promise.resolve();
    },
  };
}

/** By an owner of its own where none is named, and for a request of its own. */
const by = (bytes: number, owner: string = crypto.randomUUID(), request: object = {}) => ({
  owner,
  request,
  bytes,
});

test("what fits is let in at once, what does not waits for room, in the order it came", async () => {
  const clock = createClock();
  const budget = createMemoryBudget(100);
  const first = (await budget.claim(by(60), 1_000, clock))!;
  const order: string[] = [];
  const wait = (name: string, bytes: number) =>
    budget.claim(by(bytes), 1_000, clock).then((claim) => {
      order.push(claim ? name : `no ${name}`);
      return claim;
    });
  const large = wait("large", 80);
  const small = wait("small", 10);
  await clock.pass(15);
  // It would fit, and would keep the large one out for ever if it were let past.
  expect(order).toEqual([]);
  first.shrink(20);
  await clock.pass(15);
  await clock.pass(15);
  expect(order).toEqual(["large"]);
  (await large)!.end();
  await clock.pass(15);
  expect(order).toEqual(["large", "small"]);
  expect(budget.claimed()).toBe(30);
  (await small)!.end();
});

test("what can be done without takes a third together, and nothing of what its owner needs", async () => {
  const clock = createClock();
  const budget = createMemoryBudget(90);
  const request = {};
  const optional = (bytes: number, owner: string) => ({ ...by(bytes, owner), isOptional: true });
  expect(await budget.claim(optional(15, "a"), 0, clock)).toBeDefined();
  // Two thirds of that third are an owner's.
  expect(await budget.claim(optional(6, "a"), 0, clock)).toBeUndefined();
  expect(await budget.claim(optional(15, "b"), 0, clock)).toBeDefined();
  expect(await budget.claim(optional(1, "c"), 0, clock)).toBeUndefined();
  expect(await budget.claim(by(50, "a", request), 0, clock)).toBeDefined();
  expect(await budget.claim(by(10, "a"), 0, clock)).toBeDefined();
  expect(budget.claimed()).toBe(90);
});

test("room goes to the owner who holds least, though others waited before", async () => {
  const clock = createClock();
  const budget = createMemoryBudget(100);
  const held = [await budget.claim(by(40, "slow"), 0, clock), await budget.claim(by(60, "full"), 0, clock)];
  const order: string[] = [];
  const wait = (owner: string) =>
    budget.claim(by(20, owner), 10_000, clock).then((claim) => claim && order.push(owner));
  expect(budget.isShort(clock.now())).toBe(false);
  const waiting = [wait("slow"), wait("first"), wait("second")];
  expect(budget.isShort(clock.now())).toBe(true);
  await clock.pass(15);
  held[1]!.shrink(40);
  for (const pass of [15, 15, 15]) await clock.pass(pass);
  expect(order).toEqual(["first"]);
  held[1]!.end();
  for (const pass of [15, 15, 15]) await clock.pass(pass);
  await Promise.all(waiting);
  expect(order).toEqual(["first", "second", "slow"]);
  expect(budget.isShort(clock.now())).toBe(false);
});

test("waiting ends after its patience, and what can never fit does not wait", async () => {
  const clock = createClock();
  const budget = createMemoryBudget(100);
  await budget.claim(by(100), 1_000, clock);
  const waiting = budget.claim(by(1), 1_000, clock);
  for (let passed = 0; passed < 1_020; passed += 15) await clock.pass(15);
  expect(await waiting).toBeUndefined();
  expect(await budget.claim(by(101), 1_000, clock)).toBeUndefined();
});

test("one that stopped waiting without a word, and one that never ended, keep nobody out", async () => {
  const clock = createClock();
  const budget = createMemoryBudget(100);
  const first = (await budget.claim(by(100), 1_000, clock))!;
  void budget.claim(by(50), 1_000, { now: clock.now, sleep: () => new Promise(() => {}) });
  first.end();
  const next = budget.claim(by(100), 10_000, clock);
  for (let passed = 0; passed < 2_100; passed += 15) await clock.pass(15);
  expect(await next).toBeDefined();
  await clock.pass(900_000);
  expect(await budget.claim(by(100), 1_000, clock)).toBeDefined();
});

test("a waiter that left before the clock was set back keeps nobody out", async () => {
  const budget = createMemoryBudget(100);
  const clockAt = (now: number) => ({ now: () => now, sleep: () => new Promise<void>(() => {}) });
  const later = clockAt(4 * 3_600_000);
  const first = (await budget.claim(by(100), 0, later))!;
  void budget.claim(by(100), 60_000, later);
  first.end();
  expect(await budget.claim(by(50), 0, clockAt(3_600_000))).toBeDefined();
});

test("the claims of a request that says that it runs expire later, but for those that were told when to end", async () => {
  const clock = createClock();
  const budget = createMemoryBudget(100);
  const [running, silent] = [{}, {}];
  await budget.claim(by(30, "a", running), 0, clock);
  (await budget.claim(by(30, "a", running), 0, clock))!.end(clock.now() + 500_000);
  await budget.claim(by(30, "b", silent), 0, clock);
  for (const pass of [300_000, 300_000, 300_001]) {
    await clock.pass(pass);
    budget.renew(running, clock.now());
  }
  (await budget.claim(by(1), 0, clock))!.end();
  expect(budget.claimed()).toBe(30);
});

test("a claim that is told when to end ends then, and a later time does not put that off", async () => {
  const clock = createClock();
  const budget = createMemoryBudget(100);
  const claim = (await budget.claim(by(100), 0, clock))!;
  claim.end(clock.now() + 30_000);
  claim.end(clock.now() + 60_000);
  await clock.pass(29_999);
  expect(await budget.claim(by(1), 0, clock)).toBeUndefined();
  await clock.pass(1);
  expect(await budget.claim(by(100), 0, clock)).toBeDefined();
});

test("never more is claimed than there is, whatever comes and goes, and all of it comes back", async () => {
  const step = fc.record({ bytes: fc.integer({ min: 1, max: 120 }), end: fc.nat(3), shrink: fc.nat(120) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const clock = createClock();
      const budget = createMemoryBudget(100);
      const open: Claim[] = [];
      for (const { bytes, end, shrink } of steps) {
        void budget.claim(by(bytes), 500, clock).then((claim) => claim && open.push(claim));
        await clock.pass(15);
        open[end]?.shrink(shrink);
        if (end < open.length) open.splice(end, 1)[0]?.end();
        expect(budget.claimed()).toBeLessThanOrEqual(100);
      }
      for (let passed = 0; passed < 600; passed += 15) await clock.pass(15);
      for (const claim of open) claim.end();
      expect(budget.claimed()).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test("bodies of one owner leave room for those of others, who pass those that wait for themselves", async () => {
  const clock = createClock();
  const budget = createMemoryBudget(100);
  const slow = await budget.claim(by(60, "slow"), 1_000, clock);
  let later: Claim | undefined;
  void budget.claim(by(30, "slow"), 10_000, clock).then((claim) => {
    later = claim;
  });
  await clock.pass(15);
  expect(later).toBeUndefined();
  expect(await budget.claim(by(40, "other"), 0, clock)).toBeDefined();
  slow!.shrink(37);
  await clock.pass(15);
  expect(later).toBeUndefined();
  slow!.shrink(20);
  await clock.pass(15);
  expect(later).toBeDefined();
});

test("bodies that have arrived count as those that are arriving do", async () => {
  const clock = createClock();
  const budget = createMemoryBudget(100);
  for (let bodies = 0; bodies < 13; bodies++) {
    const body = await budget.claim(by(5, "one"), 0, clock);
    body?.shrink(5);
  }
  expect(budget.claimed()).toBe(65);
  expect(await budget.claim(by(5, "one"), 0, clock)).toBeUndefined();
  expect(await budget.claim(by(33, "other"), 0, clock)).toBeDefined();
});

test("one body of an owner may take more than a share, and more for itself, but no second beside it", async () => {
  const clock = createClock();
  const budget = createMemoryBudget(100);
  const request = {};
  const body = await budget.claim(by(70, "one", request), 0, clock);
  const more = await budget.claim(by(20, "one", request), 0, clock);
  expect(more).toBeDefined();
  expect(await budget.claim(by(1, "one"), 0, clock)).toBeUndefined();
  body!.end();
  expect(await budget.claim(by(1, "one"), 0, clock)).toBeDefined();
});

const total = 100;
const rest = Math.floor(total / 3);
const bounded = fc.oneof(
  fc.record({ do: fc.constant("claim" as const), bytes: fc.integer({ min: 1, max: total - rest - 1 }) }),
  fc.record({ do: fc.constant("shrink" as const), at: fc.nat(9), bytes: fc.nat(40) }),
  fc.record({ do: fc.constant("end" as const), at: fc.nat(9) }),
  fc.record({ do: fc.constant("other" as const), bytes: fc.integer({ min: 1, max: rest }) }),
);

test("whatever one owner does, another's bodies up to the rest are let in at once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(bounded, { minLength: 3, maxLength: 40 }), async (steps) => {
      const clock = createClock();
      const budget = createMemoryBudget(total);
      const open: Claim[] = [];
      const others: Claim[] = [];
      let othersHold = 0;
      /** Each that waits has looked, also those behind one that was let in. */
      const allLook = async () => {
        for (let looks = 0; looks < 10; looks++) await clock.pass(15);
      };
      for (const step of steps) {
        if (step.do === "claim")
          void budget.claim(by(step.bytes, "one"), 1_500, clock).then((claim) => claim && open.push(claim));
        else if (step.do === "shrink") open[step.at]?.shrink(step.bytes);
        else if (step.do === "end") open.splice(step.at, 1)[0]?.end();
        else if (othersHold + step.bytes <= rest) {
          const body = await budget.claim(by(step.bytes, "other"), 0, clock);
          expect(body).toBeDefined();
          others.push(body!);
          othersHold += step.bytes;
        }
        await allLook();
        expect(budget.claimed() - othersHold).toBeLessThanOrEqual((total * 2) / 3);
        expect(budget.claimed()).toBeLessThanOrEqual(total);
      }
      for (let passed = 0; passed < 1_600; passed += 15) await clock.pass(15);
      for (const claim of [...open, ...others]) claim.end();
      expect(budget.claimed()).toBe(0);
      // Nobody's place is left either: all of it is to be had.
      expect(await budget.claim(by(total), 0, clock)).toBeDefined();
    }),
    { numRuns: 100 },
  );
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
