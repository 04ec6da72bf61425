/**
 * A limit that holds across isolates: one row per admitted request, counted and written in one transaction.
 * A sliding window, so no minute ever sees more than the limit, wherever it begins.
 */
import { sql } from "drizzle-orm";
import { build, type Database, prepare } from "./client.ts";

const value = sql.placeholder;

const insertHit = prepare(
  build.all<{ at: number }>(sql`
    INSERT INTO rate_hits (bucket, at) SELECT ${value("bucket")}, ${value("now")}
    WHERE ${value("limit")} > (SELECT count(*) FROM rate_hits
      WHERE bucket = ${value("bucket")} AND at > ${value("since")})
    RETURNING at`),
);
const selectHits = prepare(
  build.all<{ used: number; oldest: number | null }>(sql`
    SELECT count(*) AS used, min(at) AS oldest FROM rate_hits
    WHERE bucket = ${value("bucket")} AND at > ${value("since")}`),
);

export type RateLimit = { bucket: string; limit: number; windowMs: number; now: number };

export type RateVerdict = {
  admitted: boolean;
  /** Requests still allowed in the window that ends now. */
  remaining: number;
  /** Milliseconds until the oldest request leaves the window and one more is free. */
  resetMs: number;
};

/** Counts this request, unless the window is full. Throws DatabaseError. */
export async function admit(database: Database, limit: RateLimit): Promise<RateVerdict> {
  const since = limit.now - limit.windowMs;
  const [inserted, [hits]] = await database.batch([insertHit, selectHits], { ...limit, since });
  const { used, oldest } = hits!;
  return {
    admitted: inserted.length > 0,
    remaining: Math.max(0, limit.limit - used),
    // Another edge's clock may be ahead: a hit with a future date counts as made now.
    resetMs: Math.max(0, Math.min(oldest ?? limit.now, limit.now) + limit.windowMs - limit.now),
  };
}

const deleteOldHits = prepare(build.run(sql`DELETE FROM rate_hits WHERE at <= ${value("before")}`));

/** Deletes requests that are older than every window. Throws DatabaseError. */
export async function deleteExpiredHits(database: Database, before: number): Promise<void> {
  await database.execute(deleteOldHits, { before });
}
