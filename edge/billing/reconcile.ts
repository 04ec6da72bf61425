/**
 * Compares what callers of the pool were charged with the cost that the aggregator reported, by day and model, with a count
 * of every flag. On a day when the cost is higher the operator lost money.
 */
import { sql } from "drizzle-orm";
import { toCredits } from "../../shared/credits.ts";
import { build, type Database, prepare, value } from "../db/client.ts";

/** Amounts are micro-credits. */
export type ReconciledDay = {
  /** YYYY-MM-DD, UTC. */
  day: string;
  model: string;
  requests: number;
  chargedMicro: number;
  /** The requests with a reported cost: how many, what they were charged, what the aggregator reported. */
  reportedRequests: number;
  chargedOfReportedMicro: number;
  reportedMicro: number;
  /** Requests that ran into the deadline of ten minutes. */
  deadlines: number;
  /** Requests by flag (docs/operating.md). */
  flags: FlagCounts;
};
export type FlagCounts = Record<string, number>;

type GroupSums = Omit<ReconciledDay, "flags"> & { flag: string | null };

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
    // Rows of one day and model are neighbours.
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

/** True for a day on which the requests with a reported cost cost more than they were charged. */
export const losesMoney = ({ chargedOfReportedMicro, reportedMicro }: ReconciledDay): boolean =>
  reportedMicro > chargedOfReportedMicro;

/** A day in credits, for the terminal and the operator's page. */
export const describeDay = (day: ReconciledDay) => ({
  day: day.day,
  model: day.model,
  requests: day.requests,
  charged: toCredits(day.chargedMicro),
  reported_cost: toCredits(day.reportedMicro),
  margin: toCredits(day.chargedMicro - day.reportedMicro),
  reported_requests: day.reportedRequests,
  charged_of_reported: toCredits(day.chargedOfReportedMicro),
  deadlines: day.deadlines,
  flagged: Object.values(day.flags).reduce((sum, count) => sum + count, 0),
  flags: day.flags,
});
