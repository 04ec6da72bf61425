/**
 * A limit that holds across isolates: one row per admitted request, counted and written in one transaction. The window slides, so no minute
 * sees more than the limit, wherever it begins. Rows count for a minute and are then deleted; those of a longer window are dated ahead by
 * the difference. A row dated more than a minute later than one of now was written before the clock was set back: it does not count, else
 * its limit would refuse until that time comes again.
 */
import { sql } from "drizzle-orm";
import { build, type Database, prepare, value } from "./client.ts";
import { clocksApartMs } from "./schema.ts";

const isInWindow = sql`bucket = ${value("bucket")} AND at > ${value("since")} AND at <= ${value("until")}`;
const insertHit = prepare(
  build.all<{ at: number }>(sql`
    INSERT INTO rate_hits (bucket, at) SELECT ${value("bucket")}, ${value("at")} FROM json_each(${value("rowsToInsert")})
    WHERE ${value("limit")} >= ${value("hits")} + (SELECT count(*) FROM rate_hits WHERE ${isInWindow})
    RETURNING at`),
);
const selectHits = prepare(
  build.all<{ used: number; oldest: number | null }>(sql`
    SELECT count(*) AS used, min(at) AS oldest FROM rate_hits WHERE ${isInWindow}`),
);

/** Age at which a row no longer counts, and is deleted. */
export const hitKeptMs = 60_000;

/** `hits`: how many are counted together, all or none; 1 if absent. `windowMs`: at least `hitKeptMs`, which it is if absent. */
export type RateLimit = { bucket: string; limit: number; hits?: number; windowMs?: number; now: number };

export type RateVerdict = {
  admitted: boolean;
  /** Requests still allowed in the window that ends now. */
  remaining: number;
  /** Whole seconds until the oldest request leaves the window and one more is free; at least 1. */
  resetSeconds: number;
};

/** Counts this request, unless the window has no room for it. Throws DatabaseError. */
export async function admit(
  database: Database,
  { bucket, limit, hits = 1, windowMs = hitKeptMs, now }: RateLimit,
): Promise<RateVerdict> {
  const at = now + windowMs - hitKeptMs;
  const rowsToInsert = JSON.stringify(Array.from({ length: hits }, () => 0));
  const values = { bucket, limit, hits, rowsToInsert, at, since: now - hitKeptMs, until: at + clocksApartMs };
  const [inserted, [counted]] = await database.batch([insertHit, selectHits], values);
  const { used, oldest } = counted!;
  return {
    admitted: inserted.length > 0,
    remaining: Math.max(0, limit - used),
    // Another edge's clock may be ahead: a hit with a future date counts as made now.
    resetSeconds: Math.max(1, Math.ceil((Math.min(oldest ?? at, at) + hitKeptMs - now) / 1000)),
  };
}

const deleteOldHits = prepare(build.run(sql`DELETE FROM rate_hits WHERE at <= ${value("before")}`));

/** Deletes rows that no longer count. Throws DatabaseError. */
export async function deleteExpiredHits(database: Database, before: number): Promise<void> {
  await database.execute(deleteOldHits, { before });
}
