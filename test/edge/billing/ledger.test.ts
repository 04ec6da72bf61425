import { sql } from "drizzle-orm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reserve } from "../../../edge/billing/hold.ts";
import { settle } from "../../../edge/billing/ledger.ts";
import { checkLedger } from "../../../edge/billing/ledger-check.ts";
import { releaseExpired } from "../../../edge/billing/sweep.ts";
import { addCredit } from "../../../edge/db/accounts.ts";
import { build, openDatabase, prepare } from "../../../edge/db/client.ts";
import { isDatabaseUnavailable } from "../../../edge/db/connection.ts";
import { newAccount } from "../support/accounts.ts";
import { database, hold, newHold, read, rows, settlement } from "../support/holds.ts";

describe("reserve", () => {
  it("100 at once on credit for exactly 7 gives exactly 7 (failures 7)", async () => {
    const owner = await newAccount(database, 7_000);
    const results = await Promise.all(Array.from({ length: 100 }, () => hold(owner, 1_000)));
    expect(results.filter(({ granted }) => granted)).toHaveLength(7);
    expect(results.filter(({ granted }) => !granted)).toContainEqual({
      granted: false,
      limit: "credit",
      availableMicro: 0,
    });
    expect(await read(owner)).toMatchObject({ balanceMicro: 7_000, availableMicro: 0, openHolds: 7 });
  });

  it.each([
    { credit: 100, amount: 100, granted: true },
    { credit: 100, amount: 101, granted: false },
    { credit: 0, amount: 0, granted: true },
    { credit: 0, amount: 1, granted: false },
  ])("on $credit grants $amount: $granted", async ({ credit, amount, granted }) => {
    const owner = await newAccount(database, credit);
    expect(await hold(owner, amount)).toEqual(
      granted ? { granted } : { granted, limit: "credit", availableMicro: credit },
    );
  });

  it("grants what becomes free between its first try and the one that reads what is left", async () => {
    const owner = await newAccount(database, 100);
    const busyAtFirst = { ...database, execute: async () => [] } as typeof database;
    const asked = {
      holdId: newHold(),
      accountId: owner.accountId,
      apiKeyId: owner.key.keyId,
      amountMicro: 70,
    };
    expect(await reserve(busyAtFirst, { ...asked, now: -1000 })).toEqual({ granted: true });
    expect(await read(owner)).toMatchObject({ availableMicro: 30, openHolds: 1 });
  });

  it("says what is left when it refuses", async () => {
    const owner = await newAccount(database, 100);
    await hold(owner, 70);
    expect(await hold(owner, 31)).toEqual({ granted: false, limit: "credit", availableMicro: 30 });
  });

  it("refuses a suspended and an unknown account", async () => {
    const owner = await newAccount(database, 100);
    const suspend = prepare(
      build.run(sql`UPDATE accounts SET suspended_at = 1 WHERE id = ${owner.accountId}`),
    );
    await database.execute(suspend);
    expect(await hold(owner, 1)).toMatchObject({ granted: false });
    expect(await hold({ ...owner, accountId: "acct_nobody" }, 1)).toEqual({
      granted: false,
      limit: "credit",
      availableMicro: 0,
    });
  });

  it("refuses an amount that is no whole number of micro-credits", async () => {
    const owner = await newAccount(database, 100);
    await expect(hold(owner, 1.5)).rejects.toThrow("hold_is_whole");
    await expect(hold(owner, -1)).rejects.toThrow("hold_is_whole");
  });

  it("is an error when the database is away, never a grant (failures 9)", async () => {
    const owner = await newAccount(database, 100);
    const away = openDatabase({ url: "http://127.0.0.1:9" });
    const order = {
      holdId: newHold(),
      accountId: owner.accountId,
      apiKeyId: owner.key.keyId,
      amountMicro: 1,
      now: 1,
    };
    await expect(reserve(away, order)).rejects.toSatisfy(isDatabaseUnavailable);
  });
});

