/**
 * What a request may spend, as SQL for the one statement that reserves: the account's credit, its key's monthly
 * budget, its token's cap. Open holds count in all three, so parallel requests cannot pass any of them.
 */
import { sql } from "drizzle-orm";
import { value } from "./client.ts";
import { storedKeysJson } from "./provider-keys.ts";

/** The calendar month (UTC) of `now`. */
const month = sql`strftime('%Y-%m', ${value("now")} / 1000, 'unixepoch')`;

const accountHeld = sql`(SELECT coalesce(sum(amount_micro), 0) FROM holds WHERE account_id = ${value("accountId")})`;
const keyHeld = sql`(SELECT coalesce(sum(amount_micro), 0) FROM holds
  WHERE account_id = ${value("accountId")} AND api_key_id = ${value("apiKeyId")})`;
const tokenHeld = sql`(SELECT coalesce(sum(amount_micro), 0) FROM holds
  WHERE account_id = ${value("accountId")} AND api_key_id = ${value("apiKeyId")} AND token_id = ${value("tokenId")})`;
const keySpent = sql`coalesce((SELECT spent_micro FROM key_months
  WHERE key_months.api_key_id = ${value("apiKeyId")} AND key_months.month = ${month}), 0)`;

const accountLeft = sql`(balance_micro - ${accountHeld})`;
/** Null where the key has no budget. */
const keyLeft = sql`(monthly_budget_micro - ${keySpent} - ${keyHeld})`;
/** Null where the token has no cap. */
const tokenLeft = sql`(max_micro - spent_micro - ${tokenHeld})`;
/** For a row of `access_tokens`: its time is over, or the session it was made in has ended. */
const tokenIsOver = sql`(expires_at <= ${value("now")} OR (session_id IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM sessions WHERE sessions.id = session_id AND sessions.expires_at > ${value("now")})))`;
/** Also true if the token no longer exists: its cap is not known then. */
const tokenEnded = sql`(${value("tokenId")} IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM access_tokens WHERE access_tokens.id = ${value("tokenId")} AND NOT ${tokenIsOver}))`;
/** A console seat is always revoked; its sessions end instead. */
const hasEnded = sql`((revoked_at IS NOT NULL AND NOT is_console) OR coalesce(expires_at <= ${value("now")}, FALSE))`;

/**
 * What an edge remembers of a caller to prepare a request, as one text: the key's models and its account's sealed provider keys.
 * Limits are not included, since the statement that takes the hold reads them itself.
 */
export const callerSnapshot = sql<string>`json_array(api_keys.models, ${storedKeysJson})`;
/** Also false if the key no longer exists. */
const isUnchanged = sql`(${value("snapshot")} IS NULL OR ${value("snapshot")} = (
  SELECT ${callerSnapshot} FROM api_keys WHERE api_keys.id = ${value("apiKeyId")}))`;

/** True for a row of `accounts` whose account, key and token all allow `amountMicro`. */
export const isAllowed = sql`accounts.id = ${value("accountId")} AND suspended_at IS NULL
  AND ${value("amountMicro")} <= ${accountLeft} AND ${isUnchanged}
  AND NOT EXISTS (SELECT 1 FROM api_keys WHERE api_keys.id = ${value("apiKeyId")}
    AND (${hasEnded} OR ${value("amountMicro")} > ${keyLeft}))
  AND NOT ${tokenEnded}
  AND NOT EXISTS (SELECT 1 FROM access_tokens WHERE access_tokens.id = ${value("tokenId")}
    AND ${value("amountMicro")} > ${tokenLeft})`;

/** What is left of each limit, for the refusal; `keyEnded`, `tokenEnded` and `suspended` if that has happened meanwhile. */
export type RemainingLimits = {
  availableMicro: number;
  budgetMicro: number | null;
  capMicro: number | null;
  keyEnded: 0 | 1 | null;
  tokenEnded: 0 | 1;
  suspended: 0 | 1;
};

/** Read in the same batch as the insert of the hold. No row when the hold was granted. */
export const selectRemainingLimits = sql`
  SELECT ${accountLeft} AS availableMicro,
    (SELECT ${keyLeft} FROM api_keys WHERE api_keys.id = ${value("apiKeyId")}) AS budgetMicro,
    (SELECT ${tokenLeft} FROM access_tokens WHERE access_tokens.id = ${value("tokenId")}) AS capMicro,
    (SELECT ${hasEnded} FROM api_keys WHERE api_keys.id = ${value("apiKeyId")}) AS keyEnded,
    ${tokenEnded} AS tokenEnded,
    suspended_at IS NOT NULL AS suspended
  FROM accounts WHERE accounts.id = ${value("accountId")}
    AND NOT EXISTS (SELECT 1 FROM holds WHERE holds.id = ${value("holdId")})`;
