// Models that the aggregator gives away share one daily bound of the operator's: one caller must not use it up for all.
import { describe, expect, test } from "vitest";
import { buildCatalog } from "../../../../edge/catalog/catalog.ts";
import { readRouterList } from "../../../../edge/catalog/router-snapshot.ts";
import { admit, deleteExpiredHits, hitKeptMs } from "../../../../edge/db/rate-hits.ts";
import { freeCallsPerDay } from "../../../../edge/pipeline/money/free-calls.ts";
import { openTestDatabase } from "../../support/accounts.ts";
import { createTestApp, newCaller, type TestAppOptions } from "../../support/app.ts";

const nothing = { prompt: "0", completion: "0" };
const list = readRouterList(
  {
    data: [
      { id: "vendor/gives:free", pricing: nothing },
      { id: "openrouter/free", pricing: nothing },
      { id: "vendor/sells", pricing: { prompt: "0.000002", completion: "0.00001" } },
    ],
  },
  0,
);
if (!list.ok) throw new Error(list.reason);
const catalog = buildCatalog({ snapshot: list.snapshot, startedAtMs: Date.UTC(2026, 10, 1) });
const named = (llm: string) => `svc-x1ac-base-${llm}`;
const hello = {
  model: named("vendor/gives:free"),
  messages: [{ role: "user", content: "hi" }],
  max_tokens: 16,
};
const dayMs = 24 * 3_600_000;
const database = openTestDatabase();

/** A caller whose account has made so many free calls by now. */
async function open(used: number, options: TestAppOptions = {}) {
  const caller = await newCaller(100_000_000);
  if (used > 0) {
    const bucket = `free:${caller.accountId}`;
    await admit(database, { bucket, limit: used, hits: used, windowMs: dayMs, now: Date.now() });
  }
  const app = createTestApp({ catalog: async () => catalog, ...options });
  const ask = async (more: object = {}, headers: Record<string, string> = {}) => {
    const response = await app.chat(caller.apiKey, { ...hello, ...more }, headers);
    const text = await response.text();
    await response.settled();
    return { status: response.status, text, headers: response.headers };
  };
  return { ...app, caller, ask };
}

describe("free models of the pool", () => {
  test.each(["vendor/gives:free", "openrouter/free"])(
    "answer an account until its calls of the day are used, then nobody is called: %s",
    async (llm) => {
      const { ask, sent, caller } = await open(freeCallsPerDay - 1);
      expect((await ask({ model: named(llm) })).status).toBe(200);
      const refused = await ask({ model: named(llm) });
      expect(refused.status).toBe(429);
      expect(JSON.parse(refused.text).error.code).toBe("upstream_rate_limited");
      expect(refused.text).toMatch(/free models.*another model.*X-Router-Key/i);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(86_000);
      expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(86_400);
      expect(refused.headers.get("x-should-retry")).toBe("false");
      expect(sent).toHaveLength(1);
      expect((await caller.charges())[0]).toMatchObject({ amountMicro: 0, outcome: "error" });
      expect((await caller.account())?.openHolds).toBe(0);
    },
  );

  test("count parallel requests exactly", async () => {
    const { ask, sent } = await open(freeCallsPerDay - 3);
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(sent).toHaveLength(3);
  });

  test("count each choice, as each is a call", async () => {
    const { ask, sent } = await open(freeCallsPerDay - 2);
    for (const n of [3, freeCallsPerDay]) expect((await ask({ n })).status).toBe(429);
    const tooMany = await ask({ n: freeCallsPerDay + 1 });
    expect(tooMany.status).toBe(400);
    expect(JSON.parse(tooMany.text).error).toMatchObject({ code: "invalid_request", param: "n" });
    expect(sent).toHaveLength(0);
    expect((await ask({ n: 2 })).status).toBe(200);
    expect(sent).toHaveLength(2);
    expect((await ask()).status).toBe(429);
  });

  test("give way to the next of the request's models", async () => {
    const { ask, sent } = await open(freeCallsPerDay);
    expect((await ask({ models: [named("vendor/sells")] })).status).toBe(200);
    expect(sent.map(({ body }) => body.model)).toEqual(["vendor/sells"]);
  });

  test.each([
    ["a model with a price", { model: named("vendor/sells") }, {}, {}],
    ["the caller's own key", {}, { "x-router-key": "sk-or-own" }, {}],
    ["a local server without a key", {}, {}, { pool: { on: true, key: undefined } } as const],
  ])("are not what bounds %s", async (_what, more, headers, options) => {
    const { ask } = await open(freeCallsPerDay, options);
    expect((await ask(more, headers)).status).toBe(200);
  });

  test("answer again a day later, and not before, whatever the sweep deletes meanwhile", async () => {
    let now = Date.now();
    const { ask } = await open(freeCallsPerDay, { now: () => now });
    now += dayMs - 60_000;
    await deleteExpiredHits(database, now - hitKeptMs);
    expect((await ask()).status).toBe(429);
    now += 61_000;
    expect((await ask()).status).toBe(200);
  });

  test("of one account take nothing from another's", async () => {
    await open(freeCallsPerDay);
    const { ask } = await open(0);
    expect((await ask()).status).toBe(200);
  });
});
