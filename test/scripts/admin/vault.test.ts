// The admin commands on vault and accounts, while the database is in use.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reserve } from "../../../edge/billing/hold.ts";
import { build, openDatabase, prepare } from "../../../edge/db/client.ts";
import { readVaultKeys } from "../../../edge/env.ts";
import { createKeyCache, sealAndStore } from "../../../edge/vault/provider-keys.ts";
import { createSealer } from "../../../edge/vault/seal.ts";
import { runAdmin } from "../../../scripts/admin/run-admin.ts";
import { migrate } from "../../../scripts/migrate.ts";
import { type Sqld, startSqld } from "../../../scripts/self-host/sqld.ts";
import { acquireLock } from "../../../scripts/self-host/sqld-lock.ts";

const [old, fresh] = ["k1", "k2"].map((id, fill) => `${id}:${Buffer.alloc(32, fill + 1).toString("base64")}`);
let root: string;
let sqld: Sqld;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "svc-vault-test-"));
  sqld = await startSqld({ directory: join(root, "db"), port: 0 });
  await migrate(sqld.url);
});
afterAll(async () => {
  await sqld.stop();
  await rm(root, { recursive: true, force: true });
});

const admin = (words: string, env: Record<string, string> = {}) =>
  runAdmin(words.split(" "), { LIBSQL_URL: sqld.url, ...env }, root);
const json = async (words: string, env: Record<string, string> = {}) =>
  JSON.parse((await admin(`${words} --json`, env)).stdout);
const newAccount = async () =>
  (await json("account create --email ops@example.com --credits 1")).account_id as string;

const vaultOf = (vaultKeys: string) => ({
  sealer: createSealer(readVaultKeys(vaultKeys), (length) => crypto.getRandomValues(new Uint8Array(length))),
  cache: createKeyCache(),
});
const store = (accountId: string, vaultKeys: string) =>
  sealAndStore(openDatabase({ url: sqld.url }), vaultOf(vaultKeys), {
    accountId,
    keys: { alpha: "sk-canary", router: "sk-or-canary" },
    now: 1,
  });

