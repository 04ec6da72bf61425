// The operator's CLI: what it prints, how it ends, and which database it finds.
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type SQL, sql } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/sqlite-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashApiKey, hasValidChecksum } from "../../../edge/api-key.ts";
import { reserve } from "../../../edge/billing/hold.ts";
import { settle } from "../../../edge/billing/ledger.ts";
import { checkLedger } from "../../../edge/billing/ledger-check.ts";
import { addApiKey, findApiKey, revokeApiKey } from "../../../edge/db/api-keys.ts";
import { build, openDatabase, prepare } from "../../../edge/db/client.ts";
import { ledger } from "../../../edge/db/schema.ts";
import { beginSessionByLink } from "../../../edge/db/sessions.ts";
import { type AdminRun, runAdmin } from "../../../scripts/admin/run-admin.ts";
import { migrate } from "../../../scripts/migrate.ts";
import { type Sqld, startSqld } from "../../../scripts/self-host/sqld.ts";
import type { UsageFlag } from "../../../shared/usage-flags.ts";
import { listenOnLoopback } from "../../support/loopback.ts";

const script = fileURLToPath(new URL("../../../scripts/admin.ts", import.meta.url));
let root: string;
let sqld: Sqld;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "svc-admin-test-"));
  sqld = await startSqld({ directory: join(root, "served", "db"), port: 0 });
  await migrate(sqld.url);
});
afterAll(async () => {
  await sqld.stop();
  await rm(root, { recursive: true, force: true });
});

