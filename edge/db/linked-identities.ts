/**
 * The identities of an account, for its owner: lists, links and unlinks them. Each change is one conditional
 * statement, so no race takes an identity from another account or leaves an account without a way in.
 */
import { sql } from "drizzle-orm";
import { build, type Database, prepare, value } from "./client.ts";
import { insertIdentity, insertProof, isFirstUse, proofKeptMs } from "./identity-sessions.ts";

const ofPerson = sql`provider = ${value("provider")} AND subject = ${value("subject")}`;
const ofAccount = sql`account_id = ${value("accountId")} AND unlinked_at IS NULL`;

/** Whether an e-mail code signs in to the account: its name is an address, and no older account has the same address. */
const byAddress = sql`EXISTS (SELECT 1 FROM accounts AS own
  WHERE own.id = ${value("accountId")} AND instr(own.email, '@') > 0 AND own.id = (
    SELECT id FROM accounts WHERE lower(email) = lower(own.email) ORDER BY created_at, id LIMIT 1))`;

export type LinkedIdentity = { provider: string; subject: string; linkedAt: number };
/** `email`: the address whose codes sign in to the account. */
export type WaysIn = { email: string | null; identities: LinkedIdentity[] };

const selectWays = prepare(
  build.all<{ email: string | null; provider: string | null; subject: string; linkedAt: number }>(sql`
    SELECT CASE WHEN ${byAddress} THEN email END AS email, provider, subject, identities.created_at AS "linkedAt"
    FROM accounts LEFT JOIN identities ON account_id = accounts.id AND unlinked_at IS NULL
    WHERE accounts.id = ${value("accountId")} ORDER BY identities.created_at, provider, subject`),
);

/** Throws DatabaseError. */
export async function listWaysIn(database: Database, accountId: string): Promise<WaysIn> {
  const rows = await database.execute(selectWays, { accountId });
  return {
    email: rows[0]?.email ?? null,
    identities: rows.flatMap(({ provider, subject, linkedAt }) =>
      provider === null ? [] : [{ provider, subject, linkedAt }],
    ),
  };
}

const selectLinked = prepare(
  build.all<{ own: 0 | 1; first: 0 | 1 }>(sql`
    SELECT account_id = ${value("accountId")} AS own, ${isFirstUse} AS first
    FROM identities WHERE ${ofPerson} AND unlinked_at IS NULL`),
);
const ofLinking = [insertProof, insertIdentity(sql`${value("accountId")}`, sql`true`), selectLinked] as const;

/** Links an identity, unless another account has it or its proof was used before. Throws DatabaseError. */
export async function linkIdentity(
  database: Database,
  link: {
    accountId: string;
    provider: string;
    subject: string;
    proofHash: string;
    /** Stored with the proof to show which call used it; new for each call. */
    sessionId: string;
    now: number;
  },
): Promise<"linked" | "taken" | "replayed"> {
  const [, , [row]] = await database.batch(ofLinking, { ...link, proofExpiresAt: link.now + proofKeptMs });
  if (row?.first !== 1) return "replayed";
  return row.own === 1 ? "linked" : "taken";
}

const isNotLast = sql`((${value("codesAreSent")} AND ${byAddress}) OR EXISTS (SELECT 1 FROM identities
  WHERE ${ofAccount} AND NOT (${ofPerson}) AND provider IN (SELECT value FROM json_each(${value("usable")}))))`;
const unlinkPerson = prepare(
  build.all<{ subject: string }>(sql`
    UPDATE identities SET unlinked_at = ${value("now")} WHERE ${ofPerson} AND ${ofAccount} AND ${isNotLast}
    RETURNING subject`),
);
// It is not stored which identity began a session, so any other session may belong to the person who is unlinked.
const endOtherSessions = prepare(
  build.run(sql`
    DELETE FROM sessions WHERE id <> ${value("sessionId")}
      AND api_key_id = (SELECT api_key_id FROM sessions WHERE id = ${value("sessionId")})
      AND EXISTS (SELECT 1 FROM identities WHERE ${ofPerson} AND account_id = ${value("accountId")}
        AND unlinked_at = ${value("now")})`),
);
const selectLeft = prepare(
  build.all<{ subject: string }>(sql`SELECT subject FROM identities WHERE ${ofPerson} AND ${ofAccount}`),
);
const ofUnlinking = [unlinkPerson, endOtherSessions, selectLeft] as const;

/** Unlinks an identity and ends the account's other sessions, unless it is the last way in. Throws DatabaseError. */
export async function unlinkIdentity(
  database: Database,
  unlink: {
    accountId: string;
    provider: string;
    subject: string;
    /** The session that stays. */
    sessionId: string;
    now: number;
    codesAreSent: boolean;
    /** The providers that are set up: an identity at any other signs nobody in. */
    usable: readonly string[];
  },
): Promise<"unlinked" | "last" | "unknown"> {
  const values = {
    ...unlink,
    codesAreSent: Number(unlink.codesAreSent),
    usable: JSON.stringify(unlink.usable),
  };
  const [unlinked, , left] = await database.batch(ofUnlinking, values);
  if (unlinked.length > 0) return "unlinked";
  return left.length > 0 ? "last" : "unknown";
}
