/** Stored API keys: the lookup every request starts with, and adding, changing and revoking keys. */
import { and, eq, isNull, sql } from "drizzle-orm";
import { build, type Database, prepare, value } from "./client.ts";
import { type StoredKey, storedKeysJson } from "./provider-keys.ts";
import { accounts, apiKeys, maxActiveKeys } from "./schema.ts";
import { callerSnapshot } from "./spending-limits.ts";

/**
 * What an account may still spend: its balance less its open holds. Plain names, because drizzle takes the
 * table off interpolated columns where a query reads one table, and `id` would then be the hold's.
 */
export const availableMicro = sql<number>`accounts.balance_micro - (
  SELECT coalesce(sum(holds.amount_micro), 0) FROM holds WHERE holds.account_id = accounts.id)`;

/** The account behind a key or a token, as the request that carries it sees it. */
export type Account = {
  keyId: string;
  accountId: string;
  suspended: boolean;
  /** Whether the key may make, change and end keys of the account; a token never may. */
  manage: boolean;
  /** When the key expires, Unix milliseconds. */
  expiresAt: number | null;
  /** Whether the key has an expiry, a budget or a list of models, so that it may do less than its account. */
  limited: boolean;
  /** Lists of model names, each of which must have a model for the request to use it. */
  modelLists: readonly (readonly string[])[];
  /** Id of the console session that the request came with, if any. */
  sessionId?: string;
  /** Id of the token that the request came with, if any. */
  tokenId?: string;
  /** The endpoints that this token may call. */
  endpoints?: readonly string[];
  /** Sealed, as they are at this moment: a key that is deleted or changed is not used by the next request. */
  storedKeys: StoredKey[];
  /** For the hold of a remembered caller: what the database must still hold (spending-limits.ts). */
  snapshot: string;
};

/** The columns that every lookup of a caller reads, by key or by token: from `api_keys` joined with `accounts`. */
export const callerColumns = {
  keyId: apiKeys.id,
  accountId: apiKeys.accountId,
  suspended: sql<boolean>`${accounts.suspendedAt} IS NOT NULL`.mapWith(Boolean),
  manage: apiKeys.manage,
  expiresAt: apiKeys.expiresAt,
  limited:
    sql<boolean>`(${apiKeys.expiresAt} IS NOT NULL OR ${apiKeys.monthlyBudgetMicro} IS NOT NULL OR ${apiKeys.models} IS NOT NULL)`.mapWith(
      Boolean,
    ),
  models: apiKeys.models,
  storedKeys: storedKeysJson,
  snapshot: callerSnapshot,
};

const findByHash = prepare(
  build
    .select(callerColumns)
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(and(eq(apiKeys.hash, value("hash")), isNull(apiKeys.revokedAt))),
);

/** The account of a key, by the key's hash; undefined for an unknown or revoked key. One round trip. */
export async function findApiKey(database: Database, hash: string): Promise<Account | undefined> {
  const [found] = await database.execute(findByHash, { hash });
  if (found === undefined) return undefined;
  const { models, ...account } = found;
  return { ...account, modelLists: models === null ? [] : [models] };
}

// If all slots are taken, the key that expired first gives up its slot.
const retireExpired = prepare(
  build.run(sql`
    UPDATE api_keys SET revoked_at = expires_at WHERE id = (
      SELECT id FROM api_keys WHERE account_id = ${value("accountId")} AND revoked_at IS NULL
        AND expires_at <= ${value("now")} ORDER BY expires_at LIMIT 1)
      AND ${maxActiveKeys} <= (SELECT count(*) FROM api_keys
        WHERE account_id = ${value("accountId")} AND revoked_at IS NULL)`),
);
const dayMs = 86_400_000;
/** The number of keys made for an account in the last 24 hours, ended ones included. */
const madeToday = sql<number>`(SELECT count(*) FROM api_keys
  WHERE api_keys.account_id = ${value("accountId")} AND api_keys.created_at > ${value("since")})`;
