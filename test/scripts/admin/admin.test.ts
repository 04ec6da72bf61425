// The operator's CLI: accounts, what it prints, and what it refuses.
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { hashApiKey } from "../../../edge/api-key.ts";
import { reserve } from "../../../edge/billing/hold.ts";
import { openDatabase } from "../../../edge/db/client.ts";
import { beginSessionByLink } from "../../../edge/db/sessions.ts";
import { runAdmin } from "../../../scripts/admin/run-admin.ts";
import { listenOnLoopback } from "../../support/loopback.ts";
import { startAdmin } from "./start-admin.ts";

const { root, sqld, onUrl, json, newAccount } = await startAdmin();

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

  test("says which older account an address signs in to, of those with the very address", async () => {
    const create = (email: string) => json("account", "create", "--email", email, "--credits", "0");
    const { account_id: oldest, ...first } = await create("twice@example.com");
    expect(first).not.toHaveProperty("note");
    expect(await create("not-twice@example.com")).not.toHaveProperty("note");
    for (const email of ["Twice@Example.com", "twice@example.com"])
      expect((await create(email)).note).toContain(`${oldest} has this address, too, and is older`);
  });

  test("says of an address that no code can be sent to that its owner signs in by a link", async () => {
    const create = (email: string) => json("account", "create", "--email", email, "--credits", "0");
    for (const email of ["<owner@example.com>", "owner@example.com,", "m\u00fcller@example.com"])
      expect((await create(email)).note).toContain("No code for signing in can be sent to this address");
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

  test("makes an account an operator's, and takes it back", async () => {
    const account = await newAccount();
    const operator = (...more: string[]) => json("account", "operator", "--account", account, ...more);
    expect([(await operator()).operator, (await operator("--off")).operator]).toEqual([true, false]);
    expect((await onUrl("account", "operator", "--account", "acct_x")).stderr).toBe(
      "There is no account acct_x.\n",
    );
  });

  test.each([
    [["account", "create", "--email", "nobody", "--credits", "1"], '"nobody" is not an e-mail address.'],
    [["account", "create", "--email", "a\x1b[2J@example.com", "--credits", "1"], "is not an e-mail address."],
    [["account", "create", "--email", `${"a".repeat(250)}@example.com`, "--credits", "1"], "--email has 262"],
    [["key", "create", "--account", "acct_x", "--name", " \t"], "key create needs --name N."],
    [["key", "create", "--account", "acct_x", "--name", "n".repeat(101)], "--name has 101 characters"],
    [
      ["credits", "add", "--account", "acct_x", "--amount", "1", "--reference", "r".repeat(129)],
      "--reference has 129 characters, and may have 128 at most.",
    ],
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

  test("migrates, again too", async () => {
    expect(await json("migrate")).toEqual({ migrated: true });
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
