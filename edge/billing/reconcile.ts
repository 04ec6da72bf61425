/**
 * Two books beside each other: what callers of the pool were charged, and what the aggregator says it took, by day
 * and model. A day on which the second passes the first is one on which the operator lost money.
 */
import { sql } from "drizzle-orm";
import { build, type Database, prepare } from "../db/client.ts";

/** Amounts are micro-credits; `flagged` counts rows whose usage was not believed as it came. */
export type ReconciledDay = {
  /** YYYY-MM-DD, UTC. */
  day: string;
  model: string;
  requests: number;
  chargedMicro: number;
  /** Of the requests for which the aggregator said something. */
  reportedMicro: number;
  flagged: number;
};

const value = sql.placeholder;
const selectDays = prepare(
  build.all<ReconciledDay>(sql`
    SELECT date(created_at / 1000, 'unixepoch') AS day, coalesce(execution_llm, model, '') AS model,
      count(*) AS requests, -sum(amount_micro) AS chargedMicro,
      coalesce(sum(reported_cost_micro), 0) AS reportedMicro, count(flag) AS flagged
    FROM ledger WHERE kind = 'charge' AND key_source = 'pool' AND created_at >= ${value("since")}
    GROUP BY 1, 2 ORDER BY 1, 2`),
);

/** The pool's days since a moment (Unix milliseconds), oldest first. */
export function reconcile(database: Database, since: number): Promise<ReconciledDay[]> {
  return database.execute(selectDays, { since });
}

/** True for a day that cost the operator more than it brought. */
export const losesMoney = ({ chargedMicro, reportedMicro }: ReconciledDay): boolean =>
  reportedMicro > chargedMicro;
