/**
 * Two books beside each other: what callers of the pool were charged, and what the aggregator says it took, by day
 * and model, with a count of every flag. A day on which the second passes the first is one on which the operator
 * lost money.
 */
import { sql } from "drizzle-orm";
import { build, type Database, prepare } from "../db/client.ts";

/** Amounts are micro-credits. */
export type ReconciledDay = {
  /** YYYY-MM-DD, UTC. */
  day: string;
  model: string;
  requests: number;
  chargedMicro: number;
  /** Of the requests for which the aggregator said something: how many, what they were charged, what it says. */
  reportedRequests: number;
  chargedOfReportedMicro: number;
  reportedMicro: number;
  /** Requests that their ten minutes ended. */
  deadlines: number;
  /** Requests by flag (docs/operating.md). */
  flags: FlagCounts;
};
export type FlagCounts = Record<string, number>;

type GroupSums = Omit<ReconciledDay, "flags"> & { flag: string | null };

const value = sql.placeholder;
const selectGroups = prepare(
  build.all<GroupSums>(sql`
    SELECT date(created_at / 1000, 'unixepoch') AS day, coalesce(execution_llm, model, '') AS model, flag,
      count(*) AS requests, -sum(amount_micro) AS chargedMicro, count(reported_cost_micro) AS reportedRequests,
      coalesce(-sum(amount_micro) FILTER (WHERE reported_cost_micro IS NOT NULL), 0) AS chargedOfReportedMicro,
      coalesce(sum(reported_cost_micro), 0) AS reportedMicro, count(*) FILTER (WHERE reason = 'deadline') AS deadlines
    FROM ledger WHERE kind = 'charge' AND key_source = 'pool' AND created_at >= ${value("since")}
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`),
);

/** The pool's days since a moment (Unix milliseconds), oldest first. */
export async function reconcile(database: Database, since: number): Promise<ReconciledDay[]> {
  const days: ReconciledDay[] = [];
  for (const { flag, ...group } of await database.execute(selectGroups, { since })) {
    const last = days.at(-1);
    const flags: FlagCounts = flag === null ? {} : { [flag]: group.requests };
    // Groups of one day and model stand together.
    if (last?.day === group.day && last.model === group.model)
      days[days.length - 1] = add(last, group, flags);
    else days.push({ ...group, flags });
  }
  return days;
}

const add = (day: ReconciledDay, group: Omit<GroupSums, "flag">, flags: FlagCounts): ReconciledDay => ({
  ...day,
  requests: day.requests + group.requests,
  chargedMicro: day.chargedMicro + group.chargedMicro,
  reportedRequests: day.reportedRequests + group.reportedRequests,
  chargedOfReportedMicro: day.chargedOfReportedMicro + group.chargedOfReportedMicro,
  reportedMicro: day.reportedMicro + group.reportedMicro,
  deadlines: day.deadlines + group.deadlines,
  flags: addFlags(day.flags, flags),
});

export function addFlags(left: FlagCounts, right: FlagCounts): FlagCounts {
  const sums = { ...left };
  for (const [flag, count] of Object.entries(right)) sums[flag] = (sums[flag] ?? 0) + count;
  return sums;
}

/** True for a day on which the requests that the aggregator spoke of cost the operator more than they brought. */
export const losesMoney = ({ chargedOfReportedMicro, reportedMicro }: ReconciledDay): boolean =>
  reportedMicro > chargedOfReportedMicro;