describe("settle", () => {
  it("charges the hold, ends it and records what was used", async () => {
    const owner = await newAccount(database, 1_000);
    const holdId = newHold();
    await hold(owner, 600, holdId);
    await settle(database, settlement(owner, holdId, 250));
    expect(await read(owner)).toMatchObject({ balanceMicro: 750, availableMicro: 750, openHolds: 0 });
    expect((await rows(owner))[0]).toMatchObject({
      kind: "charge",
      amountMicro: -250,
      holdId,
      requestId: "req_1",
      apiKeyId: owner.key.keyId,
      model: "svc-x1ac-base-gpt-4o",
      executionLlm: "gpt-4o",
      provider: "router",
      keySource: "pool",
      markup: 0.25,
      planningTokens: 12,
      inputTokens: 100,
      outputTokens: 25,
      cachedTokens: 30,
      cacheWriteTokens: 10,
      reasoningTokens: 5,
      prices: { input: 1 },
      outcome: "completed",
      flag: null,
      reason: null,
      createdAt: 2000,
    });
  });

  it("charges once when it is called twice, and at once", async () => {
    const owner = await newAccount(database, 1_000);
    const holdId = newHold();
    await hold(owner, 600, holdId);
    const twice = [250, 300].map((charge) => settle(database, settlement(owner, holdId, charge)));
    await Promise.all(twice);
    await settle(database, settlement(owner, holdId, 400));
    const charges = (await rows(owner)).filter(({ kind }) => kind === "charge");
    expect(charges).toHaveLength(1);
    expect((await read(owner)).balanceMicro).toBe(1_000 + charges[0]!.amountMicro);
  });

  it.each([
    [5_000, "capped_at_hold"],
    [601, "capped_at_hold"],
    [600, null],
  ])("never charges more than the hold, and flags that it would have: %i of 600", async (charge, flag) => {
    const owner = await newAccount(database, 1_000);
    const holdId = newHold();
    await hold(owner, 600, holdId);
    await settle(database, settlement(owner, holdId, charge));
    expect((await rows(owner))[0]).toMatchObject({ amountMicro: -600, flag });
  });

  it("refuses a negative charge, so that no usage refills an account (failures 12)", async () => {
    const owner = await newAccount(database, 1_000);
    const holdId = newHold();
    await hold(owner, 600, holdId);
    await expect(settle(database, settlement(owner, holdId, -1_000_000))).rejects.toThrow("amount_fits_kind");
    expect((await read(owner)).balanceMicro).toBe(1_000);
  });

  // On a caller's own key nobody checks what a provider reports, and sums over the rows must stay exact integers.
  it("records counts that are none as zero, and the largest as a billion", async () => {
    const owner = await newAccount(database, 1_000);
    const holdId = newHold();
    await hold(owner, 600, holdId);
    const usage = {
      ...{ input: 1e300, output: 2.9, total: Number.NaN, cachedInput: -5, cacheWrite: Number.NaN },
      reasoning: Number.POSITIVE_INFINITY,
    };
    await settle(database, { ...settlement(owner, holdId, 250), keySource: "user", usage });
    expect((await rows(owner))[0]).toMatchObject({
      inputTokens: 1_000_000_000,
      outputTokens: 2,
      cachedTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 1_000_000_000,
    });
  });

  it("records the model that ran beside the name the caller sent (failures 3)", async () => {
    const owner = await newAccount(database, 1_000);
    const holdId = newHold();
    await hold(owner, 600, holdId);
    const left = {
      ...settlement(owner, holdId, 9),
      model: "svc-x1ac-base-old-name",
      outcome: "client_left" as const,
    };
    await settle(database, left);
    expect((await rows(owner))[0]).toMatchObject({
      model: "svc-x1ac-base-old-name",
      executionLlm: "gpt-4o",
      outcome: "client_left",
      cachedTokens: 30,
      amountMicro: -9,
    });
  });

  it("leaves the hold of another account alone", async () => {
    const [owner, other] = [await newAccount(database, 100), await newAccount(database, 100)];
    const holdId = newHold();
    await hold(owner, 60, holdId);
    await settle(database, settlement(other, holdId, 10));
    expect(await read(owner)).toMatchObject({ balanceMicro: 100, openHolds: 1 });
    expect(await read(other)).toMatchObject({ balanceMicro: 100 });
  });
});

describe("the ledger", () => {
  it.each([
    ["UPDATE ledger SET amount_micro = 1000000 WHERE account_id = ", "append-only"],
    ["DELETE FROM ledger WHERE account_id = ", "append-only"],
    ["UPDATE holds SET amount_micro = 0 WHERE account_id = ", "a hold only grows"],
    ["UPDATE holds SET amount_micro = 1000, created_at = 5 WHERE account_id = ", "a hold only grows"],
    ["DELETE FROM holds WHERE account_id = ", "a hold ends with its ledger row"],
    ["UPDATE accounts SET balance_micro = -1 WHERE id = ", "balance_in_range"],
  ])("refuses %s", async (statement, why) => {
    const owner = await newAccount(database, 1_000);
    await hold(owner, 100);
    const tamper = prepare(build.run(sql`${sql.raw(statement)}${owner.accountId}`));
    await expect(database.execute(tamper)).rejects.toThrow(why);
  });

  it("refuses an account that starts with a balance, and a charge below zero", async () => {
    const rich = prepare(
      build.run(
        sql`INSERT INTO accounts (id, email, balance_micro, created_at) VALUES ('acct_rich', 'a@example.com', 5, 0)`,
      ),
    );
    await expect(database.execute(rich)).rejects.toThrow("starts at zero");
    const owner = await newAccount(database, 5);
    const overdraw = prepare(
      build.run(sql`INSERT INTO ledger (account_id, kind, amount_micro, hold_id, created_at)
        VALUES (${owner.accountId}, 'charge', -6, ${newHold()}, 0)`),
    );
    await expect(database.execute(overdraw)).rejects.toThrow("balance_in_range");
  });

  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("reserve" as const),
        micro: fc.integer({ min: 0, max: 400 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("settle" as const), micro: fc.integer({ min: 0, max: 600 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("credit" as const), micro: fc.integer({ min: 1, max: 500 }) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("sweep" as const), micro: fc.constant(0) }) },
  );
  type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

  it("stays the sum of its rows under any interleaving, and nothing drifts (failures 10)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        const owner = await newAccount(database, 1_000);
        const held: string[] = [];
        const act = async ({ kind, micro }: Step, index: number): Promise<unknown> => {
          if (kind === "credit")
            return addCredit(database, {
              accountId: owner.accountId,
              amountMicro: micro,
              reason: "test",
              now: 1,
            });
          if (kind === "sweep") return releaseExpired(database, { now: -1_000 + 900_000 });
          if (kind === "settle")
            return settle(database, settlement(owner, held[index % held.length] ?? "hold_none", micro));
          held.push(newHold());
          return hold(owner, micro, held.at(-1));
        };
        await Promise.all(steps.map(act));
        const account = await read(owner);
        const total = (await rows(owner)).reduce((sum, row) => sum + row.amountMicro, 0);
        expect(account.balanceMicro).toBe(total);
        expect(account.availableMicro).toBeGreaterThanOrEqual(0);
        await Promise.all(held.map((holdId) => settle(database, settlement(owner, holdId, 1))));
        const settled = await read(owner);
        expect(settled).toMatchObject({ openHolds: 0, availableMicro: settled.balanceMicro });
        expect(
          (await checkLedger(database)).filter(({ accountId }) => accountId === owner.accountId),
        ).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});
