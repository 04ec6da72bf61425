/** What an account used, summed by day, model or key: from the sums the ledger's trigger keeps (counters-schema.ts). */
import { sql } from "drizzle-orm";
import { build, type Database, prepare, value } from "./client.ts";

/**
 * Most rows that one answer sums. A year of 700 models has a quarter of a million, which took SQLite half a second for each answer; a year
 * of three keys with 18 models a day has this many.
 */
export const maxUsageRows = 20_000;

export type UsageRow = {
  group: string;
  requests: number;
  promptTokens: number;
  completionTokens: number;
  planningTokens: number;
  spentMicro: number;
};

const selectBy = (column: "day" | "model" | "api_key_id", order: "2" | "7 DESC, 2") =>
  prepare(
    build.all<UsageRow & { rowsRead: number }>(sql`
      WITH sums AS MATERIALIZED (SELECT * FROM usage_days
        WHERE account_id = ${value("accountId")} AND day BETWEEN ${value("from")} AND ${value("to")}
        LIMIT ${maxUsageRows + 1})
      SELECT (SELECT count(*) FROM sums) AS rowsRead, ${sql.raw(column)} AS "group",
        sum(requests) AS requests, sum(prompt_tokens) AS promptTokens, sum(completion_tokens) AS completionTokens,
        sum(planning_tokens) AS planningTokens, sum(spent_micro) AS spentMicro
      FROM sums GROUP BY 2 ORDER BY ${sql.raw(order)}`),
  );

const statements = {
  day: selectBy("day", "2"),
  model: selectBy("model", "7 DESC, 2"),
  key: selectBy("api_key_id", "7 DESC, 2"),
};

/**
 * Days are `YYYY-MM-DD` in UTC, both included. Days come in order; models and keys by cost. Undefined if the range has too many rows.
 * Throws DatabaseError.
 */
export async function readUsage(
  database: Database,
  asked: { accountId: string; from: string; to: string; groupBy: keyof typeof statements },
): Promise<UsageRow[] | undefined> {
  const { groupBy, ...range } = asked;
  const rows = await database.execute(statements[groupBy], range);
  return (rows[0]?.rowsRead ?? 0) > maxUsageRows ? undefined : rows;
}
