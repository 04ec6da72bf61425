/**
 * Looks up a past answer by its id: what it cost and how it came about, as written to the ledger row at settlement. Names,
 * counts and times only, no texts.
 */
import { sql } from "drizzle-orm";
import { build, type Database, prepare } from "../db/client.ts";
import { answerIdOf } from "../db/generation-notes.ts";
import { ledger } from "../db/schema.ts";

const value = sql.placeholder;

/** The unary `+` keeps SQLite from scanning the account's rows by their index: each of the three ids has a better one. */
export const selectGeneration = prepare(
  build
    .select()
    .from(ledger)
    .where(
      sql`+${ledger.accountId} = ${value("accountId")} AND ${ledger.kind} = 'charge'
        AND (${ledger.holdId} = ${value("holdId")} OR ${ledger.requestId} = ${value("id")}
          OR ${answerIdOf(ledger.generation)} = ${value("id")})`,
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
