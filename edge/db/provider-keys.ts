/**
 * Stored provider keys as rows: sealed text in, sealed text out; nothing here can open one. A row counts
 * only with the version that `provider_key_versions` names, so one that was replaced cannot come back.
 */
import { sql } from "drizzle-orm";
import type { ProviderKind } from "../../shared/providers.ts";
import { build, type Database, prepare, value } from "./client.ts";
import { DatabaseError } from "./connection.ts";

export type StoredKey = {
  provider: ProviderKind;
  /** The version that the row itself has. */
  version: number;
  /** The version that counts; null if none was ever stored. */
  currentVersion: number | null;
  sealed: string;
  /** Unix milliseconds. */
  validatedAt: number;
};

/** An account's stored keys as one JSON text, for the query that authenticates (edge/db/api-keys.ts). */
export const storedKeysJson = sql<StoredKey[]>`(
  SELECT json_group_array(json_object('provider', stored.provider, 'version', stored.version,
    'currentVersion', current.version, 'sealed', stored.sealed, 'validatedAt', stored.validated_at))
  FROM provider_keys AS stored LEFT JOIN provider_key_versions AS current
    ON current.account_id = stored.account_id AND current.provider = stored.provider
  WHERE stored.account_id = accounts.id)`.mapWith((text: string) => JSON.parse(text) as StoredKey[]);

const selectVersions = prepare(
  build.all<{ provider: string; version: number }>(
    sql`SELECT provider, version FROM provider_key_versions WHERE account_id = ${value("accountId")}`,
  ),
);

/** The version each provider's key has or last had. One round trip. */
export async function readKeyVersions(database: Database, accountId: string): Promise<Map<string, number>> {
  const rows = await database.execute(selectVersions, { accountId });
  return new Map(rows.map(({ provider, version }) => [provider, version]));
}

// `WHERE true` tells the parser that ON CONFLICT is not a join's ON. The trigger refuses any step but one.
const raiseVersions = prepare(
  build.run(sql`
    INSERT INTO provider_key_versions (account_id, provider, version)
    SELECT ${value("accountId")}, value ->> 'provider', value ->> 'version' FROM json_each(${value("rows")}) WHERE true
    ON CONFLICT (account_id, provider) DO UPDATE SET version = excluded.version`),
);
const upsertKeys = prepare(
  build.run(sql`
    INSERT INTO provider_keys (account_id, provider, version, sealed, validated_at)
    SELECT ${value("accountId")}, value ->> 'provider', value ->> 'version', value ->> 'sealed', ${value("now")}
    FROM json_each(${value("rows")}) WHERE true
    ON CONFLICT (account_id, provider) DO UPDATE
      SET version = excluded.version, sealed = excluded.sealed, validated_at = excluded.validated_at`),
);

export type SealedKey = Pick<StoredKey, "provider" | "version" | "sealed">;

/**
 * Stores keys, all or none; each with the version after the one `readKeyVersions` gave. False when another
 * writer was faster: read the versions again. Throws DatabaseError.
 */
export async function storeKeys(
  database: Database,
  stored: { accountId: string; keys: readonly SealedKey[]; now: number },
): Promise<boolean> {
  const values = { accountId: stored.accountId, rows: JSON.stringify(stored.keys), now: stored.now };
  try {
    await database.batch([raiseVersions, upsertKeys], values);
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.message.includes("grows by one")) return false;
    throw error;
  }
}

const raiseDeleted = prepare(
  build.run(sql`
    UPDATE provider_key_versions SET version = version + 1
    WHERE account_id = ${value("accountId")} AND provider IN (SELECT provider FROM provider_keys
      WHERE account_id = ${value("accountId")} AND ${value("provider")} IN ('*', provider) AND ${value("sealed")} IN ('', sealed))`),
);
const deleteStored = prepare(
  build.all<{ provider: string }>(sql`
    DELETE FROM provider_keys WHERE account_id = ${value("accountId")} AND ${value("provider")} IN ('*', provider)
      AND ${value("sealed")} IN ('', sealed)
    RETURNING provider`),
);

/**
 * Deletes one provider's key, or all; with `sealed` only if that is still its text. Gives the providers whose key is gone. Throws
 * DatabaseError.
 */
export async function deleteKeys(
  database: Database,
  {
    accountId,
    provider = "*",
    sealed = "",
  }: { accountId: string; provider?: ProviderKind | "*"; sealed?: string },
): Promise<string[]> {
  const [, deleted] = await database.batch([raiseDeleted, deleteStored], { accountId, provider, sealed });
  return deleted.map((row) => row.provider);
}

export type SealedRow = { accountId: string; provider: string; version: number; sealed: string };

const selectSealedOtherwise = prepare(
  build.all<SealedRow>(sql`
    SELECT account_id AS accountId, provider, version, sealed FROM provider_keys
    WHERE substr(sealed, 1, length(${value("prefix")})) <> ${value("prefix")}
      AND (account_id, provider) > (${value("accountId")}, ${value("provider")})
    ORDER BY account_id, provider LIMIT ${value("limit")}`),
);

/** The next page of rows whose text does not start with `prefix`, in the order of the primary key. */
export function listKeysSealedOtherwise(
  database: Database,
  page: { prefix: string; after: { accountId: string; provider: string }; limit: number },
): Promise<SealedRow[]> {
  const { after, ...rest } = page;
  return database.execute(selectSealedOtherwise, { ...rest, ...after });
}

// Compares the sealed text itself: a key that its owner has replaced meanwhile is left as it is.
const swapSealed = prepare(
  build.run(sql`
    UPDATE provider_keys SET sealed = ${value("next")}
    WHERE account_id = ${value("accountId")} AND provider = ${value("provider")} AND sealed = ${value("sealed")}`),
);

/** Replaces a sealed text by a newly sealed one, if it is unchanged. */
export async function reseal(database: Database, row: SealedRow, next: string): Promise<void> {
  await database.execute(swapSealed, { ...row, next });
}
