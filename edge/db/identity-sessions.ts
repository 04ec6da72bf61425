/**
 * Begins a session for a person whom an identity provider has identified: finds or makes the account, and accepts each proof once.
 */
import { type SQL, sql } from "drizzle-orm";
import { build, type Database, prepare, value } from "./client.ts";
import {
  byEmail,
  endEarlier,
  insertConsoleSeat,
  insertCredit,
  insertSession,
  insertSignUp,
  type NewSession,
  type SignUp,
} from "./sessions.ts";

/** Longer than authorization codes, attempts of ours and Telegram's fields are valid. */
export const proofKeptMs = 3_600_000;

export const insertProof = prepare(
  build.run(sql`
    INSERT OR IGNORE INTO sign_in_proofs (hash, session_id, expires_at)
    VALUES (${value("proofHash")}, ${value("sessionId")}, ${value("proofExpiresAt")})`),
);
/** Whether this sign-in was the first to use its proof: every following statement depends on it. */
export const isFirstUse = sql`EXISTS (SELECT 1 FROM sign_in_proofs
  WHERE hash = ${value("proofHash")} AND session_id = ${value("sessionId")})`;
const byIdentity = sql`(SELECT account_id FROM identities
  WHERE provider = ${value("provider")} AND subject = ${value("subject")} AND unlinked_at IS NULL AND ${isFirstUse})`;
/** The identity was unlinked from the account of its address. */
const wasUnlinked = sql`EXISTS (SELECT 1 FROM identities
  WHERE provider = ${value("provider")} AND subject = ${value("subject")} AND unlinked_at IS NOT NULL
    AND account_id = ${byEmail})`;

// Without a verified address an account has a name that is not an address: it holds no @, so no code is ever sent to it.
const insertAccount = prepare(
  build.run(sql`
    INSERT INTO accounts (id, email, created_at)
    SELECT ${value("newAccountId")}, coalesce(${value("email")}, ${value("provider")} || ':' || ${value("subject")}),
      ${value("now")}
    WHERE ${isFirstUse} AND ${byIdentity} IS NULL AND ${byEmail} IS NULL`),
);
/** An identity that is linked stays where it is, whatever its address has become. @param account a subquery for its id */
export const insertIdentity = (account: SQL, condition: SQL) =>
  prepare(
    build.run(sql`
      INSERT INTO identities (provider, subject, account_id, created_at)
      SELECT ${value("provider")}, ${value("subject")}, ${account}, ${value("now")}
      WHERE ${isFirstUse} AND ${condition}
      ON CONFLICT (provider, subject) DO UPDATE SET
        account_id = excluded.account_id, created_at = excluded.created_at, unlinked_at = NULL
      WHERE identities.unlinked_at IS NOT NULL`),
  );
const selectWasUnlinked = prepare(
  build.all<{ wasUnlinked: 0 | 1 }>(sql`SELECT ${wasUnlinked} AS "wasUnlinked"`),
);
const ofIdentity = [
  insertProof,
  insertAccount,
  insertSignUp,
  insertCredit,
  insertIdentity(sql`coalesce(${byEmail}, ${value("newAccountId")})`, sql`NOT ${wasUnlinked}`),
  insertConsoleSeat(byIdentity),
  insertSession(byIdentity),
  endEarlier,
  selectWasUnlinked,
] as const;

/**
 * A session in the account that the identity is linked to; else in that of its verified address; else in a new one. Otherwise why there is
 * none: its proof was used before, or the account of its address has unlinked it. Throws DatabaseError.
 */
export async function beginSessionByIdentity(
  database: Database,
  session: NewSession &
    SignUp & {
      provider: string;
      subject: string;
      /** Verified, in the form accounts are found by. */
      email: string | undefined;
      proofHash: string;
    },
): Promise<"begun" | "replayed" | "unlinked"> {
  const values = { ...session, email: session.email ?? null, proofExpiresAt: session.now + proofKeptMs };
  const [, , , , , , begun, , [state]] = await database.batch(ofIdentity, values);
  if (begun.length > 0) return "begun";
  return state?.wasUnlinked === 1 ? "unlinked" : "replayed";
}
