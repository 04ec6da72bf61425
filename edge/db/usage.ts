/** What an account used, summed by day, model or key: from the sums the ledger's trigger keeps (counters-schema.ts). */
import { sql } from "drizzle-orm";
import { build, type Database, prepare } from "./client.ts";

const value = sql.placeholder;

export type UsageRow = {
  group: string;
  requests: number;
  promptTokens: number;
  completionTokens: number;
  planningTokens: number;
  spentMicro: number;
};

const selectBy = (column: "day" | "model" | "api_key_id", order: "1" | "6 DESC, 1") =>
  prepare(
    build.all<UsageRow>(sql`
      SELECT ${sql.raw(column)} AS "group", sum(requests) AS requests, sum(prompt_tokens) AS promptTokens,
        sum(completion_tokens) AS completionTokens, sum(planning_tokens) AS planningTokens,
        sum(spent_micro) AS spentMicro
      FROM usage_days
      WHERE account_id = ${value("accountId")} AND day BETWEEN ${value("from")} AND ${value("to")}
      GROUP BY 1 ORDER BY ${sql.raw(order)}`),
  );

const statements = {
  day: selectBy("day", "1"),
  model: selectBy("model", "6 DESC, 1"),
  key: selectBy("api_key_id", "6 DESC, 1"),
};

/** Days are `YYYY-MM-DD` in UTC, both included. Days come in order; models and keys by cost. Throws DatabaseError. */
export function readUsage(
  database: Database,
  asked: { accountId: string; from: string; to: string; groupBy: keyof typeof statements },
): Promise<UsageRow[]> {
  const { groupBy, ...range } = asked;
  return database.execute(statements[groupBy], range);
}
