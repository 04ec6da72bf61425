/**
 * Requests with an Idempotency-Key as rows: claimed before the work, kept or deleted after it. A request that was charged or
 * completed is kept, one that failed for free is deleted: the ledger is read in the same transaction, so the two cannot
 * disagree. Whether the account has room is read there, too, from a sum that triggers maintain. Texts are sealed.
 */
import { sql } from "drizzle-orm";
import { build, type Database, prepare, value } from "./client.ts";

export type AnswerRow = {
  holdId: string;
  /** Sealed. */
  fingerprint: string;
  /** Sealed; null while its request runs, and for an answer above `maxInlineBytes`, which `readAnswer` reads. */
  answer: string | null;
  isAnswered: 0 | 1;
  createdAt: number;
  /** 1 when the request's hold has been charged for. */
  charged: number;
  /** 1 when its hold was given back: the request has failed or died, and can no longer be charged. */
  released: number;
};

/** Longest sealed answer that is read together with its row: a larger one is read when there is memory for it. */
export const maxInlineBytes = 64 * 1024;

const charged = (holdId: ReturnType<typeof sql>) =>
  sql`EXISTS (SELECT 1 FROM ledger WHERE hold_id = ${holdId} AND amount_micro < 0)`;

const insertClaim = prepare(
  build.all<{ holdId: string }>(sql`
    INSERT INTO stored_answers (account_id, key_hash, hold_id, fingerprint, created_at)
    VALUES (${value("accountId")}, ${value("keyHash")}, ${value("holdId")}, ${value("fingerprint")}, ${value("now")})
    ON CONFLICT (account_id, key_hash) DO UPDATE SET hold_id = excluded.hold_id, answer = NULL, answer_bytes = 0,
      fingerprint = excluded.fingerprint, created_at = excluded.created_at
    WHERE stored_answers.created_at <= ${value("expired")}
    RETURNING hold_id AS holdId`),
);
const selectClaim = prepare(
  build.all<AnswerRow>(sql`
    SELECT hold_id AS holdId, fingerprint, CASE WHEN answer_bytes <= ${maxInlineBytes} THEN answer END AS answer,
      answer IS NOT NULL AS isAnswered, created_at AS createdAt,
      ${charged(sql`stored_answers.hold_id`)} AS charged,
      EXISTS (SELECT 1 FROM ledger WHERE hold_id = stored_answers.hold_id AND kind = 'release') AS released
    FROM stored_answers WHERE account_id = ${value("accountId")} AND key_hash = ${value("keyHash")}`),
);

export type Claim = {
  accountId: string;
  keyHash: string;
  holdId: string;
  fingerprint: string;
  /** Unix milliseconds. */
  now: number;
  /** A row made at this time or earlier is ignored. */
  expired: number;
};

/** Claims the key for this request, or returns the row of the request that has it. Throws DatabaseError. */
export async function claimAnswer(database: Database, claim: Claim): Promise<AnswerRow | "claimed"> {
  const [claimed, [row]] = await database.batch([insertClaim, selectClaim], claim);
  return claimed.length > 0 ? "claimed" : row!;
}

const selectAnswer = prepare(
  build.all<{ answer: string | null }>(sql`
    SELECT answer FROM stored_answers
    WHERE account_id = ${value("accountId")} AND key_hash = ${value("keyHash")} AND hold_id = ${value("holdId")}`),
);

/** The sealed answer of a row, of any length; undefined if the row has gone. Throws DatabaseError. */
export async function readAnswer(
  database: Database,
  row: { accountId: string; keyHash: string; holdId: string },
): Promise<string | undefined> {
  const [found] = await database.execute(selectAnswer, row);
  return found?.answer ?? undefined;
}

const takeOverClaim = prepare(
  build.all<{ holdId: string }>(sql`
    UPDATE stored_answers SET hold_id = ${value("holdId")}, created_at = ${value("now")},
      fingerprint = ${value("fingerprint")}
    WHERE account_id = ${value("accountId")} AND key_hash = ${value("keyHash")}
      AND hold_id = ${value("abandoned")} AND answer IS NULL AND NOT ${charged(value("abandoned") as never)}
      AND NOT EXISTS (SELECT 1 FROM holds WHERE id = ${value("abandoned")})
    RETURNING hold_id AS holdId`),
);

