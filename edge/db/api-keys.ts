/** Stored API keys: the lookup every request starts with, and giving out and revoking keys. */
import { and, eq, isNull, sql } from "drizzle-orm";
import { build, type Database, prepare } from "./client.ts";
import { type StoredKey, storedKeysJson } from "./provider-keys.ts";
import { accounts, apiKeys } from "./schema.ts";

const value = sql.placeholder;

/**
 * What an account may still spend: its balance less its open holds. Plain names, because drizzle takes the
 * table off interpolated columns where a query reads one table, and `id` would then be the hold's.
 */
export const availableMicro = sql<number>`accounts.balance_micro - (
  SELECT coalesce(sum(holds.amount_micro), 0) FROM holds WHERE holds.account_id = accounts.id)`;

/** The account behind a key, as the request that carries the key sees it. */
export type Account = {
  keyId: string;
  accountId: string;
  suspended: boolean;
  /** Sealed, as they are at this moment: a key deleted or changed is out of use on the next request. */
  storedKeys: StoredKey[];
};

const findByHash = prepare(
  build
    .select({
      keyId: apiKeys.id,
      accountId: apiKeys.accountId,
      suspended: sql<boolean>`${accounts.suspendedAt} IS NOT NULL`.mapWith(Boolean),
      storedKeys: storedKeysJson,
    })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(and(eq(apiKeys.hash, value("hash")), isNull(apiKeys.revokedAt))),
);

/** Who a key belongs to, by its hash; undefined for an unknown or revoked key. One round trip. */
export async function findApiKey(database: Database, hash: string): Promise<Account | undefined> {
  const [found] = await database.execute(findByHash, { hash });
  return found;
}

// Takes the lowest free slot, so that the index of active slots refuses a key too many under any race.
const insertKey = prepare(
  build.all<{ id: string }>(sql`
    INSERT INTO api_keys (id, account_id, name, hash, slot, created_at)
    SELECT ${value("keyId")}, accounts.id, ${value("name")}, ${value("hash")}, free.slot, ${value("now")}
    FROM accounts, (SELECT 1 AS slot UNION ALL SELECT 2 UNION ALL SELECT 3) AS free
    WHERE accounts.id = ${value("accountId")} AND free.slot NOT IN (
      SELECT slot FROM api_keys WHERE account_id = accounts.id AND revoked_at IS NULL)
    ORDER BY free.slot LIMIT 1
    RETURNING id`),
);
const findAccount = prepare(
  build
    .select({ id: accounts.id })
    .from(accounts)
    .where(eq(accounts.id, value("accountId"))),
);

export type NewApiKey = { keyId: string; accountId: string; name: string; hash: string; now: number };

/** Stores a key. An account has at most `maxActiveKeys` that are not revoked. */
export async function addApiKey(
  database: Database,
  key: NewApiKey,
): Promise<"added" | "account_unknown" | "too_many_keys"> {
  const [added, found] = await database.batch([insertKey, findAccount], key);
  if (added.length > 0) return "added";
  return found.length > 0 ? "too_many_keys" : "account_unknown";
}

const selectKeys = prepare(
  build
    .select({
      keyId: apiKeys.id,
      name: apiKeys.name,
      createdAt: apiKeys.createdAt,
      revokedAt: apiKeys.revokedAt,
    })
    .from(apiKeys)
    .where(eq(apiKeys.accountId, value("accountId")))
    .orderBy(apiKeys.createdAt, apiKeys.id),
);

/** All keys an account ever had, oldest first, without anything that opens a door. */
export function listApiKeys(database: Database, accountId: string) {
  return database.execute(selectKeys, { accountId });
}

const revokeKey = prepare(
  build.all<{ id: string }>(sql`
    UPDATE api_keys SET revoked_at = coalesce(revoked_at, ${value("now")})
    WHERE id = ${value("keyId")} RETURNING id`),
);

/** Ends a key at once; again is harmless. False when there is no such key. */
export async function revokeApiKey(database: Database, keyId: string, now: number): Promise<boolean> {
  const revoked = await database.execute(revokeKey, { keyId, now });
  return revoked.length > 0;
}
