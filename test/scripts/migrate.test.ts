// A database in use is migrated to the newest schema and keeps its data.
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "@libsql/client/http";
import { drizzle } from "drizzle-orm/libsql/http";
import { migrate as applyMigrations } from "drizzle-orm/libsql/migrator";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sweep } from "../../edge/scheduled.ts";
import { mailboxOf, readEmailAddress } from "../../edge/sign-in/email-address.ts";
import { migrate } from "../../scripts/migrate.ts";
import { type Sqld, startSqld } from "../../scripts/self-host/sqld.ts";

let directory: string;
let sqld: Sqld;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-migrate-test-"));
  sqld = await startSqld({ directory: join(directory, "db"), port: 0 });
});
afterEach(async () => {
  await sqld.stop();
  await rm(directory, { recursive: true });
});

/** Applies the first `count` files of drizzle/ only, as an older release did. */
async function migrateTo(count: number): Promise<void> {
  const migrationsFolder = join(directory, "drizzle");
  await cp(fileURLToPath(new URL("../../drizzle", import.meta.url)), migrationsFolder, { recursive: true });
  const path = join(migrationsFolder, "meta/_journal.json");
  const journal = JSON.parse(await readFile(path, "utf8"));
  await writeFile(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, count) }));
  await applyMigrations(drizzle(createClient({ url: sqld.url })), { migrationsFolder });
}

test("answers kept before they were counted are counted, and free their bytes", async () => {
  await migrateTo(11);
  const client = createClient({ url: sqld.url });
  await client.batch([
    "INSERT INTO accounts (id, email, created_at) VALUES ('one', 'a@example.com', 0), ('two', 'b@example.com', 0)",
    `INSERT INTO stored_answers (account_id, key_hash, hold_id, fingerprint, answer, created_at) VALUES
      ('one', 'a', 'h1', 'f', 'k1.abcd', 1), ('one', 'b', 'h2', 'f', 'k1.abc', 2), ('two', 'a', 'h3', 'f', NULL, 1)`,
  ]);
  await migrate(sqld.url);
  const kept = async () => {
    const { rows } = await client.execute("SELECT kept_answer_bytes AS bytes FROM accounts ORDER BY id");
    return rows.map(({ bytes }) => bytes);
  };
  expect(await kept()).toEqual([13, 0]);
  await client.execute("DELETE FROM stored_answers WHERE created_at <= 1");
  expect(await kept()).toEqual([6, 0]);
  client.close();
});

test("holds that a newer edge settled on an older database are ended, and the sweep runs again", async () => {
  await migrateTo(13);
  const client = createClient({ url: sqld.url });
  await client.batch([
    "INSERT INTO accounts (id, email, created_at) VALUES ('one', 'a@example.com', 0)",
    "INSERT INTO ledger (account_id, kind, amount_micro, created_at) VALUES ('one', 'credit', 1000, 0)",
    "INSERT INTO holds (id, account_id, api_key_id, amount_micro, created_at) VALUES ('settled', 'one', 'key', 100, 1), ('open', 'one', 'key', 200, 1)",
    "INSERT INTO hold_progress (hold_id, charge_micro, seen_at) VALUES ('settled', 50, 1), ('open', 20, 1)",
    "INSERT INTO ledger (account_id, api_key_id, kind, amount_micro, hold_id, created_at) VALUES ('one', 'key', 'charge', -70, 'settled', 1)",
  ]);
  await migrate(sqld.url);
  const read = async (text: string) => (await client.execute(text)).rows.map(({ value }) => value);
  expect(await read("SELECT id AS value FROM holds")).toEqual(["open"]);
  expect(await read("SELECT hold_id AS value FROM hold_progress")).toEqual(["open"]);
  expect(await sweep({ database: { url: sqld.url }, fetch, now: Date.now })).toMatchObject({
    releasedHolds: 1,
  });
  expect(await read("SELECT balance_micro AS value FROM accounts")).toEqual([1000 - 70 - 20]);
  client.close();
});

test("every account that is there has had the credit of its mailbox, which is read as a new person's is", async () => {
  await migrateTo(18);
  const addresses = [
    "you@example.com",
    "Me@Example.com",
    "tag+news@example.com",
    "tags+a+b@example.com",
    "+1@example.com",
    "d.o.t@example.com",
    "d.o.t+1@gmail.com",
    "+.2@gmail.com",
    "Other.Dot@GoogleMail.com",
    "a.b@notgmail.com",
    "c.d@gmail.com.example.com",
  ];
  const unaddressed = ["telegram:123", "github:9", "google:Ab.c+d"];
  const client = createClient({ url: sqld.url });
  await client.batch(
    [...addresses, ...unaddressed].map((email, at) => ({
      sql: "INSERT INTO accounts (id, email, created_at) VALUES (?, ?, ?)",
      args: [`acct_${at}`, email, at],
    })),
  );
  await client.execute(
    "INSERT INTO accounts (id, email, created_at) VALUES ('later', 'you+again@example.com', 99)",
  );
  await migrate(sqld.url);
  const { rows } = await client.execute(
    "SELECT account_id, mailbox FROM sign_up_credits ORDER BY created_at",
  );
  const mailboxes = [...addresses.map((address) => mailboxOf(readEmailAddress(address)!)), ...unaddressed];
  expect(rows.map(({ account_id, mailbox }) => [account_id, mailbox])).toEqual(
    mailboxes.map((mailbox, at) => [`acct_${at}`, mailbox]),
  );
  client.close();
});

test("several services that bring one database to the newest schema at the same moment all find it there", async () => {
  await migrateTo(7);
  await Promise.all(Array.from({ length: 4 }, () => migrate(sqld.url)));
  const client = createClient({ url: sqld.url });
  const { rows } = await client.execute(
    "SELECT count(DISTINCT hash) = count(*) AS once FROM __drizzle_migrations",
  );
  expect(rows).toMatchObject([{ once: 1 }]);
  client.close();
});
