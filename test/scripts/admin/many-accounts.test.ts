// The books of more accounts than the database lists in one answer.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@libsql/client/http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkLedger } from "../../../edge/billing/ledger-check.ts";
import { openDatabase } from "../../../edge/db/client.ts";
import { migrate } from "../../../scripts/migrate.ts";
import { type Sqld, startSqld } from "../../../scripts/self-host/sqld.ts";

/** sqld refuses an answer of more than 10 MB, which some 110,000 accounts fill. */
const accounts = 120_000;
let root: string;
let sqld: Sqld;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "svc-many-accounts-"));
  sqld = await startSqld({ directory: join(root, "db"), port: 0 });
  await migrate(sqld.url);
  const ids = `WITH RECURSIVE ids(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ${accounts})`;
  await createClient({ url: sqld.url }).execute(
    `INSERT INTO accounts (id, email, created_at) ${ids} SELECT printf('acct_%032d', id), 'a@example.com', 0 FROM ids`,
  );
});
afterAll(async () => {
  await sqld.stop();
  await rm(root, { recursive: true, force: true });
});

test("the first account and the last are checked like those between them", async () => {
  const database = openDatabase({ url: sqld.url });
  expect(await checkLedger(database)).toEqual([]);
  const idOf = (number: number) => `acct_${String(number).padStart(32, "0")}`;
  const broken = [1, 20_000, 20_001, accounts].map(idOf);
  await createClient({ url: sqld.url }).execute({
    sql: `UPDATE accounts SET balance_micro = 5 WHERE id IN (${broken.map(() => "?").join()})`,
    args: broken,
  });
  expect((await checkLedger(database)).map(({ accountId }) => accountId)).toEqual(broken);
});
