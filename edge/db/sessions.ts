/** Sessions of the console, and links that begin a session: finds a session's owner, begins and ends sessions. */
import { and, eq, type SQL, sql } from "drizzle-orm";
import { type Account, callerColumns } from "./api-keys.ts";
import { build, type Database, prepare, value } from "./client.ts";
import { accounts, apiKeys } from "./schema.ts";
import { sessions } from "./sign-in-schema.ts";

const findByHash = prepare(
  build
    .select({
      ...callerColumns,
      sessionId: sessions.id,
      sessionExpiresAt: sessions.expiresAt,
      email: accounts.email,
      isOperator: accounts.isOperator,
    })
    .from(sessions)
    .innerJoin(apiKeys, eq(apiKeys.id, sessions.apiKeyId))
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(and(eq(sessions.hash, value("hash")), sql`${sessions.expiresAt} > ${value("now")}`)),
);

/** A session and its account, as a request of that session sees it. */
export type Session = { account: Account; email: string; isOperator: boolean; expiresAt: number };

/** Undefined for an unknown, ended or expired session. One round trip. Throws DatabaseError. */
export async function findSession(
  database: Database,
  asked: { hash: string; now: number },
): Promise<Session | undefined> {
  const [found] = await database.execute(findByHash, asked);
  if (found === undefined) return undefined;
  const { models: _, email, isOperator, sessionExpiresAt, ...account } = found;
  return {
    account: { ...account, manage: true, limited: false, modelLists: [] },
    email,
    isOperator,
    expiresAt: sessionExpiresAt,
  };
}

/** The account of an address: the oldest one, if an operator made several. */
export const byEmail = sql`(SELECT id FROM accounts WHERE lower(email) = ${value("email")} ORDER BY created_at, id LIMIT 1)`;

const insertAccount = prepare(
  build.run(sql`
    INSERT INTO accounts (id, email, created_at) SELECT ${value("newAccountId")}, ${value("email")}, ${value("now")}
    WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE lower(email) = ${value("email")})`),
);
/** The credit of a new account, if one is made and its mailbox has had none. */
export type SignUp = { newAccountId: string; mailbox: string; creditMicro: number };

/** For the account that the statement before has just made, if it made one. */
export const insertSignUp = prepare(
  build.run(sql`
    INSERT OR IGNORE INTO sign_up_credits (mailbox, account_id, created_at)
    SELECT ${value("mailbox")}, id, ${value("now")}
    FROM accounts WHERE id = ${value("newAccountId")} AND ${value("creditMicro")} > 0`),
);
/** Only if the statement before has recorded that this new account gets its mailbox's credit. */
export const insertCredit = prepare(
  build.run(sql`
    INSERT INTO ledger (account_id, kind, amount_micro, reason, created_at)
    SELECT account_id, 'credit', ${value("creditMicro")}, 'signed up', ${value("now")}
    FROM sign_up_credits WHERE mailbox = ${value("mailbox")} AND account_id = ${value("newAccountId")}`),
);
const consoleSeatOf = (account: SQL) => sql`replace(${account}, 'acct_', 'console_')`;
/** @param account a subquery for the account's id; if it finds none, nothing is inserted */
export const insertConsoleSeat = (account: SQL) =>
  prepare(
    build.run(sql`
      INSERT OR IGNORE INTO api_keys (id, account_id, name, hash, slot, is_console, created_at, revoked_at)
      SELECT ${consoleSeatOf(sql`id`)}, id, 'console', ${consoleSeatOf(sql`id`)}, 1, 1, ${value("now")}, ${value("now")}
      FROM accounts WHERE id = ${account}`),
  );
export const insertSession = (account: SQL) =>
  prepare(
    build.all<{ id: string }>(sql`
      INSERT INTO sessions (id, hash, api_key_id, created_at, expires_at)
      SELECT ${value("sessionId")}, ${value("hash")}, id, ${value("now")}, ${value("expiresAt")}
      FROM api_keys WHERE id = ${consoleSeatOf(account)}
      RETURNING id`),
  );
/** Ends the browser's earlier session, if its batch has begun the new one: a link that was used ends none. */
export const endEarlier = prepare(
  build.run(sql`
    DELETE FROM sessions WHERE hash = ${value("endsHash")}
    AND EXISTS (SELECT 1 FROM sessions WHERE id = ${value("sessionId")})`),
);

export type NewSession = {
  sessionId: string;
  hash: string;
  /** The browser's earlier session, which is ended. */
  endsHash: string | null;
  now: number;
  expiresAt: number;
};

const ofAddress = [
  insertAccount,
  insertSignUp,
  insertCredit,
  insertConsoleSeat(byEmail),
  insertSession(byEmail),
  endEarlier,
] as const;

/**
 * Begins a session for the owner of an address: in its account, or in a new account. Two calls at once make one
 * account. Throws DatabaseError.
 */
export async function beginSessionByEmail(
  database: Database,
  session: NewSession & SignUp & { email: string },
): Promise<void> {
  await database.batch(ofAddress, session);
}

const byLink = sql`(SELECT account_id FROM sign_in_links
  WHERE hash = ${value("linkHash")} AND expires_at > ${value("now")})`;
const deleteLink = prepare(build.run(sql`DELETE FROM sign_in_links WHERE hash = ${value("linkHash")}`));
const ofLink = [insertConsoleSeat(byLink), insertSession(byLink), deleteLink, endEarlier] as const;

/** Begins a session with a link, which counts once. False for an unknown, used or expired link. Throws DatabaseError. */
export async function beginSessionByLink(
  database: Database,
  session: NewSession & { linkHash: string },
): Promise<boolean> {
  const [, begun] = await database.batch(ofLink, session);
  return begun.length > 0;
}

const deleteByHash = prepare(build.run(sql`DELETE FROM sessions WHERE hash = ${value("endsHash")}`));

/** Ends a session, and its tokens with it. Throws DatabaseError. */
export async function endSession(database: Database, hash: string): Promise<void> {
  await database.execute(deleteByHash, { endsHash: hash });
}

const insertLink = prepare(
  build.all<{ hash: string }>(sql`
    INSERT INTO sign_in_links (hash, account_id, created_at, expires_at)
    SELECT ${value("hash")}, id, ${value("now")}, ${value("expiresAt")} FROM accounts WHERE id = ${value("accountId")}
    RETURNING hash`),
);

/** Stores a link for an account. False when there is no such account. Throws DatabaseError. */
export async function addSignInLink(
  database: Database,
  link: { hash: string; accountId: string; now: number; expiresAt: number },
): Promise<boolean> {
  return (await database.execute(insertLink, link)).length > 0;
}

const deleteSessions = prepare(build.run(sql`DELETE FROM sessions WHERE expires_at <= ${value("now")}`));
const deleteExpiredLinks = prepare(
  build.run(sql`DELETE FROM sign_in_links WHERE expires_at <= ${value("now")}`),
);
const deleteExpiredProofs = prepare(
  build.run(sql`DELETE FROM sign_in_proofs WHERE expires_at <= ${value("now")}`),
);

/** Deletes expired sessions, links and used proofs. Throws DatabaseError. */
export async function deleteExpiredSessions(database: Database, now: number): Promise<void> {
  await database.batch([deleteSessions, deleteExpiredLinks, deleteExpiredProofs], { now });
}