describe("vault rotate", () => {
  test("says so if the first key is not the new one: it moves nothing, which would look like a finished rotation", async () => {
    await store(await newAccount(), old!);
    const alone = await json("vault rotate", { VAULT_KEYS: old! });
    expect(alone).toMatchObject({ resealed: 0, next: expect.stringMatching(/^VAULT_KEYS has k1 alone/) });
    const reversed = await json("vault rotate", { VAULT_KEYS: `${old},${fresh}` });
    expect(reversed.next).toMatch(/^Nothing is sealed with k2 any more: .* unless it is the newer one/);
    await json("vault rotate", { VAULT_KEYS: `${fresh},${old}` });
  });

  test("moves stored keys under the first key, says how many, and shows none", async () => {
    await store(await newAccount(), old!);
    const env = { VAULT_KEYS: `${fresh},${old}` };
    const run = await admin("vault rotate --json", env);
    expect(JSON.parse(run.stdout)).toEqual({
      sealed_by: "k2",
      resealed: 2,
      older_answers: 0,
      next: expect.stringMatching(/^Nothing is sealed with k1 any more/),
      unreadable: [],
    });
    expect(run.code).toBe(0);
    expect(run.stdout + run.stderr).not.toMatch(/canary/);
    expect(await json("vault rotate", env)).toMatchObject({ resealed: 0 });
    expect(await json("vault rotate", { VAULT_KEYS: fresh! })).toMatchObject({ resealed: 0, unreadable: [] });
  });

  test("beside a running service fails if that lacks the new key or seals with another, and moves no stored key out of its reach", async () => {
    const [directory, accountId] = [join(root, "served"), await newAccount()];
    await store(accountId, old!);
    await mkdir(join(directory, "db"), { recursive: true });
    const lock = await acquireLock(join(directory, "db"), 0);
    const rotateBeside = async (vaultKeyIds: string[], VAULT_KEYS: string) => {
      const file = { pid: process.pid, libsqlUrl: sqld.url, vaultKeyIds, children: [] };
      await writeFile(join(directory, "run.json"), JSON.stringify(file));
      const env = { DATA_DIR: directory, VAULT_KEYS };
      const { code, stdout } = await runAdmin(["vault", "rotate", "--json"], env, root);
      return { code, ...JSON.parse(stdout) };
    };
    expect(await rotateBeside(["k1"], `${fresh},${old}`)).toMatchObject({
      code: 1,
      error: expect.stringMatching(/^The running service does not have the key k2/),
    });
    expect(await rotateBeside(["k2", "k1"], old!)).toMatchObject({
      code: 1,
      resealed: 0,
      next: expect.stringMatching(/^The running service seals with k2/),
    });
    const ahead = await rotateBeside(["k1", "k2"], `${fresh},${old}`);
    // The service seals with k1: whether it or the CLI has the older order of keys cannot be known, so both are named.
    expect(ahead).toMatchObject({
      resealed: 2,
      next: expect.stringMatching(/k1, not k2: give both the same/),
    });
    expect(await rotateBeside(["k2", "k1"], `${fresh},${old}`)).toMatchObject({ code: 0, resealed: 0 });
    // Every row is readable and nothing is moved, and yet it is no finished rotation.
    await json("vault rotate", { VAULT_KEYS: `${old},${fresh}` });
    expect(await rotateBeside(["k2", "k1"], old!)).toMatchObject({ code: 1, resealed: 0, unreadable: [] });
    await json("vault rotate", { VAULT_KEYS: `${fresh},${old}` });
    await lock.free();
  });

  test("fails and names what it could not open, and leaves it for the right key", async () => {
    const accountId = await newAccount();
    await store(accountId, old!);
    const run = await admin("vault rotate --json", { VAULT_KEYS: fresh! });
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stdout)).toMatchObject({
      resealed: 0,
      unreadable: [
        { account_id: accountId, provider: "alpha", reason: "unknown_master_key" },
        { account_id: accountId, provider: "router", reason: "unknown_master_key" },
      ],
    });
    expect(await json("vault rotate", { VAULT_KEYS: `${fresh},${old}` })).toMatchObject({ resealed: 2 });
  });

  test("can be followed by a discard of what its keys do not open though they should; of another key's only with --lost", async () => {
    const accountId = await newAccount();
    const database = openDatabase({ url: sqld.url });
    await store(accountId, old!);
    const ofOther = [
      { account_id: accountId, provider: "alpha", reason: "unknown_master_key" },
      { account_id: accountId, provider: "router", reason: "unknown_master_key" },
    ];
    expect(await json("vault discard", { VAULT_KEYS: fresh! })).toEqual({ discarded: [], kept: ofOther });
    await database.execute(
      prepare(
        build.run(
          sql`UPDATE provider_keys SET sealed = sealed || 'x' WHERE account_id = ${accountId} AND provider = 'alpha'`,
        ),
      ),
      {},
    );
    expect(await json("vault discard", { VAULT_KEYS: `${fresh},${old}` })).toMatchObject({
      discarded: [{ account_id: accountId, provider: "alpha" }],
      kept: [],
    });
    await store(accountId, old!);
    expect(await json("vault discard --lost", { VAULT_KEYS: fresh! })).toMatchObject({
      discarded: ofOther,
      kept: [],
    });
  });

  test.each([
    [{}, /^Set VAULT_KEYS as the edge has it/],
    [{ VAULT_KEYS: "" }, /^The vault is disabled: set VAULT_KEYS/],
    [{ VAULT_KEYS: "k1:secretsecret" }, /^VAULT_KEYS must be kid:base64/],
  ])("says what to do with %j", async (env, sentence) => {
    const run = await admin("vault rotate", env as Record<string, string>);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(sentence);
    expect(run.stderr).not.toContain("secretsecret");
  });
});

describe("a suspended account", () => {
  test("reserves nothing until it is resumed; the first suspension's time stays", async () => {
    const accountId = await newAccount();
    const hold = (holdId: string) =>
      reserve(openDatabase({ url: sqld.url }), {
        holdId,
        accountId,
        apiKeyId: "key_x",
        amountMicro: 1,
        now: 1,
      });
    const suspended = await json(`account suspend --account ${accountId}`);
    expect(suspended.suspended_at).toMatch(/^\d{4}-/);
    expect(await json(`account suspend --account ${accountId}`)).toEqual(suspended);
    expect(await hold("one")).toMatchObject({ granted: false });
    expect(await json(`account resume --account ${accountId}`)).toMatchObject({ suspended_at: null });
    expect(await hold("two")).toEqual({ granted: true });
  });

  test.each(["suspend", "resume"])("%s of nobody is refused", async (verb) => {
    expect(await admin(`account ${verb} --account acct_x`)).toEqual({
      code: 1,
      stdout: "",
      stderr: "There is no account acct_x.\n",
    });
  });
});

test("account list is a table for people and one object for programs", async () => {
  const accountId = await newAccount();
  const { accounts } = await json("account list --limit 1000");
  expect(accounts).toContainEqual(expect.objectContaining({ account_id: accountId, balance: 1 }));
  const { stdout } = await admin("account list");
  const [head, ...rows] = stdout.trimEnd().split("\n");
  expect(head).toMatch(/^account_id +email +balance +created_at/);
  expect(rows).toHaveLength(accounts.length);
});