// Takes the lowest free slot, so that the unique index of active slots refuses a key too many under any race.
const insertKey = prepare(
  build.all<{ id: string }>(sql`
    INSERT INTO api_keys (id, account_id, name, hash, slot, prefix, manage, expires_at, monthly_budget_micro, models,
      created_at)
    SELECT ${value("keyId")}, accounts.id, ${value("name")}, ${value("hash")}, free.slot, ${value("prefix")},
      ${value("manage")}, ${value("expiresAt")}, ${value("monthlyBudgetMicro")}, ${value("models")}, ${value("now")}
    FROM accounts, (SELECT 1 AS slot UNION ALL SELECT 2 UNION ALL SELECT 3) AS free
    WHERE accounts.id = ${value("accountId")} AND free.slot NOT IN (
      SELECT slot FROM api_keys WHERE account_id = accounts.id AND revoked_at IS NULL)
      AND ${value("maxPerDay")} > ${madeToday}
    ORDER BY free.slot LIMIT 1
    RETURNING id`),
);
const findAccount = prepare(
  build
    .select({ madeToday })
    .from(accounts)
    .where(eq(accounts.id, value("accountId"))),
);

/** The settings of a key that its owner may change; null removes a limit. */
export type KeySettings = {
  name: string;
  /** Unix milliseconds. */
  expiresAt: number | null;
  monthlyBudgetMicro: number | null;
  models: readonly string[] | null;
};
export type NewApiKey = Pick<KeySettings, "name"> &
  Partial<KeySettings> & {
    keyId: string;
    accountId: string;
    hash: string;
    prefix?: string;
    manage?: boolean;
    now: number;
    /** Most that may be made in 24 hours, this one included. Rows of ended keys stay: ending each before the next would fill the disk. */
    maxPerDay?: number;
  };

const modelsText = (models: readonly string[] | null): string | null =>
  models === null ? null : JSON.stringify(models);

/** Stores a key. An account has at most `maxActiveKeys` that are not revoked. */
export async function addApiKey(
  database: Database,
  key: NewApiKey,
): Promise<"added" | "account_unknown" | "too_many_keys" | "too_many_today"> {
  const { prefix = null, manage = false, expiresAt = null, monthlyBudgetMicro = null, models = null } = key;
  const { maxPerDay = Number.MAX_SAFE_INTEGER } = key;
  const limits = {
    prefix,
    manage: Number(manage),
    expiresAt,
    monthlyBudgetMicro,
    models: modelsText(models),
  };
  const [, added, found] = await database.batch([retireExpired, insertKey, findAccount], {
    ...key,
    ...limits,
    maxPerDay,
    since: key.now - dayMs,
  });
  if (added.length > 0) return "added";
  const [account] = found;
  if (account === undefined) return "account_unknown";
  return account.madeToday < maxPerDay ? "too_many_keys" : "too_many_today";
}

const kept = (column: string, setting: keyof KeySettings) =>
  sql`CASE WHEN ${value(`sets_${setting}`)} THEN ${value(setting)} ELSE ${sql.raw(column)} END`;

// A setting that is not named stays: two simultaneous changes of different settings both take effect.
const updateKey = prepare(
  build.all<{ id: string }>(sql`
    UPDATE api_keys SET name = ${kept("name", "name")}, expires_at = ${kept("expires_at", "expiresAt")},
      monthly_budget_micro = ${kept("monthly_budget_micro", "monthlyBudgetMicro")}, models = ${kept("models", "models")}
    WHERE id = ${value("keyId")} AND account_id = ${value("accountId")} AND revoked_at IS NULL RETURNING id`),
);

/** Changes some settings of an active key of the account, in force on the next request. False when there is no such key. */
export async function changeApiKey(
  database: Database,
  key: { keyId: string; accountId: string },
  changes: Partial<KeySettings>,
): Promise<boolean> {
  const settings = { name: null, expiresAt: null, monthlyBudgetMicro: null, ...changes };
  const sets = Object.fromEntries(
    ["name", "expiresAt", "monthlyBudgetMicro", "models"].map((name) => [
      `sets_${name}`,
      Number(name in changes),
    ]),
  );
  const models = modelsText(changes.models ?? null);
  return (await database.execute(updateKey, { ...key, ...settings, ...sets, models })).length > 0;
}

const revokeKey = prepare(
  build.all<{ id: string }>(sql`
    UPDATE api_keys SET revoked_at = coalesce(revoked_at, ${value("now")})
    WHERE id = ${value("keyId")} AND ${value("accountId")} IN ('*', account_id) AND NOT is_console RETURNING id`),
);

/** Revokes a key, of one account if it is named. Calling it again does nothing. False when there is no such key. */
export async function revokeApiKey(
  database: Database,
  keyId: string,
  now: number,
  accountId = "*",
): Promise<boolean> {
  const revoked = await database.execute(revokeKey, { keyId, now, accountId });
  return revoked.length > 0;
}
