/**
 * An ended request as one data point for Workers Analytics Engine, where isolates share no metrics. The places of
 * its columns are fixed (docs/operating.md lists them): a new one goes to the end. Pure.
 */
import { nameStatusClass } from "./metrics.ts";
import type { RequestRecord, Stage } from "./request-record.ts";

/** What an Analytics Engine binding takes. */
export type DataPoint = { indexes: string[]; blobs: string[]; doubles: number[] };
export type Dataset = { writeDataPoint(point: DataPoint): void };

export function buildDataPoint(requestRecord: RequestRecord): DataPoint {
  const { answered, settled, stages, startedAt, firstAt, endedAt = startedAt } = requestRecord;
  const lengthOf = (stage: Stage) =>
    stages.reduce(
      (sum, record) =>
        record.stage === stage && record.endedAt !== undefined
          ? sum + record.endedAt - record.startedAt
          : sum,
      0,
    );
  const call = stages.find(({ provider }) => provider !== undefined);
  const route = answered?.route ?? "other";
  return {
    indexes: [route],
    blobs: [
      route,
      answered === undefined ? "" : nameStatusClass(answered.status),
      requestRecord.code ?? "",
      call?.provider ?? "",
      settled?.keySource ?? "",
      settled?.outcome ?? "",
      settled?.flag ?? "",
    ],
    doubles: [
      endedAt - startedAt,
      lengthOf("auth"),
      lengthOf("plan"),
      lengthOf("hold"),
      lengthOf("settle"),
      firstAt === undefined ? 0 : firstAt - startedAt,
      settled?.charged ?? 0,
      settled?.reportedCost ?? 0,
      settled?.usage?.input ?? 0,
      settled?.usage?.output ?? 0,
      settled?.planningTokens ?? 0,
    ],
  };
}
