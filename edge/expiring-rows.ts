/**
 * The rows that expire: how each kind is deleted, and how long it is kept after its time. The sweep deletes them (scheduled.ts), and
 * /metrics tells how late it is (routes/metrics.ts).
 */
import { deleteExpiredAccessTokens, tokenKeptMs } from "./db/access-tokens.ts";
import type { Database } from "./db/client.ts";
import type { SweptRows } from "./db/overdue-rows.ts";
import { deleteExpiredHits, hitKeptMs } from "./db/rate-hits.ts";
import { deleteExpiredSessions } from "./db/sessions.ts";
import { deleteExpiredCodes } from "./db/sign-in-codes.ts";
import { deleteExpiredAnswers } from "./db/stored-answers.ts";
import { answerKeptMs } from "./idempotency/attempt.ts";
import { codeLimits } from "./sign-in/codes.ts";

type Expiry = {
  /** Deletes the rows whose time is `before`, in Unix milliseconds, or earlier. Throws DatabaseError. */
  deleteExpired: (database: Database, before: number) => Promise<unknown>;
  keptMs: number;
};

/** Holds are released instead (billing/sweep.ts), as money hangs on them. */
export const expiringRows: Readonly<Record<Exclude<SweptRows, "holds">, Expiry>> = {
  answers: { deleteExpired: deleteExpiredAnswers, keptMs: answerKeptMs },
  hits: { deleteExpired: deleteExpiredHits, keptMs: hitKeptMs },
  tokens: { deleteExpired: deleteExpiredAccessTokens, keptMs: tokenKeptMs },
  sessions: { deleteExpired: deleteExpiredSessions, keptMs: 0 },
  codes: { deleteExpired: deleteExpiredCodes, keptMs: codeLimits.windowMs },
};
