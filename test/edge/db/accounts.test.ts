import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { reserve } from "../../../edge/billing/hold.ts";
import { addCredit, createAccount, listLedger, readAccount } from "../../../edge/db/accounts.ts";
import { addApiKey, findApiKey, revokeApiKey } from "../../../edge/db/api-keys.ts";
import { readCatalogSnapshot, writeCatalogSnapshot } from "../../../edge/db/catalog-snapshot.ts";
import { build, prepare, type Statement } from "../../../edge/db/client.ts";
import { DatabaseError } from "../../../edge/db/connection.ts";
import { listApiKeys, selectKeys } from "../../../edge/db/list-api-keys.ts";
import { newAccount, openTestDatabase } from "../support/accounts.ts";

const database = openTestDatabase();
const newKey = (accountId: string) => ({
  keyId: `key_${crypto.randomUUID()}`,
  accountId,
  name: "more",
  hash: crypto.randomUUID(),
  now: 5,
});

describe("findApiKey", () => {
  it("gives the account of a key", async () => {
    const { accountId, key } = await newAccount(database, 1_000);
    expect(await findApiKey(database, key.hash)).toMatchObject({
      keyId: key.keyId,
      accountId,
      suspended: false,
    });
  });

  it("what it may spend is its balance less its open holds", async () => {
    const { accountId, key } = await newAccount(database, 1_000);
    await reserve(database, {
      holdId: crypto.randomUUID(),
      accountId,
      apiKeyId: key.keyId,
      amountMicro: 300,
      now: 1,
    });
    expect(await readAccount(database, accountId)).toMatchObject({ availableMicro: 700, openHolds: 1 });
  });

  it("knows no unknown and no revoked key", async () => {
    const { key } = await newAccount(database, 1_000);
    expect(await findApiKey(database, "unknown")).toBeUndefined();
    expect(await revokeApiKey(database, key.keyId, 9)).toBe(true);
    expect(await findApiKey(database, key.hash)).toBeUndefined();
  });

  it("says that an account is suspended", async () => {
    const { accountId, key } = await newAccount(database, 1_000);
    await database.execute(
      prepare(build.run(sql`UPDATE accounts SET suspended_at = 1 WHERE id = ${accountId}`)),
    );
    expect(await findApiKey(database, key.hash)).toMatchObject({ suspended: true });
  });
});

describe("an account's keys", () => {
  it("are at most 3, under any race", async () => {
    const { accountId } = await newAccount(database, 0);
    const results = await Promise.all(
      Array.from({ length: 20 }, () => addApiKey(database, newKey(accountId))),
    );
    expect(results.filter((result) => result === "added")).toHaveLength(2);
    expect(results.filter((result) => result === "too_many_keys")).toHaveLength(18);
    expect(await listApiKeys(database, { accountId, now: 1 })).toHaveLength(3);
  });

  it.each([1, 4])("are refused a taken or unknown slot by the database itself (slot %i)", async (slot) => {
    const { accountId } = await newAccount(database, 0);
    const insert = prepare(
      build.run(sql`INSERT INTO api_keys (id, account_id, name, hash, slot, created_at)
        VALUES (${crypto.randomUUID()}, ${accountId}, 'x', ${crypto.randomUUID()}, ${slot}, 0)`),
    );
    await expect(database.execute(insert)).rejects.toThrow(DatabaseError);
  });

  it("make room when one is revoked, once and for good", async () => {
    const { accountId, key } = await newAccount(database, 0);
    await addApiKey(database, newKey(accountId));
    await addApiKey(database, newKey(accountId));
    expect(await addApiKey(database, newKey(accountId))).toBe("too_many_keys");
    await revokeApiKey(database, key.keyId, 9);
    await revokeApiKey(database, key.keyId, 10);
    expect(await addApiKey(database, newKey(accountId))).toBe("added");
    const listed = await listApiKeys(database, { accountId, now: 1 });
    expect(listed.filter(({ revokedAt }) => revokedAt === 9)).toHaveLength(1);
    expect(JSON.stringify(listed)).not.toContain(key.hash);
  });

  it("are so many in 24 hours, those that ended too: their rows stay", async () => {
    const { accountId, key } = await newAccount(database, 0);
    const hourMs = 3_600_000;
    const make = async (hours: number) => {
      const made = { ...newKey(accountId), now: key.now + hours * hourMs, maxPerDay: 3 };
      const outcome = await addApiKey(database, made);
      await revokeApiKey(database, made.keyId, made.now);
      return outcome;
    };
    expect(await make(1)).toBe("added");
    expect(await make(2)).toBe("added");
    expect(await make(3)).toBe("too_many_today");
    expect(await make(24.5)).toBe("added");
    expect(await addApiKey(database, newKey(accountId))).toBe("added");
  });

  it("are found by their account, not among everybody's", async () => {
    const explained: Statement<string> = {
      ...selectKeys,
      text: `EXPLAIN QUERY PLAN ${selectKeys.text}`,
      read: ({ columns, rows }) => rows.map((row) => row[columns.indexOf("detail")]).join("\n"),
    };
    const plan = await database.execute(explained, { accountId: "a", keyId: "*", limit: 5, now: 1 });
    expect(plan).toContain("api_keys_by_account (account_id=?)");
    expect(plan).not.toMatch(/SCAN (?!key_months|LIST)/);
  });

  it("need an account, and revoking needs a key", async () => {
    expect(await addApiKey(database, newKey("acct_nobody"))).toBe("account_unknown");
    expect(await revokeApiKey(database, "key_nobody", 1)).toBe(false);
  });
});

