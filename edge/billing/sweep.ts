/**
 * Ends the holds of requests that died. A long request writes down at intervals that it lives and what it would be charged
 * (its progress). The sweep skips holds with recent progress; of the others it charges the last progress, or nothing.
 */
import { sql } from "drizzle-orm";
import type { KeySource } from "../../shared/providers.ts";
import { build, type Database, prepare, value } from "../db/client.ts";
import { deadAfterMs } from "../db/schema.ts";

// Only beside an open hold: progress that arrives after the settlement is ignored.
const upsertProgress = prepare(
  build.run(sql`
    INSERT INTO hold_progress (hold_id, charge_micro, seen_at, request_id, model, execution_llm, key_source, markup)
    SELECT id, ${value("chargeMicro")}, ${value("now")}, ${value("requestId")}, ${value("model")},
      ${value("executionLlm")}, ${value("keySource")}, ${value("markup")}
    FROM holds WHERE id = ${value("holdId")} AND account_id = ${value("accountId")}
    ON CONFLICT (hold_id) DO UPDATE SET charge_micro = max(charge_micro, excluded.charge_micro),
      seen_at = max(seen_at, excluded.seen_at), execution_llm = excluded.execution_llm,
      key_source = excluded.key_source, markup = excluded.markup`),
);

/** What a running request records about itself. */
export type Progress = {
  holdId: string;
  accountId: string;
  requestId: string;
  model: string;
  executionLlm: string;
  keySource: KeySource;
  markup: number;
  /** What it would be charged if it ended now, micro-credits. */
  chargeMicro: number;
  /** Unix milliseconds. */
  now: number;
};

/** Throws DatabaseError. Lost progress needs no retry: the next one replaces it. */
export async function noteProgress(database: Database, progress: Progress): Promise<void> {
  await database.execute(upsertProgress, progress);
}

const isAbandoned = sql`created_at <= ${value("cutoff")}
  AND NOT EXISTS (SELECT 1 FROM hold_progress WHERE hold_id = holds.id AND seen_at > ${value("cutoff")})`;

// Most requests have no progress: their row is a release of 0. A trigger deletes each hold with its row.
const insertEnds = prepare(
  build.all<{ id: number }>(sql`
    INSERT INTO ledger (account_id, api_key_id, kind, amount_micro, hold_id, request_id, model, execution_llm,
      key_source, markup, outcome, flag, reason, created_at)
    SELECT account_id, api_key_id, CASE WHEN charge_micro > 0 THEN 'charge' ELSE 'release' END,
      -min(coalesce(charge_micro, 0), amount_micro), id, request_id, model, execution_llm, key_source, markup,
      CASE WHEN charge_micro > 0 THEN 'error' END, CASE WHEN charge_micro > 0 THEN 'settled_by_sweep' END,
      'hold expired', ${value("now")}
    FROM holds LEFT JOIN hold_progress ON hold_id = holds.id WHERE ${isAbandoned}
    RETURNING id`),
);

export type ReleaseOptions = {
  /** Unix milliseconds. */
  now: number;
  olderThanMs?: number;
};

/** Ends holds that were never settled, each with a row that says so; returns how many. */
export async function releaseExpired(
  database: Database,
  { now, olderThanMs = deadAfterMs }: ReleaseOptions,
): Promise<number> {
  const cutoff = now - olderThanMs;
  return (await database.execute(insertEnds, { now, cutoff })).length;
}
