/** Short-lived tokens as rows: finds a token's owner, creates tokens, deletes expired ones. */
import { and, eq, sql } from "drizzle-orm";
import { type Account, callerColumns } from "./api-keys.ts";
import { build, type Database, prepare, value } from "./client.ts";
import { accessTokens, accounts, apiKeys } from "./schema.ts";
import { sessions } from "./sign-in-schema.ts";

/** The endpoints that a token may be limited to; each stands for one or two paths (edge/routes). */
export const tokenEndpoints = ["chat", "messages", "responses", "embeddings", "rollout"] as const;
export type TokenEndpoint = (typeof tokenEndpoints)[number];

const findByHash = prepare(
  build
    .select({
      ...callerColumns,
      tokenId: accessTokens.id,
      endpoints: accessTokens.endpoints,
      tokenModels: accessTokens.models,
    })
    .from(accessTokens)
    .innerJoin(apiKeys, eq(apiKeys.id, accessTokens.apiKeyId))
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .leftJoin(sessions, eq(sessions.id, accessTokens.sessionId))
    .where(
      and(
        eq(accessTokens.hash, value("hash")),
        sql`CASE WHEN ${accessTokens.sessionId} IS NULL THEN ${apiKeys.revokedAt} IS NULL
          ELSE ${sessions.expiresAt} > ${value("now")} END`,
        sql`${accessTokens.expiresAt} > ${value("now")}`,
      ),
    ),
);

/** The owner of a token, by its hash; undefined if the token is unknown or expired, or its key or session has ended. */
export async function findAccessToken(
  database: Database,
  asked: { hash: string; now: number },
): Promise<Account | undefined> {
  const [found] = await database.execute(findByHash, asked);
  if (found === undefined) return undefined;
  const { models, tokenModels, ...account } = found;
  return { ...account, manage: false, modelLists: [models, tokenModels].filter((list) => list !== null) };
}

const insertToken = prepare(
  build.run(sql`
    INSERT INTO access_tokens (id, api_key_id, session_id, hash, endpoints, models, max_micro, created_at, expires_at)
    VALUES (${value("tokenId")}, ${value("keyId")}, ${value("sessionId")}, ${value("hash")}, ${value("endpoints")},
      ${value("models")}, ${value("maxMicro")}, ${value("now")}, ${value("expiresAt")})`),
);

export type NewAccessToken = {
  tokenId: string;
  /** The key it is made from, and ends with. */
  keyId: string;
  /** The session it is made in, and ends with instead. */
  sessionId?: string | undefined;
  hash: string;
  endpoints: readonly TokenEndpoint[];
  models: readonly string[] | null;
  maxMicro: number | null;
  /** Unix milliseconds. */
  now: number;
  expiresAt: number;
};

/** Throws DatabaseError. */
export async function addAccessToken(database: Database, token: NewAccessToken): Promise<void> {
  const { endpoints, models, sessionId = null } = token;
  await database.execute(insertToken, {
    ...token,
    sessionId,
    endpoints: JSON.stringify(endpoints),
    models: models === null ? null : JSON.stringify(models),
  });
}

/** How long a token's row outlives it, milliseconds: a request that it began may settle meanwhile. */
export const tokenKeptMs = 3_600_000;

const deleteExpired = prepare(
  build.run(sql`DELETE FROM access_tokens WHERE expires_at <= ${value("before")}`),
);

/** Deletes tokens that expired at this time or earlier. Throws DatabaseError. */
export async function deleteExpiredAccessTokens(database: Database, before: number): Promise<void> {
  await database.execute(deleteExpired, { before });
}
