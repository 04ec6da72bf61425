// The operator's commands for API keys.
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { hashApiKey, hasValidChecksum } from "../../../edge/api-key.ts";
import { addApiKey, findApiKey, revokeApiKey } from "../../../edge/db/api-keys.ts";
import { build, openDatabase, prepare } from "../../../edge/db/client.ts";
import { startAdmin } from "./start-admin.ts";

const { sqld, onUrl, json, newAccount } = await startAdmin();

describe("commands for keys", () => {
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

  test("prints a key's name as its owner wrote it, but nothing that moves the operator's terminal", async () => {
    const account = await newAccount("1");
    const name = "ü \u001b]0;owned\u0007\u001b[2J\n\u202ex\u2066y\u2069\u2028z";
    await json("key", "create", "--account", account, "--name", name);
    const { stdout } = await onUrl("key", "list", "--account", account);
    expect(stdout.split("\n")).toHaveLength(3);
    expect(stdout).toContain(
      "ü \\u{1b}]0;owned\\u{7}\\u{1b}[2J\\u{a}\\u{202e}x\\u{2066}y\\u{2069}\\u{2028}z",
    );
  });
});