/**
 * Takes over the claim of a request that died. True if that request was not charged, has no hold, and no other request took it
 * over first.
 */
export async function takeOver(database: Database, claim: Claim & { abandoned: string }): Promise<boolean> {
  return (await database.execute(takeOverClaim, claim)).length > 0;
}

// An open hold was not settled, and the sweep may still charge it. Until then the row is neither deleted nor given an answer, and
// retries see a running request. After the sweep `charged` or `takeOver` decides.
const own = sql`account_id = ${value("accountId")} AND key_hash = ${value("keyHash")} AND hold_id = ${value("holdId")}
  AND NOT EXISTS (SELECT 1 FROM holds WHERE id = ${value("holdId")})`;
// A request that failed and cost nothing leaves no row, so a retry runs again.
const deleteFree = prepare(
  build.run(sql`
    DELETE FROM stored_answers WHERE ${own} AND NOT EXISTS (SELECT 1 FROM ledger
      WHERE hold_id = ${value("holdId")} AND (amount_micro < 0 OR outcome = 'completed'))`),
);
const keepAnswer = prepare(
  build.run(sql`
    UPDATE stored_answers SET answer = ${value("answer")}, answer_bytes = ${value("answerBytes")}
    WHERE ${own} AND ${value("maxKeptBytes")} >= ${value("answerBytes")} + (
      SELECT kept_answer_bytes FROM accounts WHERE id = ${value("accountId")})`),
);
// Only if the statement before it found no room.
const keepLoss = prepare(
  build.all<{ holdId: string }>(sql`
    UPDATE stored_answers SET answer = ${value("loss")} WHERE ${own} AND answer IS NULL
    RETURNING hold_id AS holdId`),
);

/**
 * Deletes the claim of a request that failed and cost nothing; leaves it while the request's hold is open. Throws DatabaseError.
 */
export async function deleteClaim(
  database: Database,
  claim: Pick<Claim, "accountId" | "keyHash" | "holdId">,
): Promise<void> {
  await database.execute(deleteFree, claim);
}

export type Closing = {
  accountId: string;
  keyHash: string;
  holdId: string;
  answer: string;
  /** Bytes of `answer` that count against the account's bound; 0 where it only records that the answer was lost. */
  answerBytes: number;
  /** Stored in place of the answer if the account has no room. */
  loss: string;
  /** Bound of the account's stored bytes, this answer's included. */
  maxKeptBytes: number;
};

/**
 * Stores the answer of a settled request, or deletes the claim if the request failed and cost nothing; leaves the claim as it is
 * while the hold is open. "account_full": only the loss of the answer was stored. Throws DatabaseError.
 */
export async function closeClaim(database: Database, closing: Closing): Promise<"closed" | "account_full"> {
  const [, , lost] = await database.batch([deleteFree, keepAnswer, keepLoss], closing);
  return lost.length > 0 ? "account_full" : "closed";
}

const deleteExpired = prepare(
  build.all<{ id: string }>(sql`
    DELETE FROM stored_answers WHERE rowid IN (
      SELECT rowid FROM stored_answers WHERE created_at <= ${value("before")} LIMIT ${value("rows")})
    RETURNING hold_id AS id`),
);

/**
 * Deletes rows made at `before` (Unix milliseconds) or earlier, `rows` of them in a statement, in at most `times` statements; the next sweep
 * deletes more. After a day without a sweep there may be hundreds of thousands. One statement for all of them would block every write, and be
 * rolled back after the 5 s that a statement may take, in each sweep. Throws DatabaseError.
 */
export async function deleteExpiredAnswers(
  database: Database,
  before: number,
  { rows, times } = { rows: 1_000, times: 40 },
): Promise<void> {
  for (let time = 0; time < times; time++) {
    const deleted = await database.execute(deleteExpired, { before, rows });
    if (deleted.length < rows) return;
  }
}

const countSealedOtherwise = prepare(
  build.all<{ rows: number }>(sql`
    SELECT count(*) AS rows FROM stored_answers
    WHERE substr(fingerprint, 1, length(${value("prefix")})) <> ${value("prefix")}`),
);

/** The number of rows that are not sealed by the key whose texts begin with `prefix`. Throws DatabaseError. */
export async function countAnswersSealedOtherwise(database: Database, prefix: string): Promise<number> {
  const [count] = await database.execute(countSealedOtherwise, { prefix });
  return count!.rows;
}
