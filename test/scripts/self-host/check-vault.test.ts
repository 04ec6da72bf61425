// A secrets.json that does not belong to the database is reported at the start.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../../edge/db/client.ts";
import { readVaultKeys } from "../../../edge/env.ts";
import { createKeyCache, sealAndStore } from "../../../edge/vault/provider-keys.ts";
import { createSealer } from "../../../edge/vault/seal.ts";
import { runAdmin } from "../../../scripts/admin/run-admin.ts";
import { migrate } from "../../../scripts/migrate.ts";
import { checkVault } from "../../../scripts/self-host/check-vault.ts";
import { type Sqld, startSqld } from "../../../scripts/self-host/sqld.ts";

const keyOf = (id: string, fill: number) => `${id}:${Buffer.alloc(32, fill).toString("base64")}`;
let root: string;
let sqld: Sqld;
let accountId: string;

/** Stores provider keys, sealed with a master key. */
async function store(vaultKeys: string, keys: { alpha: string; beta?: string }): Promise<void> {
  const sealer = createSealer(readVaultKeys(vaultKeys), (length) =>
    crypto.getRandomValues(new Uint8Array(length)),
  );
  const database = openDatabase({ url: sqld.url });
  await sealAndStore(database, { sealer, cache: createKeyCache() }, { accountId, keys, now: 1 });
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "svc-check-vault-"));
  sqld = await startSqld({ directory: join(root, "db"), port: 0 });
  await migrate(sqld.url);
  const created = await runAdmin(
    "account create --email a@example.com --credits 1 --json".split(" "),
    { LIBSQL_URL: sqld.url },
    root,
  );
  accountId = JSON.parse(created.stdout).account_id;
  await store(keyOf("old", 1), { alpha: "sk-a", beta: "sk-ant-b" });
});
afterAll(async () => {
  await sqld.stop();
  await rm(root, { recursive: true, force: true });
});

const check = (vaultKeys: string) =>
  checkVault({ LIBSQL_URL: sqld.url, VAULT_KEYS: vaultKeys }, "/data/secrets.json");

test.each([
  ["the key it was sealed with", keyOf("old", 1)],
  ["that key after a newer one", `${keyOf("new", 2)},${keyOf("old", 1)}`],
  ["the vault turned off", ""],
])("a start with %s goes on", async (_name, vaultKeys) => {
  await expect(check(vaultKeys)).resolves.toBeUndefined();
});

test.each([
  ["a key made anew", keyOf("new", 2)],
  ["another key of the same name", keyOf("old", 3)],
])("a start with %s is refused, and names the file and what to do", async (_name, vaultKeys) => {
  const refused = check(vaultKeys);
  await expect(refused).rejects.toThrow(/^2 provider keys .*\/data\/secrets\.json.*backup.*vault discard/s);
  await expect(refused).rejects.not.toThrow(vaultKeys.split(":")[1]);
});

test("a start goes on although the first row that it tries is damaged, as another opens", async () => {
  await store(keyOf("old", 9), { alpha: "sk-a" });
  await expect(check(keyOf("old", 1))).resolves.toBeUndefined();
});

test("who gives the old keys up can start again", async () => {
  const env = { LIBSQL_URL: sqld.url, VAULT_KEYS: keyOf("new", 2) };
  const { stdout } = await runAdmin(["vault", "discard", "--lost", "--json"], env, root);
  expect(JSON.parse(stdout).discarded).toHaveLength(2);
  await check(keyOf("new", 2));
});