function runProcess(words: readonly string[], env: Record<string, string>): Promise<AdminRun> {
  return new Promise((resolve) => {
    const options = { env: { PATH: process.env.PATH, ...env } };
    execFile(process.execPath, [script, ...words], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}
const onUrl = (...words: string[]) => runAdmin(words, { LIBSQL_URL: sqld.url }, root);

async function json(...words: string[]) {
  const run = await onUrl(...words, "--json");
  expect(run).toMatchObject({ code: 0, stderr: "" });
  expect(run.stdout.trim().split("\n")).toHaveLength(1);
  return JSON.parse(run.stdout);
}
const newAccount = async (credits = "10") =>
  (await json("account", "create", "--email", "ops@example.com", "--credits", credits)).account_id as string;

describe("on LIBSQL_URL", () => {
  test("creates an account with credit and tells its story in the ledger", async () => {
    const account = await newAccount("10.000001");
    expect(account).toMatch(/^acct_[0-9a-f]{32}$/);
    const added = await json("credits", "add", "--account", account, "--amount", "0.5");
    expect(added).toMatchObject({ balance: 10.500001, available: 10.500001, open_holds: 0 });
    expect(await json("account", "show", "--account", account)).toEqual(added);
    const { entries } = await json("ledger", "list", "--account", account);
    expect(entries).toMatchObject([
      { kind: "credit", amount: 0.5 },
      { kind: "credit", amount: 10.000001 },
    ]);
  });

  test("credits a payment once to an account, and prints the account as it does without a reference", async () => {
    const [account, other] = [await newAccount("1"), await newAccount("1")];
    const pay = (id: string, amount: string, name = "invoice 7") =>
      onUrl("credits", "add", "--account", id, "--amount", amount, "--reference", name, "--json");
    const paid = JSON.parse((await pay(account, "0.5")).stdout);
    expect(await json("account", "show", "--account", account)).toEqual(paid);
    expect(JSON.parse((await pay(account, "0.5")).stdout)).toEqual(paid);
    expect(paid).toMatchObject({ balance: 1.5 });
    expect(await pay(account, "2")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("invoice 7 was credited before, with another amount: 0.5"),
    });
    expect((await pay(other, "2", "")).code).not.toBe(0);
    expect(JSON.parse((await pay(other, "2")).stdout)).toMatchObject({ balance: 3 });
    const { entries } = await json("ledger", "list", "--account", account);
    expect(entries).toMatchObject([
      { kind: "credit", amount: 0.5, request_id: "invoice 7" },
      { kind: "credit", amount: 1, request_id: null },
    ]);
    expect(await json("ledger", "check")).toMatchObject({ ok: true });
  });

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

  test("says which older account an address signs in to, of those with the very address", async () => {
    const create = (email: string) => json("account", "create", "--email", email, "--credits", "0");
    const { account_id: oldest, ...first } = await create("twice@example.com");
    expect(first).not.toHaveProperty("note");
    expect(await create("not-twice@example.com")).not.toHaveProperty("note");
    for (const email of ["Twice@Example.com", "twice@example.com"])
      expect((await create(email)).note).toContain(`${oldest} has this address, too, and is older`);
  });

  test("makes a link that signs an account in, its secret in the fragment, which no server is sent", async () => {
    const account = await newAccount("1");
    const { path, expires_at: expiresAt } = await json("account", "sign-in-link", "--account", account);
    expect(path).toMatch(/^\/sign-in#svc_ln_[0-9A-Za-z]{49}$/);
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
    const session = {
      sessionId: "ses_x",
      hash: "x",
      endsHash: null,
      now: Date.now(),
      expiresAt: Date.now() + 1,
    };
    const database = openDatabase({ url: sqld.url });
    const linkHash = await hashApiKey(path.split("#")[1]);
    expect(await beginSessionByLink(database, { ...session, linkHash })).toBe(true);
    expect(await onUrl("account", "sign-in-link", "--account", "acct_nobody")).toMatchObject({ code: 1 });
  });

  test("shows what holds have set aside", async () => {
    const account = await newAccount("1");
    const order = {
      holdId: `hold_${account}`,
      accountId: account,
      apiKeyId: "key_x",
      amountMicro: 400_000,
      now: 0,
    };
    await reserve(openDatabase({ url: sqld.url }), order);
    expect(await json("account", "show", "--account", account)).toMatchObject({
      balance: 1,
      available: 0.6,
      open_holds: 1,
    });
  });

  test("creates a key that works, lists it without its secret, and revokes it at once", async () => {
    const account = await newAccount();
    const created = await json("key", "create", "--account", account, "--name", "first");
    expect(hasValidChecksum(created.api_key)).toBe(true);
    const database = openDatabase({ url: sqld.url });
    const hash = await hashApiKey(created.api_key);
    expect(await findApiKey(database, hash)).toMatchObject({ keyId: created.key_id, accountId: account });
    const listed = await onUrl("key", "list", "--account", account, "--json");
    expect(JSON.parse(listed.stdout).keys).toMatchObject([
      { key_id: created.key_id, name: "first", active: true },
    ]);
    expect(listed.stdout).not.toContain(created.api_key.slice(12, 30));
    expect(listed.stdout).not.toContain(hash);
    expect(await json("key", "revoke", "--key", created.key_id)).toEqual({
      key_id: created.key_id,
      revoked: true,
    });
    expect(await findApiKey(database, hash)).toBeUndefined();
  });

  test("lists the newest keys of all accounts, ended ones too, but not the console's", async () => {
    const database = openDatabase({ url: sqld.url });
    const accounts = [await newAccount(), await newAccount()];
    const year = 365 * 86_400_000;
    const add = async (nth: number) => {
      const keyId = `key_newest_${nth}`;
      const accountId = accounts[nth % 2]!;
      // Later than the keys of other tests.
      await addApiKey(database, { keyId, accountId, name: "n", hash: keyId, now: Date.now() + nth * year });
      return { key_id: keyId, account_id: accountId };
    };
    const [oldest, ended, newest, hidden] = [await add(1), await add(2), await add(3), await add(4)];
    await revokeApiKey(database, ended.key_id, Date.now());
    await database.execute(
      prepare(build.run(sql`UPDATE api_keys SET is_console = TRUE WHERE id = ${hidden.key_id}`)),
    );
    const list = async (...more: string[]) => (await json("key", "list", ...more)).keys;
    expect(await list("--limit", "2")).toMatchObject([newest, { ...ended, active: false }]);
    expect((await list())[2]).toMatchObject(oldest);
    expect(await list("--account", accounts[1]!)).toMatchObject([oldest, newest]);
    expect(await list("--account", accounts[1]!, "--limit", "1")).toMatchObject([newest]);
    expect(await list("--account", accounts[0]!)).toMatchObject([ended]);
  });

  test("creates a key that manages others only where it is told to", async () => {
    const account = await newAccount();
    const make = (...more: string[]) => json("key", "create", "--account", account, "--name", "k", ...more);
    expect([(await make()).manage, (await make("--manage")).manage]).toEqual([false, true]);
    const { keys } = await json("key", "list", "--account", account);
    expect(keys.map((key: { manage: boolean }) => key.manage)).toEqual([false, true]);
  });

  test("makes an account an operator's, and takes it back", async () => {
    const account = await newAccount();
    const operator = (...more: string[]) => json("account", "operator", "--account", account, ...more);
    expect([(await operator()).operator, (await operator("--off")).operator]).toEqual([true, false]);
    expect((await onUrl("account", "operator", "--account", "acct_x")).stderr).toBe(
      "There is no account acct_x.\n",
    );
  });

  test("refuses a fourth active key and says what to do", async () => {
    const account = await newAccount();
    const create = () => onUrl("key", "create", "--account", account, "--name", "one of many", "--json");
    const runs = await Promise.all([create(), create(), create(), create()]);
    expect(runs.map(({ code }) => code).sort()).toEqual([0, 0, 0, 1]);
    const refused = runs.find(({ code }) => code === 1)!;
    expect(refused.stderr).toBe(
      `Account ${account} already has 3 active keys: revoke one first (key list shows them).\n`,
    );
    expect(JSON.parse(refused.stdout)).toEqual({ error: refused.stderr.trim() });
  });

  test.each([
    [["account", "create", "--email", "nobody", "--credits", "1"], '"nobody" is not an e-mail address.'],
    [
      ["account", "create", "--email", "a@example.com", "--credits", "1.0000001"],
      "is not an amount of credits",
    ],
    [["credits", "add", "--account", "acct_x", "--amount", "1"], "There is no account acct_x."],
    [["credits", "add", "--account", "acct_x", "--amount", "0"], "Nothing to add"],
    [["account", "show", "--account", "acct_x"], "There is no account acct_x."],
    [["key", "create", "--account", "acct_x", "--name", "n"], "There is no account acct_x."],
    [["key", "revoke", "--key", "key_x"], "There is no key key_x."],
    [["key", "list", "--account", "acct_x"], "There is no account acct_x."],
    [["key", "list", "--limit", "0"], "--limit must be 1 to 999999."],
    [["ledger", "list", "--account", "acct_x"], "There is no account acct_x."],
  ])("refuses %j in one sentence", async (words, why) => {
    const run = await onUrl(...words);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain(why);
    expect(run.stderr.trim().split("\n")).toHaveLength(1);
  });

  test("prints tables for people", async () => {
    const account = await newAccount();
    expect((await onUrl("account", "show", "--account", account)).stdout).toMatch(/^balance +10$/m);
    const ledger = (await onUrl("ledger", "list", "--account", account)).stdout.split("\n");
    expect(ledger[0]).toMatch(/^id +created_at +kind +amount +reason$/);
    expect(ledger[1]).toMatch(/credit +10 +first credit$/);
  });

  test("prints a key's name as its owner wrote it, but nothing that moves the operator's terminal", async () => {
    const account = await newAccount("1");
    const name = "ü \u001b]0;owned\u0007\u001b[2J\n\u202ex";
    await json("key", "create", "--account", account, "--name", name);
    const { stdout } = await onUrl("key", "list", "--account", account);
    expect(stdout.split("\n")).toHaveLength(3);
    expect(stdout).toContain("ü \\u{1b}]0;owned\\u{7}\\u{1b}[2J\\u{a}\\u{202e}x");
  });

  test("migrates, again too", async () => {
    expect(await json("migrate")).toEqual({ migrated: true });
  });

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

describe("on a database that is not there", () => {
  test("migrate says why in one sentence, not which statement it was", async () => {
    const refusing = createServer((_request, response) => response.writeHead(401).end("{}"));
    const { url, stop } = await listenOnLoopback(refusing);
    const run = await runAdmin(["migrate"], { LIBSQL_URL: url }, root);
    await stop();
    const why = "Server returned HTTP status 401: {}. Check LIBSQL_URL and LIBSQL_AUTH_TOKEN.";
    expect(run).toEqual({ code: 1, stdout: "", stderr: `The database could not be migrated: ${why}\n` });
  });

  test("says so without its address or token", async () => {
    const env = { LIBSQL_URL: "http://127.0.0.1:9", LIBSQL_AUTH_TOKEN: "canary" };
    const run = await runAdmin(["ledger", "check"], env, root);
    expect(run.code).toBe(1);
    expect(run.stderr).toBe(
      "The database does not answer (unreachable): check LIBSQL_URL and LIBSQL_AUTH_TOKEN, or try again. A change may have been made all the same: look first.\n",
    );
  });
});

describe("as a process on DATA_DIR", { timeout: 60_000 }, () => {
  const create = ["account", "create", "--email", "ops@example.com", "--credits", "1", "--json"];
  const show = (id: string) => ["account", "show", "--account", id, "--json"];

  test("fails with code 1 and one sentence on stderr", async () => {
    const run = await runProcess(["account", "shine"], { DATA_DIR: root });
    expect(run).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining('no command "account shine"'),
    });
  });

  test("runs the database itself while no service does, and keeps the data", async () => {
    const env = { DATA_DIR: join(root, "alone") };
    const { account_id } = JSON.parse((await runProcess(create, env)).stdout);
    expect(JSON.parse((await runProcess(show(account_id), env)).stdout)).toMatchObject({
      account_id,
      balance: 1,
    });
  });

  test("says that there is no DATA_DIR instead of making one, unless the command makes accounts", async () => {
    const missing = join(root, "mistyped");
    const run = await runProcess(["account", "list"], { DATA_DIR: missing });
    expect(run).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(`There is no DATA_DIR ${missing}`),
    });
    expect(existsSync(missing)).toBe(false);
  });

  test("says nothing where its reader leaves before the end, as head does", async () => {
    const child = spawn(process.execPath, [script, "--help"], { env: { PATH: process.env.PATH } });
    child.stdout.destroy();
    expect(await text(child.stderr)).toBe("");
  });

  test("lets two commands at once take turns", async () => {
    const env = { DATA_DIR: join(root, "turns") };
    const runs = await Promise.all([runProcess(create, env), runProcess(create, env)]);
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  });

  test("talks to the running service's database", async () => {
    const file = { pid: process.pid, libsqlUrl: sqld.url, children: [] };
    await writeFile(join(root, "served", "run.json"), JSON.stringify(file));
    const { account_id } = JSON.parse((await runProcess(create, { DATA_DIR: join(root, "served") })).stdout);
    expect(JSON.parse((await onUrl(...show(account_id))).stdout)).toMatchObject({ account_id });
  });

  test("does not follow the run.json of a service that was killed", async () => {
    const stale = join(root, "stale");
    await mkdir(stale, { recursive: true });
    await writeFile(
      join(stale, "run.json"),
      JSON.stringify({ pid: process.pid, libsqlUrl: sqld.url, children: [] }),
    );
    const { account_id } = JSON.parse((await runProcess(create, { DATA_DIR: stale })).stdout);
    expect((await onUrl(...show(account_id))).code).toBe(1);
  });
});
