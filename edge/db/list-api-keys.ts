/** Lists stored API keys: for their owner, and for the operator those of all accounts. Hashes are never read. */
import { and, desc, eq, sql } from "drizzle-orm";
import { build, type Database, prepare, value } from "./client.ts";
import { apiKeys } from "./schema.ts";

const listedColumns = {
  keyId: apiKeys.id,
  accountId: apiKeys.accountId,
  name: apiKeys.name,
  prefix: apiKeys.prefix,
  manage: apiKeys.manage,
  expiresAt: apiKeys.expiresAt,
  monthlyBudgetMicro: apiKeys.monthlyBudgetMicro,
  models: apiKeys.models,
  createdAt: apiKeys.createdAt,
  revokedAt: apiKeys.revokedAt,
  lastUsedAt: sql<number | null>`(SELECT max(last_used_at) FROM key_months WHERE api_key_id = api_keys.id)`,
  spentThisMonthMicro: sql<number>`coalesce((SELECT spent_micro FROM key_months WHERE api_key_id = api_keys.id
    AND month = strftime('%Y-%m', ${value("now")} / 1000, 'unixepoch')), 0)`,
};

export const selectKeys = prepare(
  build
    .select(listedColumns)
    .from(apiKeys)
    .where(
      and(
        eq(apiKeys.accountId, value("accountId")),
        sql`api_keys.id IN (SELECT id FROM api_keys
          WHERE account_id = ${value("accountId")} AND ${value("keyId")} IN ('*', id) AND NOT is_console
          ORDER BY revoked_at IS NOT NULL, created_at DESC, id DESC LIMIT ${value("limit")})`,
      ),
    )
    .orderBy(apiKeys.createdAt, apiKeys.id),
);

export type ListedKey = Awaited<ReturnType<typeof listApiKeys>>[number];

type AskedKeys = {
  accountId: string;
  keyId?: string;
  /** Active ones first, then the newest. */
  limit?: number;
  /** Decides which month's spending is read. */
  now: number;
};

/** All keys that an account ever had, one of them, or a number of them, oldest first. */
export function listApiKeys(database: Database, asked: AskedKeys) {
  return database.execute(selectKeys, { keyId: "*", limit: Number.MAX_SAFE_INTEGER, ...asked });
}

// The inner query chooses the rows, so that what each has spent is read for these alone.
const selectNewestKeys = prepare(
  build
    .select(listedColumns)
    .from(apiKeys)
    .where(
      sql`api_keys.id IN (SELECT id FROM api_keys WHERE NOT is_console
        ORDER BY created_at DESC, id DESC LIMIT ${value("limit")})`,
    )
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id)),
);

/** The newest keys of all accounts, newest first. */
export function listNewestApiKeys(database: Database, asked: Pick<AskedKeys, "now"> & { limit: number }) {
  return database.execute(selectNewestKeys, asked);
}
