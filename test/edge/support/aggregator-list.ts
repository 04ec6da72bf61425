/** The aggregator's list as it was read, of these entries. */
import { type RouterSnapshot, readRouterList } from "../../../edge/catalog/router-snapshot.ts";

export const startedAtMs = Date.parse("2026-11-20");

export function snapshotOf(data: unknown[]): RouterSnapshot {
  const result = readRouterList({ data }, startedAtMs);
  if (!result.ok) throw new Error(result.reason);
  return result.snapshot;
}
