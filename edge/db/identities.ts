/** Beginning a session for a person whom a provider of identities has named: whose account that is, and once for each proof. */
import { sql } from "drizzle-orm";
import { build, type Database, prepare } from "./client.ts";
import {
  byEmail,
  deleteByHash,
  insertCredit,
  insertSeat,
  insertSession,
  type NewSession,
} from "./sessions.ts";

const value = sql.placeholder;

/** Longer than an authorization code, an attempt of ours and Telegram's fields live. */
const proofKeptMs = 3_600_000;

const insertProof = prepare(
  build.run(sql`
    INSERT OR IGNORE INTO sign_in_proofs (hash, session_id, expires_at)
    VALUES (${value("proofHash")}, ${value("sessionId")}, ${value("proofExpiresAt")})`),
);
/** Whether this very sign-in was the first with its proof: all that follows hangs on it. */
const isFirst = sql`EXISTS (SELECT 1 FROM sign_in_proofs
  WHERE hash = ${value("proofHash")} AND session_id = ${value("sessionId")})`;
const byIdentity = sql`(SELECT account_id FROM identities
  WHERE provider = ${value("provider")} AND subject = ${value("subject")} AND ${isFirst})`;

// Without a verified address an account has a name that can be none: it holds no @, so no code is ever sent to it.
const insertAccount = prepare(
  build.run(sql`
    INSERT INTO accounts (id, email, created_at)
    SELECT ${value("newAccountId")}, coalesce(${value("email")}, ${value("provider")} || ':' || ${value("subject")}),
      ${value("now")}
    WHERE ${isFirst} AND ${byIdentity} IS NULL AND ${byEmail} IS NULL`),
);
// An identity that is known already stays where it is, whatever its address has become.
const insertIdentity = prepare(
  build.run(sql`
    INSERT OR IGNORE INTO identities (provider, subject, account_id, created_at)
    SELECT ${value("provider")}, ${value("subject")}, coalesce(${byEmail}, ${value("newAccountId")}), ${value("now")}
    WHERE ${isFirst}`),
);
const ofIdentity = [
  insertProof,
  insertAccount,
  insertCredit,
  insertIdentity,
  insertSeat(byIdentity),
  insertSession(byIdentity),
  deleteByHash,
] as const;

/**
 * A session in the account that the identity is linked to; else in that of its verified address; else in a new one with this
 * credit. False when the proof was used before. Throws DatabaseError.
 */
export async function beginSessionByIdentity(
  database: Database,
  session: NewSession & {
    provider: string;
    subject: string;
    /** Verified, in the form accounts are found by. */
    email: string | undefined;
    proofHash: string;
    newAccountId: string;
    creditMicro: number;
  },
): Promise<boolean> {
  const values = { ...session, email: session.email ?? null, proofExpiresAt: session.now + proofKeptMs };
  const [, , , , , begun] = await database.batch(ofIdentity, values);
  return begun.length > 0;
}
