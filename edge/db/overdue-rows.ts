/**
 * How late the sweep (edge/scheduled.ts) is. It runs in another process or isolate than requests do, so what it did is read from the
 * tables: a row that should have gone by now. This also shows a sweep that does not run at all. Each is the first entry of an index by
 * age, but for the holds, of which there are as many as requests that run.
 */
import { sql } from "drizzle-orm";
import { build, type Database, prepare } from "./client.ts";

/** What the sweep ends or deletes. */
export const sweptRows = ["holds", "answers", "hits", "tokens", "sessions", "codes"] as const;
export type SweptRows = (typeof sweptRows)[number];

const selectOldest = prepare(
  build.all<Record<SweptRows, number | null>>(sql`
    SELECT (SELECT min(max(created_at, coalesce(seen_at, 0)))
        FROM holds LEFT JOIN hold_progress ON hold_id = holds.id) AS holds,
      (SELECT min(created_at) FROM stored_answers) AS answers,
      (SELECT min(at) FROM rate_hits) AS hits,
      (SELECT min(expires_at) FROM access_tokens) AS tokens,
      (SELECT min(expires_at) FROM sessions) AS sessions,
      (SELECT min(created_at) FROM sign_in_codes) AS codes`),
);

/**
 * Milliseconds since the oldest row of each kind should have gone; 0 where none should have. `keptMs`: how long the sweep leaves a row
 * after its time. Throws DatabaseError.
 */
export async function readOverdue(
  database: Database,
  keptMs: Readonly<Record<SweptRows, number>>,
  now: number,
): Promise<[rows: SweptRows, overdueMs: number][]> {
  const [oldest] = await database.execute(selectOldest, {});
  return sweptRows.map((rows) => [rows, Math.max(0, now - keptMs[rows] - (oldest?.[rows] ?? now))]);
}
