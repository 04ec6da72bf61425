/**
 * Looks up a past answer by its id: what it cost and how it came about, as written to the ledger row at settlement. Names,
 * counts and times only, no texts.
 */
import { type SQL, sql } from "drizzle-orm";
import { build, type Database, prepare, value } from "../db/client.ts";
import { answerIdOf } from "../db/generation-notes.ts";
import { ledger } from "../db/schema.ts";

const isCharge = sql`account_id = ${value("accountId")} AND kind = 'charge'`;
/** The newest of many rows with one id is the first of its index. */
const newestBy = (condition: SQL) =>
  sql`SELECT id FROM (SELECT id FROM ledger WHERE ${condition} ORDER BY id DESC LIMIT 1)`;

/** The unary `+` keeps SQLite from scanning the account's rows by their index: each of the three ids has a better one. */
export const selectGeneration = prepare(
  build
    .select()
    .from(ledger)
    .where(
      sql`${ledger.id} IN (
        ${newestBy(sql`hold_id = ${value("holdId")} AND +${isCharge}`)}
        UNION ALL ${newestBy(sql`request_id = ${value("id")} AND ${isCharge}`)}
        UNION ALL ${newestBy(sql`${answerIdOf(ledger.generation)} = ${value("id")} AND +${isCharge}`)})`,
    )
    .orderBy(sql`${ledger.id} DESC`)
    .limit(1),
);

/** An answer id of ours is a prefix for its kind, then the hold's id: the ledger row is found by the hold. */
const answerId = /^(?:[a-z-]{1,16}[-_])?([0-9a-f]{32})$/;

/**
 * The ledger row of a settled request of the account, by its answer's id or by its `x-request-id`: the newest row, if a caller
 * used a request id twice. Throws DatabaseError.
 */
export async function readGeneration(database: Database, accountId: string, id: string) {
  const holdId = answerId.exec(id)?.[1] ?? "";
  const [row] = await database.execute(selectGeneration, { accountId, holdId, id });
  return row;
}
