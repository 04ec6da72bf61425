/**
 * How a past answer came about, beside what it cost: written with the ledger row at settlement, read by its id. Names,
 * counts and times only, no texts.
 */
import { sql } from "drizzle-orm";
import { build, type Database, prepare } from "../db/client.ts";
import { answerIdOf } from "../db/generation-notes.ts";
import { ledger } from "../db/schema.ts";

const value = sql.placeholder;

/** `+` keeps SQLite from reading all the account's rows in their order: each way to ask has an index of its own. */
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

/** Our own id of an answer is a prefix of its kind and the hold's id: the hold is found without an index of its own. */
const answerId = /^(?:[a-z-]{1,16}[-_])?([0-9a-f]{32})$/;

/**
 * The ledger row of a settled request of the account, by its answer's id or by its `x-request-id`, which a caller may
 * use twice: the newest then. Throws DatabaseError.
 */
export async function readGeneration(database: Database, accountId: string, id: string) {
  const holdId = answerId.exec(id)?.[1] ?? "";
  const [row] = await database.execute(selectGeneration, { accountId, holdId, id });
  return row;
}
