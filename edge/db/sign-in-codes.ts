/**
 * Codes sent by e-mail, as rows: asked for within limits that hold across isolates, and tried. Each is one conditional statement,
 * so neither the limits nor the number of tries can be exceeded by a race.
 */
import { type SQL, sql } from "drizzle-orm";
import { build, type Database, prepare, value } from "./client.ts";
import { clocksApartMs } from "./schema.ts";

const ofAddress = sql`address_hash = ${value("addressHash")}`;
const ofNetwork = sql`network_hash = ${value("networkHash")}`;
const ofSite = sql`site_hash = ${value("siteHash")}`;
/** Which codes of the window each limit counts. */
const counted: readonly [limit: string, codes: SQL][] = [
  ["perVisitor", sql`${ofAddress} AND ${ofSite}`],
  ["perAddress", ofAddress],
  ["perNetwork", ofNetwork],
  ["perSite", ofSite],
];
// A code dated later than an edge's clock may be ahead was made before the clock was set back, and would count until that time comes again.
const readSince = (what: SQL, codes: SQL) =>
  sql`(SELECT ${what} FROM sign_in_codes WHERE ${codes} AND created_at > ${value("since")} AND created_at <= ${value("until")})`;
const countSince = (codes: SQL) => readSince(sql`count(*)`, codes);
const oldestSince = (codes: SQL) => readSince(sql`min(created_at)`, codes);

const insertCode = prepare(
  build.all<{ id: string }>(sql`
    INSERT INTO sign_in_codes (id, code_hash, address_hash, network_hash, site_hash, created_at, expires_at)
    SELECT ${value("codeId")}, ${value("codeHash")}, ${value("addressHash")}, ${value("networkHash")},
      ${value("siteHash")}, ${value("now")}, ${value("expiresAt")}
    WHERE ${sql.join(
      counted.map(([limit, codes]) => sql`${countSince(codes)} < ${value(limit)}`),
      sql` AND `,
    )}
    RETURNING id`),
);
// Read after the insert: if it added no row, a full window refused it.
const selectOldest = prepare(
  build.all<{ at: number | null }>(sql`
    SELECT max(${sql.join(
      counted.map(
        ([limit, codes]) =>
          sql`CASE WHEN ${countSince(codes)} >= ${value(limit)} THEN ${oldestSince(codes)} ELSE 0 END`,
      ),
      sql`, `,
    )}) AS at`),
);

export type NewCode = {
  codeId: string;
  codeHash: string;
  addressHash: string;
  networkHash: string;
  siteHash: string;
  now: number;
  expiresAt: number;
};
/** How many codes may be asked for in a window: from one site for one mailbox, for one mailbox, from one network, and from one site. */
export type CodeLimits = {
  perVisitor: number;
  perAddress: number;
  perNetwork: number;
  perSite: number;
  windowMs: number;
};

/** Stores a code. If a limit is reached, returns when the next one may be asked for. Throws DatabaseError. */
export async function addCode(
  database: Database,
  code: NewCode,
  { windowMs, ...limits }: CodeLimits,
): Promise<{ added: true } | { added: false; nextAt: number }> {
  const values = { ...code, ...limits, since: code.now - windowMs, until: code.now + clocksApartMs };
  const [added, [oldest]] = await database.batch([insertCode, selectOldest], values);
  return added.length > 0 ? { added: true } : { added: false, nextAt: (oldest?.at ?? code.now) + windowMs };
}

// The statement that compares also counts the try, and a right code is used up by it.
const tryOnce = prepare(
  build.all<{ right: 0 | 1 }>(sql`
    UPDATE sign_in_codes SET tries = tries + 1,
      used_at = CASE WHEN code_hash = ${value("codeHash")} THEN ${value("now")} END
    WHERE id = ${value("codeId")} AND used_at IS NULL AND tries < ${value("maxTries")} AND expires_at > ${value("now")}
    RETURNING used_at IS NOT NULL AS "right"`),
);

/** True for the right code, once. Each call counts as a try. Throws DatabaseError. */
export async function tryCode(
  database: Database,
  attempt: { codeId: string; codeHash: string; maxTries: number; now: number },
): Promise<boolean> {
  const [tried] = await database.execute(tryOnce, attempt);
  return tried?.right === 1;
}

const deleteOldCodes = prepare(
  build.run(sql`DELETE FROM sign_in_codes WHERE created_at <= ${value("before")}`),
);

/** Deletes codes that are older than every limit's window. Throws DatabaseError. */
export async function deleteExpiredCodes(database: Database, before: number): Promise<void> {
  await database.execute(deleteOldCodes, { before });
}
