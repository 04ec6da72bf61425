import { type SQL, sql } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/sqlite-core";
import { describe, expect, test } from "vitest";
import { reserve } from "../../../edge/billing/hold.ts";
import { settle } from "../../../edge/billing/ledger.ts";
import { checkLedger } from "../../../edge/billing/ledger-check.ts";
import { build, openDatabase, prepare } from "../../../edge/db/client.ts";
import { ledger } from "../../../edge/db/schema.ts";
import type { UsageFlag } from "../../../shared/usage-flags.ts";
import { startAdmin } from "./start-admin.ts";

const { sqld, onUrl, json, newAccount } = await startAdmin();

describe("commands for the ledger", () => {
  test("lists every column of a ledger row but whose it is, and how an answer came about", async () => {
    const { entries } = await json("ledger", "list", "--account", await newAccount());
    const columns = getTableConfig(ledger).columns.map(({ name }) => name.replace(/_micro$/, ""));
    const shown = columns.filter((name) => name !== "account_id" && name !== "generation");
    expect(Object.keys(entries[0]).sort()).toEqual(shown.sort());
  });

  test("lists a ledger that is larger than one answer of the database may be", async () => {
    const account = await newAccount("1");
    const rows = 6_000;
    const reason = "x".repeat(1_900);
    await openDatabase({ url: sqld.url, timeoutMs: 30_000 }).execute(
      prepare(
        build.run(sql`
          WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${rows})
          INSERT INTO ledger (account_id, kind, amount_micro, reason, created_at)
          SELECT ${account}, 'credit', n, ${reason}, n FROM counted`),
      ),
    );
    const { entries } = await json("ledger", "list", "--account", account, "--limit", "999999");
    expect(entries).toHaveLength(rows + 1);
    expect(entries.slice(0, rows).map(({ amount }: { amount: number }) => Math.round(amount * 1e6))).toEqual(
      Array.from({ length: rows }, (_, at) => rows - at),
    );
    const { entries: newest } = await json("ledger", "list", "--account", account, "--limit", "2001");
    expect(newest).toEqual(entries.slice(0, 2_001));
  }, 60_000);

  test("ledger reconcile sets what was charged beside what the aggregator took, and fails on a loss", async () => {
    const account = await newAccount("10");
    const database = openDatabase({ url: sqld.url });
    const day = new Date().toISOString().slice(0, 10);
    const charge = async (
      model: string,
      chargeMicro: number,
      reportedCostMicro?: number,
      flag?: UsageFlag,
    ) => {
      const holdId = `hold_${crypto.randomUUID()}`;
      const owner = { holdId, accountId: account, apiKeyId: "key_1", now: Date.now() };
      await reserve(database, { ...owner, amountMicro: 1_000_000 });
      const row = { requestId: "r", model, executionLlm: model, keySource: "pool" as const, markup: 0.25 };
      const used = { planningTokens: 1, outcome: "completed" as const, chargeMicro, reportedCostMicro, flag };
      await settle(database, { ...owner, ...row, ...used });
    };
    await charge("a/good", 1_250, 1_000);
    await charge("a/good", 2_500, 1_900, "usage_missing");
    const good = {
      day,
      model: "a/good",
      requests: 2,
      charged: 0.00375,
      reported_cost: 0.0029,
      margin: 0.00085,
      reported_requests: 2,
      charged_of_reported: 0.00375,
      deadlines: 0,
      flagged: 1,
      flags: { usage_missing: 1 },
    };
    expect(await json("ledger", "reconcile")).toEqual({
      ok: true,
      flags: { usage_missing: 1 },
      days: [good],
    });
    await charge("b/bad", 100, 90_000, "cost_above_price");
    // What nobody reported cannot hide the loss.
    await charge("b/bad", 1_000_000, undefined, "usage_missing");
    const run = await onUrl("ledger", "reconcile", "--days", "2", "--json");
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stdout)).toMatchObject({
      ok: false,
      flags: { usage_missing: 2, cost_above_price: 1 },
      days: [
        good,
        { model: "b/bad", margin: 0.9101, charged_of_reported: 0.0001, reported_requests: 1, flagged: 2 },
      ],
    });
  });

  test("ledger check proves the books, and fails on a balance written by hand", async () => {
    expect(await json("ledger", "check")).toEqual({ ok: true, findings: [] });
    const account = await newAccount("1");
    const write = (micro: number) => {
      const statement = sql`UPDATE accounts SET balance_micro = ${micro} WHERE id = ${account}`;
      return openDatabase({ url: sqld.url }).execute(prepare(build.run(statement)));
    };
    await write(3_000_000);
    const run = await onUrl("ledger", "check", "--json");
    await write(1_000_000);
    expect(run.code).toBe(1);
    const finding = { account_id: account, law: "balance is the sum of the ledger", expected: 1, found: 3 };
    expect(JSON.parse(run.stdout)).toEqual({ ok: false, findings: [finding] });
  });

  test("ledger check reads a large ledger in pieces, each account whole, so that requests need not wait for all of it", async () => {
    const database = openDatabase({ url: sqld.url, timeoutMs: 30_000 });
    const write = (text: SQL) => database.execute(prepare(build.run(text)));
    const owners = [await newAccount("1"), await newAccount("1"), await newAccount("1")];
    for (const owner of owners)
      await write(sql`
        WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 12000)
        INSERT INTO ledger (account_id, kind, amount_micro, created_at) SELECT ${owner}, 'credit', n, n FROM counted`);
    const pieces: string[][] = [];
    const watched: typeof database = {
      ...database,
      execute: (statement, values) => {
        if (values?.accountIds !== undefined) pieces.push(JSON.parse(String(values.accountIds)));
        return database.execute(statement, values);
      },
    };
    const move = (micro: number) =>
      write(
        sql`UPDATE accounts SET balance_micro = balance_micro + ${micro} WHERE id IN (${owners[0]}, ${owners[2]})`,
      );
    await move(1);
    const found = await checkLedger(watched);
    await move(-1);
    expect(found.map(({ accountId }) => accountId).sort()).toEqual([owners[0], owners[2]].sort());
    expect(pieces.map((ids) => ids.filter((id) => owners.includes(id)).length)).toEqual([1, 1, 1]);
  }, 60_000);

  test("ledger check tells rows that were lost: an account's, a key's month, a day of usage", async () => {
    const database = openDatabase({ url: sqld.url });
    const write = (text: SQL) => database.execute(prepare(build.run(text)));
    const lawsAfter = async (damage: SQL, mend: SQL) => {
      await write(damage);
      const run = await onUrl("ledger", "check", "--json");
      await write(mend);
      expect(run.code).toBe(1);
      return JSON.parse(run.stdout).findings;
    };
    const account_id = await newAccount("1");
    const { key_id } = await json("key", "create", "--account", account_id, "--name", "n");
    const hold = {
      holdId: `hold-${account_id}`,
      accountId: account_id,
      apiKeyId: key_id,
      amountMicro: 250_000,
    };
    expect(await reserve(database, { ...hold, now: 1 })).toMatchObject({ granted: true });
    await settle(database, {
      holdId: hold.holdId,
      accountId: account_id,
      apiKeyId: key_id,
      chargeMicro: 250_000,
      requestId: "req_1",
      model: "m",
      executionLlm: "m",
      keySource: "pool",
      markup: 0.25,
      planningTokens: 1,
      outcome: "completed",
      now: 1,
    });
    const moved = (table: string, column: string) =>
      [
        sql.raw(`UPDATE ${table} SET ${column} = 'gone' WHERE ${column} IN ('${account_id}', '${key_id}')`),
        sql`UPDATE ${sql.raw(table)} SET ${sql.raw(column)} = ${column === "account_id" ? account_id : key_id} WHERE ${sql.raw(column)} = 'gone'`,
      ] as const;
    expect(await lawsAfter(...moved("usage_days", "account_id"))).toContainEqual({
      account_id,
      law: "usage by day is the sum of the charges",
      expected: 0.25,
      found: 0,
    });
    expect(await lawsAfter(...moved("key_months", "api_key_id"))).toContainEqual({
      account_id,
      law: `spending by month of ${key_id} is the sum of its charges`,
      expected: 0.25,
      found: 0,
    });
    expect(await json("ledger", "check")).toEqual({ ok: true, findings: [] });
  });
});
