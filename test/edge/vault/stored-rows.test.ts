// Somebody who can write to the database can delete stored keys, and nothing else.
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { build, prepare } from "../../../edge/db/client.ts";
import { deleteKeys } from "../../../edge/db/provider-keys.ts";
import { providerKeyContext, sealAndStore } from "../../../edge/vault/provider-keys.ts";
import { rotateKeys } from "../../../edge/vault/rotate.ts";
import { createSealer } from "../../../edge/vault/seal.ts";
import { openTestDatabase } from "../support/accounts.ts";
import { createTestApp, createTestVault, newCaller } from "../support/app.ts";

const database = openTestDatabase();
const vault = createTestVault();
const hello = { model: "svc-x1ac-base-gpt-4o", messages: [{ role: "user", content: "go" }], max_tokens: 20 };
type Caller = Awaited<ReturnType<typeof newCaller>>;
const run = (query: ReturnType<typeof sql>) => database.execute(prepare(build.run(query)));
const rowOf = async (accountId: string) => {
  const select = sql`SELECT version, sealed FROM provider_keys WHERE account_id = ${accountId} AND provider = 'alpha'`;
  const [row] = await database.execute(prepare(build.all<{ version: number; sealed: string }>(select)));
  return row!;
};
const put = (accountId: string, { version, sealed }: { version: number; sealed: string }) =>
  run(sql`INSERT INTO provider_keys (account_id, provider, version, sealed, validated_at)
    VALUES (${accountId}, 'alpha', ${version}, ${sealed}, 1)
    ON CONFLICT (account_id, provider) DO UPDATE SET version = excluded.version, sealed = excluded.sealed`);

/** One request of a fresh isolate, or of the one given. */
async function use(caller: Caller, app = createTestApp()) {
  const response = await app.chat(caller.apiKey, hello);
  const body = await response.json<{ error?: { code: string; message: string } }>();
  return { status: response.status, body, key: app.sent.at(-1)?.headers.get("authorization"), app };
}

async function expectUnreadable(caller: Caller, reason: string, app = createTestApp()) {
  const calls = app.sent.length;
  const { status, body } = await use(caller, app);
  expect([status, body.error?.code]).toEqual([503, "stored_key_unreadable"]);
  expect(body.error?.message).toMatch(/store it again .* x-alpha-key/);
  expect(JSON.stringify(body)).not.toMatch(/canary|k1\./);
  expect(app.sent).toHaveLength(calls);
  const line = {
    event: "stored_key_unreadable",
    level: "error",
    account_id: caller.accountId,
    provider: "alpha",
    reason,
  };
  expect(app.logs).toContainEqual(expect.objectContaining(line));
  expect(JSON.stringify(app.logs)).not.toMatch(/canary/);
}

let owner: Caller;
const store = (accountId: string, key: string) =>
  sealAndStore(database, vault, { accountId, keys: { alpha: key }, now: 1 });
beforeEach(async () => {
  owner = await newCaller(1_000_000);
  await store(owner.accountId, "sk-canary-1");
});