describe("an account's credit", () => {
  it("comes with a ledger row, at creation and later", async () => {
    const { accountId } = await newAccount(database, 250);
    expect(await addCredit(database, { accountId, amountMicro: 50, reason: "gift", now: 3 })).toBe(50);
    expect(await readAccount(database, accountId)).toMatchObject({
      balanceMicro: 300,
      availableMicro: 300,
      openHolds: 0,
    });
    expect(await listLedger(database, accountId, 1)).toMatchObject([
      { kind: "credit", amountMicro: 50, reason: "gift" },
    ]);
    expect(await listLedger(database, accountId, 10)).toHaveLength(2);
  });

  it("is credited once under one reference, whatever is sent again", async () => {
    const { accountId } = await newAccount(database, 100);
    const payment = { accountId, reference: "invoice 7", reason: "paid", now: 3 };
    const sent = await Promise.all([1, 2, 3].map(() => addCredit(database, { ...payment, amountMicro: 50 })));
    expect(sent).toEqual([50, 50, 50]);
    expect(await addCredit(database, { ...payment, amountMicro: 60 })).toBe(50);
    expect((await readAccount(database, accountId))?.balanceMicro).toBe(150);
  });

  it("may be nothing at first, and needs an account", async () => {
    const { accountId } = await newAccount(database, 0);
    expect(await listLedger(database, accountId, 10)).toEqual([]);
    expect(
      await addCredit(database, { accountId: "acct_nobody", amountMicro: 1, reason: "x", now: 1 }),
    ).toBeUndefined();
    expect(await readAccount(database, "acct_nobody")).toBeUndefined();
  });

  it("never passes what a number can hold exactly", async () => {
    const creditMicro = Number.MAX_SAFE_INTEGER;
    const { accountId } = await newAccount(database, creditMicro);
    await expect(addCredit(database, { accountId, amountMicro: 1, reason: "x", now: 1 })).rejects.toThrow(
      "balance_in_range",
    );
    const twice = { accountId, email: "a@example.com", creditMicro: 1, now: 1 };
    await expect(createAccount(database, twice)).rejects.toThrow(DatabaseError);
    expect((await readAccount(database, accountId))?.balanceMicro).toBe(creditMicro);
  });
});

describe("a catalogue snapshot", () => {
  it("is read back as it was written, two megabytes too, and only a newer one replaces it", async () => {
    const source = crypto.randomUUID();
    expect(await readCatalogSnapshot(database, source)).toBeUndefined();
    const body = JSON.stringify({ data: "ü".repeat(1_000_000) });
    await writeCatalogSnapshot(database, { source, body, fetchedAt: 10 });
    await writeCatalogSnapshot(database, { source, body: "older", fetchedAt: 9 });
    expect(await readCatalogSnapshot(database, source)).toEqual({ source, body, fetchedAt: 10 });
    await writeCatalogSnapshot(database, { source, body: "newer", fetchedAt: 11 });
    expect((await readCatalogSnapshot(database, source))?.body).toBe("newer");
  });

  it("that a wrong clock dated a day ahead gives way to one of now: prices would stand still until then", async () => {
    const source = crypto.randomUUID();
    const now = Date.UTC(2026, 10, 23);
    await writeCatalogSnapshot(database, { source, body: "ahead", fetchedAt: now + 86_400_000 });
    await writeCatalogSnapshot(database, { source, body: "of now", fetchedAt: now });
    expect(await readCatalogSnapshot(database, source)).toEqual({ source, body: "of now", fetchedAt: now });
  });
});
