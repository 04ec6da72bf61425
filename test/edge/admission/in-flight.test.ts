import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createInFlight, type Lease } from "../../../edge/admission/in-flight.ts";

const key = { name: "key 1", limit: 2 };
const account = { name: "account 1", limit: 3 };

function take(inFlight: ReturnType<typeof createInFlight>, holders = [key, account], now = 0): Lease {
  const taken = inFlight.take(holders, now);
  return "lease" in taken ? taken.lease : expect.unreachable("it was full");
}

describe("requests in flight", () => {
  test("are refused over the bound of the key, then of the account, and taken again when one has ended", () => {
    const inFlight = createInFlight();
    const [first] = [take(inFlight), take(inFlight)];
    expect(inFlight.take([key, account], 0)).toMatchObject({ full: key });
    const other = { name: "key 2", limit: 2 };
    take(inFlight, [other, account]);
    expect(inFlight.take([other, account], 0)).toMatchObject({ full: account });
    first!.end();
    first!.end();
    take(inFlight, [other, account]);
    expect(inFlight.count("account 1", 0)).toBe(3);
  });

  test("are asked to come again the later the more are turned away, four seconds at most; after a while as at first", () => {
    const inFlight = createInFlight();
    const lease = take(inFlight, [key]);
    take(inFlight, [key]);
    const wait = (now: number) => {
      const taken = inFlight.take([key], now);
      return "full" in taken ? taken.retryAfterSeconds : expect.unreachable("it was not full");
    };
    expect(Array.from({ length: 10 }, () => wait(0))).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 4, 4]);
    expect(wait(4_999)).toBe(4);
    expect(wait(5_000)).toBe(1);
    lease.end();
    take(inFlight, [key], 5_000);
    expect(wait(5_001)).toBe(1);
  });

  test("have no bound at 0", () => {
    const inFlight = createInFlight();
    for (let count = 0; count < 1_000; count++) take(inFlight, [{ name: "k", limit: 0 }]);
    expect(inFlight.count("k", 0)).toBe(1_000);
  });

  test("lapse when nobody ends them, and at the time they are told to", () => {
    const inFlight = createInFlight();
    take(inFlight).end(25_000);
    take(inFlight);
    expect("full" in inFlight.take([key], 24_999)).toBe(true);
    take(inFlight, [key], 25_000);
    expect("full" in inFlight.take([key], 899_999)).toBe(true);
    take(inFlight, [key], 900_000);
  });

  test("are counted right after any order of beginnings and ends", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { maxLength: 60 }), (steps) => {
        const inFlight = createInFlight();
        const open: Lease[] = [];
        for (const step of steps) {
          const taken = step > 2 ? open.splice(step % Math.max(1, open.length), 1) : [];
          for (const lease of taken) lease.end();
          const next = inFlight.take([account], 0);
          expect("full" in next).toBe(open.length === account.limit);
          if ("lease" in next) open.push(next.lease);
          expect(inFlight.count(account.name, 0)).toBe(open.length);
        }
      }),
    );
  });
});

test("the holders of a kind are measured by the leases that have not lapsed", () => {
  const inFlight = createInFlight();
  for (const [name, count] of [
    ["account a", 3],
    ["account b", 5],
    ["key b", 9],
  ] as const)
    for (let request = 0; request < count; request++) take(inFlight, [{ name, limit: 0 }]);
  const lapsing = take(inFlight, [{ name: "account b", limit: 0 }]);
  lapsing.end(1_000);
  expect(inFlight.measure("account ", 999)).toEqual({ total: 9, most: 6 });
  expect(inFlight.measure("account ", 1_000)).toEqual({ total: 8, most: 5 });
  expect(inFlight.measure("account ", Number.MAX_SAFE_INTEGER)).toEqual({ total: 0, most: 0 });
});

test("a lease is renewed from a moment on, unless it was told when to end", () => {
  const inFlight = createInFlight();
  const key = { name: "key", limit: 1 };
  const lease = take(inFlight, [key]);
  const lastsMs = 900_000;
  lease.renew(lastsMs - 1);
  expect([lastsMs, 2 * lastsMs - 2].map((now) => inFlight.count("key", now))).toEqual([1, 1]);
  lease.end(2 * lastsMs - 1);
  lease.renew(2 * lastsMs - 2);
  expect(inFlight.count("key", 2 * lastsMs - 1)).toBe(0);
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
