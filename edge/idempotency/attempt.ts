/**
 * The rule of Idempotency-Key: within 24 hours a key is charged at most once, whatever fails. `beginAttempt` decides whether
 * a request runs or gets the kept answer; `closeAttempt` keeps its answer. State lives in the database, texts are sealed with the
 * account's key.
 */
import { GatewayError } from "../../shared/errors.ts";
import { releaseExpired } from "../billing/sweep.ts";
import type { Database } from "../db/client.ts";
import { type Background, undoIfLost } from "../db/lost-write.ts";
import { deadAfterMs } from "../db/schema.ts";
import {
  type AnswerRow,
  type Claim,
  claimAnswer,
  closeClaim,
  deleteClaim,
  maxInlineBytes,
  readAnswer,
  takeOver,
} from "../db/stored-answers.ts";
import { type SealContext, SealError, type Sealer } from "../vault/seal.ts";
import {
  decodeRecorded,
  decompressedBytes,
  encodeRecorded,
  maxAnswerBytes,
  type Recorded,
} from "./recorded-answer.ts";

/** How long an answer is kept. */
export const answerKeptMs = 24 * 3_600_000;
/** A claim older than this belongs to a request that died: a minute more than the sweep needs to release its hold. */
const abandonedMs = deadAfterMs + 60_000;
const retryAfterSeconds = 2;
/**
 * Bound of one account's kept answers, bytes as they are stored: without a bound cheap requests could fill the operator's disk in a day.
 * Room for 48 of the largest answers, or over 100,000 short ones.
 */
const maxKeptBytes = 256 * 1024 * 1024;

export type Attempt = {
  accountId: string;
  /** SHA-256 of the caller's key, hex. */
  keyHash: string;
  /** The hold this request will reserve under. */
  holdId: string;
  /** SHA-256 of method, path and body, hex. */
  fingerprint: string;
};

export type AnswerStore = Background & {
  database: Database;
  sealer: Sealer;
  now: () => number;
  /** Bound of an account's kept answers together. Default: 256 MiB. */
  maxKeptBytes?: number;
  /** Waits for the memory that a kept answer of this size takes while it is opened. */
  claimMemory?: (bytes: number) => Promise<void>;
};

/** `run`: do the work, then `closeAttempt`. Otherwise the answer that is stored for the key. */
export type AttemptStart = { run: true } | { run: false; answer: Exclude<Recorded, { lost: string }> };

/** The vault's context of a sealed column (`part`) of a row. */
const answerContext = (
  row: { accountId: string; keyHash: string; holdId: string },
  part: "fingerprint" | "answer",
): SealContext => ({ accountId: row.accountId, name: [part, row.keyHash, row.holdId] });

/**
 * If the database's answer to the claim is lost, the claim is deleted later: nothing runs under it. Throws DatabaseError, and GatewayError
 * for a key that is in use, was used for another request, or lost its answer.
 */
export function beginAttempt(store: AnswerStore, attempt: Attempt): Promise<AttemptStart> {
  return undoIfLost(
    store,
    () => claimOrReplay(store, attempt),
    () => deleteClaim(store.database, attempt),
  );
}

async function claimOrReplay(store: AnswerStore, attempt: Attempt): Promise<AttemptStart> {
  const { database, sealer } = store;
  const now = store.now();
  const claim: Claim = {
    ...attempt,
    fingerprint: await sealer.seal(
      answerContext(attempt, "fingerprint"),
      new TextEncoder().encode(attempt.fingerprint),
    ),
    now,
    expired: now - answerKeptMs,
  };
  const row = await claimAnswer(database, claim);
  if (row === "claimed") return { run: true };
  const known = { ...attempt, holdId: row.holdId };
  const fingerprint = await open(store, answerContext(known, "fingerprint"), row.fingerprint);
  if (new TextDecoder().decode(fingerprint) !== attempt.fingerprint) throw reused();
  if (row.isAnswered) {
    const recorded = await readKept(store, known, row.answer);
    if ("lost" in recorded) throw lost(recorded.lost);
    return { run: false, answer: recorded };
  }
  // A request whose hold was given back has ended, and is never charged: nobody needs to wait until it must be dead.
  if (!row.released && now - row.createdAt < abandonedMs) throw running();
  return resume(store, claim, row);
}

/**
 * Opens a kept answer. Memory is claimed before it is taken: before a long answer is read (one that did not come with its row, whose
 * length is not known yet), and before a short one that decompresses to a long one is decompressed. Replays take no
 * hold, so credit does not bound them, and sixty at once of four megabytes took a gigabyte of the isolate.
 */
async function readKept(store: AnswerStore, row: Attempt, inline: string | null): Promise<Recorded> {
  if (inline === null) await store.claimMemory?.(maxAnswerBytes);
  const sealed = inline ?? (await readAnswer(store.database, row));
  // Deleted since the claim's row was read: a retry runs as a new request.
  if (sealed === undefined) throw running();
  const packed = await open(store, answerContext(row, "answer"), sealed);
  const bytes = decompressedBytes(packed);
  if (inline !== null && bytes > maxInlineBytes) await store.claimMemory?.(bytes);
  return decodeRecorded(packed);
}

/** The request that had claimed this key has died. Unless it was charged, this request takes over the claim and runs. */
async function resume({ database }: AnswerStore, claim: Claim, row: AnswerRow): Promise<AttemptStart> {
  await releaseExpired(database, { now: claim.now });
  if (await takeOver(database, { ...claim, abandoned: row.holdId })) return { run: true };
  if (row.charged) throw lost("stopped");
  throw running();
}

/**
 * Keeps the request's answer, or deletes the claim of a request that failed and cost nothing; one whose settlement failed stays
 * claimed. "account_full": there was no room for the answer, and only that fact is kept. Throws DatabaseError.
 */
export async function closeAttempt(
  store: AnswerStore,
  attempt: Attempt,
  recorded: Recorded,
): Promise<"closed" | "account_full"> {
  const seal = async (what: Recorded) =>
    store.sealer.seal(answerContext(attempt, "answer"), await encodeRecorded(what));
  // Only the database knows whether there is room, so one round trip brings it both texts.
  const [answer, loss] = await Promise.all([seal(recorded), seal({ lost: "account_full" })]);
  const { accountId, keyHash, holdId } = attempt;
  return closeClaim(store.database, {
    accountId,
    keyHash,
    holdId,
    answer,
    // Sealed text is ASCII: a byte for each character.
    answerBytes: "lost" in recorded ? 0 : answer.length,
    loss,
    maxKeptBytes: store.maxKeptBytes ?? maxKeptBytes,
  });
}

async function open({ sealer }: AnswerStore, context: SealContext, sealed: string): Promise<Uint8Array> {
  try {
    return await sealer.open(context, sealed);
  } catch (error) {
    if (error instanceof SealError) throw lost(error.reason);
    throw error;
  }
}

const running = () =>
  new GatewayError(
    "idempotency_in_progress",
    "A request with this Idempotency-Key is still running: wait and retry to get its answer.",
    { retryAfterSeconds },
  );
const reused = () =>
  new GatewayError(
    "idempotency_key_reused",
    "This Idempotency-Key was used for another path or body within 24 hours: use a new key for a new request.",
    { param: "Idempotency-Key" },
  );
const lost = (reason: string) =>
  new GatewayError(
    "idempotency_answer_lost",
    "The request with this Idempotency-Key was charged, but its answer cannot be given again: use a new key to ask anew.",
    { param: "Idempotency-Key" },
    reason,
  );
