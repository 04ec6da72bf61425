/** Work that goes on after its client has left, so that it is settled. */
import type { EdgeContext } from "../middleware/context.ts";

/** The same promise. The runtime keeps the request, and its record stays open, until it has settled. */
export function outliveClient<Result>(context: EdgeContext, work: Promise<Result>): Promise<Result> {
  const { waitUntil, requestRecord } = context.var.services;
  const end = requestRecord.holdOpen();
  waitUntil(work.then(end, end));
  return work;
}
