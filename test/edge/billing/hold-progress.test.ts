// What becomes of a hold while its request runs: it is swept when it is old, kept by the request's word, and raised.
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { raise } from "../../../edge/billing/hold.ts";
import { settle } from "../../../edge/billing/ledger.ts";
import { noteProgress, releaseExpired } from "../../../edge/billing/sweep.ts";
import { build, prepare } from "../../../edge/db/client.ts";
import { deadAfterMs } from "../../../edge/db/schema.ts";
import { newAccount } from "../support/accounts.ts";
import { database, hold, newHold, type Owner, read, rows, settlement } from "../support/holds.ts";

describe("releaseExpired", () => {
  it("gives back old holds with a row that says so, leaves young ones, and settles them no more", async () => {
    const owner = await newAccount(database, 1_000);
    const [old, young] = [newHold(), newHold()];
    const now = -5_000;
    await hold(owner, 600, old, now - 900_000);
    await hold(owner, 300, young, now - 899_999);
    expect(await releaseExpired(database, { now })).toBe(1);
    expect(await read(owner)).toMatchObject({ balanceMicro: 1_000, availableMicro: 700, openHolds: 1 });
    expect((await rows(owner))[0]).toMatchObject({
      kind: "release",
      amountMicro: 0,
      holdId: old,
      reason: "hold expired",
    });
    await settle(database, settlement(owner, old, 600));
    expect((await read(owner)).balanceMicro).toBe(1_000);
    await settle(database, settlement(owner, young, 1));
  });
});

describe("a request's word of itself", () => {
  const word = (owner: Owner, holdId: string, chargeMicro: number, now: number) =>
    noteProgress(database, {
      holdId,
      accountId: owner.accountId,
      requestId: "req_1",
      model: "svc-x1ac-base-gpt-4o",
      executionLlm: "gpt-4o",
      keySource: "pool",
      markup: 0.25,
      chargeMicro,
      now,
    });
  // Long before the holds of other tests.
  const begun = -4_000_000_000;

  it("keeps the sweep away while it is young, and is charged when it is old", async () => {
    const owner = await newAccount(database, 1_000);
    const holdId = newHold();
    await hold(owner, 600, holdId, begun);
    await word(owner, holdId, 100, begun + 500_000);
    await word(owner, holdId, 250, begun + 800_000);
    expect(await releaseExpired(database, { now: begun + 1_600_000 })).toBe(0);
    expect(await releaseExpired(database, { now: begun + 1_700_000 })).toBe(1);
    expect((await rows(owner))[0]).toMatchObject({
      kind: "charge",
      amountMicro: -250,
      flag: "settled_by_sweep",
      outcome: "error",
      requestId: "req_1",
      executionLlm: "gpt-4o",
      reason: "hold expired",
    });
    expect(await read(owner)).toMatchObject({ balanceMicro: 750, openHolds: 0 });
  });

  it("never shrinks, passes the hold, or outlives the settlement", async () => {
    const owner = await newAccount(database, 1_000);
    const [large, done] = [newHold(), newHold()];
    await hold(owner, 300, large, begun);
    await hold(owner, 300, done, begun);
    await word(owner, large, 5_000, begun + 1);
    await word(owner, large, 1, begun + 2);
    await settle(database, settlement(owner, done, 10));
    await word(owner, done, 200, begun + 3);
    expect(await releaseExpired(database, { now: begun + 900_002 })).toBe(1);
    expect((await read(owner)).balanceMicro).toBe(1_000 - 10 - 300);
    const left = build.all(sql`SELECT hold_id FROM hold_progress WHERE hold_id IN (${large}, ${done})`);
    expect(await database.execute(prepare(left))).toEqual([]);
  });

  it("does not make its request older than it is where a later word came first", async () => {
    const owner = await newAccount(database, 1_000);
    const holdId = newHold();
    await hold(owner, 600, holdId, begun);
    const later = begun + 500_000;
    await word(owner, holdId, 100, later);
    await word(owner, holdId, 100, begun + 100_000);
    const sweepAt = async (now: number) => {
      await releaseExpired(database, { now });
      return (await read(owner)).openHolds;
    };
    expect(await sweepAt(later + deadAfterMs - 1)).toBe(1);
    expect(await sweepAt(later + deadAfterMs)).toBe(0);
  });
});

describe("raising a hold", () => {
  const more = (owner: Owner, holdId: string, amountMicro: number) =>
    raise(database, { holdId, accountId: owner.accountId, apiKeyId: owner.key.keyId, amountMicro, now: -1 });

  it("100 at once on credit for exactly 7 raise it by exactly 7, and the sum can be charged", async () => {
    const owner = await newAccount(database, 8_000);
    const holdId = newHold();
    await hold(owner, 1_000, holdId);
    const raised = await Promise.all(Array.from({ length: 100 }, () => more(owner, holdId, 1_000)));
    expect(raised.filter(Boolean)).toHaveLength(7);
    expect(await read(owner)).toMatchObject({ balanceMicro: 8_000, availableMicro: 0, openHolds: 1 });
    await settle(database, settlement(owner, holdId, 7_500));
    expect((await rows(owner))[0]).toMatchObject({ amountMicro: -7_500, flag: null });
  });

  it("not beyond its key's budget, nor after the key or the hold has ended", async () => {
    const owner = await newAccount(database, 8_000);
    const change = (set: string) =>
      database.execute(
        prepare(build.run(sql`UPDATE api_keys SET ${sql.raw(set)} WHERE id = ${owner.key.keyId}`)),
      );
    const holdId = newHold();
    await hold(owner, 1_000, holdId);
    await change("monthly_budget_micro = 1500");
    expect(await more(owner, holdId, 501)).toBe(false);
    expect(await more(owner, holdId, 500)).toBe(true);
    await change("monthly_budget_micro = NULL, revoked_at = 5");
    expect(await more(owner, holdId, 1)).toBe(false);
    await change("revoked_at = NULL");
    await settle(database, settlement(owner, holdId, 5));
    expect(await more(owner, holdId, 1)).toBe(false);
  });
});