describe("a stored key", () => {
  test("is used as long as its row is as it was sealed", async () => {
    expect(await use(owner)).toMatchObject({ status: 200, key: "Bearer sk-canary-1" });
  });

  test("copied to another account does not open, whether or not that one has a key", async () => {
    const row = await rowOf(owner.accountId);
    const without = await newCaller(1_000_000);
    await put(without.accountId, row);
    await expectUnreadable(without, "stale_version");
    const thief = await newCaller(1_000_000);
    await store(thief.accountId, "sk-thief");
    await put(thief.accountId, row);
    await expectUnreadable(thief, "does_not_open");
  });

  test("put back after it was replaced does not open, with either version", async () => {
    const old = await rowOf(owner.accountId);
    await store(owner.accountId, "sk-canary-2");
    await put(owner.accountId, old);
    await expectUnreadable(owner, "stale_version");
    await put(owner.accountId, { ...old, version: 2 });
    await expectUnreadable(owner, "does_not_open");
  });

  test("put back after it was deleted does not open", async () => {
    const old = await rowOf(owner.accountId);
    await deleteKeys(database, { accountId: owner.accountId });
    await put(owner.accountId, old);
    await expectUnreadable(owner, "stale_version");
  });

  test("with one bit changed does not open, not even where it was used a moment ago", async () => {
    const row = await rowOf(owner.accountId);
    const { app } = await use(owner);
    const at = row.sealed.length - 10;
    const flipped = row.sealed[at] === "A" ? "B" : "A";
    await put(owner.accountId, {
      ...row,
      sealed: row.sealed.slice(0, at) + flipped + row.sealed.slice(at + 1),
    });
    await expectUnreadable(owner, "does_not_open", app);
    await put(owner.accountId, row);
    expect(await use(owner, app)).toMatchObject({ status: 200, key: "Bearer sk-canary-1" });
  });

  test("does not open with a wrong master key, none of its name, or no vault", async () => {
    await expectUnreadable(owner, "does_not_open", createTestApp({ vault: createTestVault(9) }));
    const other = createSealer(
      [{ id: "k9", bytes: new Uint8Array(32).fill(7) }],
      (length) => new Uint8Array(length),
    );
    await expectUnreadable(
      owner,
      "unknown_master_key",
      createTestApp({ vault: { ...createTestVault(), sealer: other } }),
    );
    await expectUnreadable(owner, "vault_disabled", createTestApp({ vault: undefined }));
  });

  test("that does not open is mended by storing it again, and not in the way of an inline key", async () => {
    await put(owner.accountId, { version: 1, sealed: "k1.AAAA" });
    await expectUnreadable(owner, "malformed");
    const app = createTestApp();
    const inline = await app.chat(owner.apiKey, hello, { "x-alpha-key": "sk-inline" });
    expect(inline.status).toBe(200);
    await store(owner.accountId, "sk-canary-3");
    expect(await use(owner)).toMatchObject({ status: 200, key: "Bearer sk-canary-3" });
  });

  test("is opened anew after five minutes, and at once when it changes", async () => {
    let now = Date.now();
    let opened = 0;
    const counted = {
      ...vault,
      cache: createTestVault().cache,
      sealer: {
        ...vault.sealer,
        open: (...given: Parameters<typeof vault.sealer.open>) => {
          opened += 1;
          return vault.sealer.open(...given);
        },
      },
    };
    const app = createTestApp({ vault: counted, now: () => now });
    await use(owner, app);
    now += 299_999;
    await use(owner, app);
    expect(opened).toBe(1);
    now += 1;
    await use(owner, app);
    expect(opened).toBe(2);
    await store(owner.accountId, "sk-canary-2");
    expect(await use(owner, app)).toMatchObject({ key: "Bearer sk-canary-2" });
    expect(opened).toBe(3);
  });
});

describe("the version of a stored key", () => {
  test.each([
    ["goes back", sql`UPDATE provider_key_versions SET version = version - 1`],
    ["stays", sql`UPDATE provider_key_versions SET version = version`],
    ["jumps", sql`UPDATE provider_key_versions SET version = version + 2`],
    ["changes its owner", sql`UPDATE provider_key_versions SET version = version + 1, account_id = 'acct_x'`],
    ["goes", sql`DELETE FROM provider_key_versions`],
  ])("never %s: the database refuses", async (_, query) => {
    await expect(run(sql`${query} WHERE account_id = ${owner.accountId}`)).rejects.toThrow(
      /version of a provider key/,
    );
  });
});

describe("rotation", () => {
  const keys = (...ids: string[]) =>
    ids.map((id) => ({ id, bytes: new Uint8Array(32).fill(id === "k1" ? 7 : 8) }));
  const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const both = createSealer(keys("k2", "k1"), randomBytes);

  test("moves each key under the first master key, in pages, and again is harmless", async () => {
    const owners = await Promise.all([1, 2, 3, 4, 5].map(() => newCaller(1_000_000)));
    await Promise.all(owners.map(({ accountId }) => store(accountId, `sk-${accountId}`)));
    const broken = await newCaller(1);
    await put(broken.accountId, { version: 1, sealed: "k1.AAAA" });
    const { resealed, unreadable } = await rotateKeys(database, both, 2);
    expect(resealed).toBeGreaterThanOrEqual(owners.length);
    expect(unreadable).toContainEqual(
      expect.objectContaining({
        accountId: broken.accountId,
        provider: "alpha",
        reason: "malformed",
      }),
    );
    const onlyNew = { ...createTestVault(), sealer: createSealer(keys("k2"), randomBytes) };
    for (const caller of owners) {
      expect((await rowOf(caller.accountId)).sealed).toMatch(/^k2\./);
      expect((await use(caller, createTestApp({ vault: onlyNew }))).key).toBe(
        `Bearer sk-${caller.accountId}`,
      );
    }
    expect((await rotateKeys(database, both, 2)).resealed).toBe(0);
  });

  test("leaves a key alone that its owner changes meanwhile", async () => {
    const slow = {
      ...both,
      open: async (context: Parameters<typeof both.open>[0], sealed: string) => {
        const plain = await both.open(context, sealed);
        if (context.accountId === owner.accountId) await store(owner.accountId, "sk-changed");
        return plain;
      },
    };
    await rotateKeys(database, slow);
    expect(await use(owner)).toMatchObject({ status: 200, key: "Bearer sk-changed" });
    const { version, sealed } = await rowOf(owner.accountId);
    expect(version).toBe(2);
    await expect(
      vault.sealer.open(providerKeyContext(owner.accountId, "alpha", 2), sealed),
    ).resolves.toBeDefined();
  });
});
