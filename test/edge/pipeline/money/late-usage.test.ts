// How long the aggregator is asked for the usage of cut calls: longer where nobody waits, and then of so many requests of one account.
import { expect, test } from "vitest";
import { createInFlight } from "../../../../edge/admission/in-flight.ts";
import { askLateUsage, type CutCall } from "../../../../edge/pipeline/money/late-usage.ts";
import type { Route } from "../../../../edge/providers/registry.ts";

const route: Route = {
  provider: "router",
  model: "vendor/model",
  contextWindow: 1_000,
  outputLimit: undefined,
  prices: undefined,
  key: "sk-or-test",
  keySource: "pool",
};
const calls: CutCall[] = [{ route, id: "gen-1", report: () => {} }];
const noRecordYet = async () => Response.json({ error: { message: "not found" } }, { status: 404 });

/** Asks until the end, with pauses that end when `release` is called. */
function setUp() {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const inFlight = createInFlight();
  const ask = async (leftBy: string | undefined) => {
    let pauses = 0;
    await askLateUsage(calls, leftBy, {
      fetch: noRecordYet,
      sleep: () => {
        pauses += 1;
        return held;
      },
      config: { baseUrls: { router: "https://router.example/v1" } },
      inFlight,
      now: () => 0,
    });
    return pauses;
  };
  return { ask, release };
}

test("who waits for the charge waits for three attempts, who left is asked for in five", async () => {
  const { ask, release } = setUp();
  release();
  expect([await ask(undefined), await ask("acct-a")]).toEqual([3, 5]);
});

test("of one account 64 requests are asked for so long at once; another account's are, too", async () => {
  const { ask, release } = setUp();
  const asked = [...Array(70).fill("acct-a"), "acct-b"].map(ask);
  release();
  const pauses = await Promise.all(asked);
  expect(pauses).toEqual([...Array(64).fill(5), ...Array(6).fill(3), 5]);
  expect(await ask("acct-a")).toBe(5);
});
