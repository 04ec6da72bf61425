/**
 * Money in motion: reserve before any model call, settle once after it, release what nobody settled.
 * available = balance - open holds, read and compared inside the statement that reserves, so there is no
 * counter to drift and nothing to race. Every function is one round trip, a refused hold two. docs/storage.md has the rules.
 */
import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { billableOutput, type Usage } from "../../shared/chat.ts";
import { GatewayError } from "../../shared/errors.ts";
import { build, type Database, isDatabaseUnavailable, prepare } from "../db/client.ts";
import type { GenerationNotes } from "../db/generation-notes.ts";
import { ledger } from "../db/schema.ts";
import { isAllowed, type RemainingLimits, selectRemainingLimits } from "../db/spending-limits.ts";
import { credits } from "./price.ts";

const value = sql.placeholder;

const insertHold = prepare(
  build.all<{ id: string }>(sql`
    INSERT INTO holds (id, account_id, api_key_id, token_id, amount_micro, created_at)
    SELECT ${value("holdId")}, id, ${value("apiKeyId")}, ${value("tokenId")}, ${value("amountMicro")}, ${value("now")}
    FROM accounts WHERE ${isAllowed}
    RETURNING id`),
);
const selectLeft = prepare(build.all<RemainingLimits>(selectRemainingLimits));
const growHold = prepare(
  build.all<{ id: string }>(sql`
    UPDATE holds SET amount_micro = amount_micro + ${value("amountMicro")}
    WHERE id = ${value("holdId")} AND EXISTS (SELECT 1 FROM accounts WHERE ${isAllowed})
    RETURNING id`),
);

export type Reservation = {
  /** Ours and new for each request, never the caller's request id. */
  holdId: string;
  accountId: string;
  apiKeyId: string;
  /** Id of the token that the request came with, if it came with one. */
  tokenId?: string | undefined;
  amountMicro: number;
  /** For a remembered caller: what must be unchanged since it was read (`Account.snapshot`). Else nothing is compared. */
  snapshot?: string | undefined;
  /** Unix milliseconds. */
  now: number;
};
/** Why a hold was refused: the account's credit, its key's budget, its token's cap, an ended key, or a suspended account. */
export type Limit = "credit" | "budget" | "cap" | "key" | "account";
export type Refusal = { granted: false; limit: Limit; availableMicro: number };
export type ReservationResult = { granted: true } | Refusal;

/**
 * Takes a hold, or says which limit refuses it and what is left. Never grants more than account, key and token have. A refused hold
 * is tried again in one transaction with the reading of what is left, so that both see the same state: the second round trip is paid
 * by refusals only. Throws DatabaseError.
 */
export async function reserve(database: Database, reservation: Reservation): Promise<ReservationResult> {
  const { tokenId = null, snapshot = null } = reservation;
  const values = { ...reservation, tokenId, snapshot };
  if ((await database.execute(insertHold, values)).length > 0) return { granted: true };
  const [granted, [left]] = await database.batch([insertHold, selectLeft], values);
  if (granted.length > 0) return { granted: true };
  return refusalOf(left, reservation.amountMicro);
}

/**
 * Adds `amountMicro` to an open hold, under the rules by which it was taken. False if they do not allow it, or if the hold has ended.
 * Throws DatabaseError.
 */
export async function raise(
  database: Database,
  reservation: Omit<Reservation, "snapshot">,
): Promise<boolean> {
  const { tokenId = null } = reservation;
  const grown = await database.execute(growHold, { ...reservation, tokenId, snapshot: null });
  return grown.length > 0;
}

/** The limit that leaves the smallest amount. Pure. */
function refusalOf(left: RemainingLimits | undefined, amountMicro: number): Refusal {
  const { availableMicro = 0, budgetMicro = null, capMicro = null, keyEnded, suspended } = left ?? {};
  if (keyEnded) return { granted: false, limit: "key", availableMicro: 0 };
  if (suspended) return { granted: false, limit: "account", availableMicro: 0 };
  const limits: { limit: Limit; leftMicro: number | null }[] = [
    { limit: "cap", leftMicro: capMicro },
    { limit: "budget", leftMicro: budgetMicro },
    { limit: "credit", leftMicro: availableMicro },
  ];
  const passed = limits.flatMap(({ limit, leftMicro }) =>
    leftMicro !== null && amountMicro > leftMicro ? [{ limit, leftMicro }] : [],
  );
  const [nearest] = passed.sort((left, right) => left.leftMicro - right.leftMicro);
  if (nearest === undefined) return { granted: false, limit: "credit", availableMicro };
  return { granted: false, limit: nearest.limit, availableMicro: Math.max(0, nearest.leftMicro) };
}

export const accountSuspended = (): GatewayError =>
  new GatewayError("account_suspended", "This account is suspended; write to the operator of this service.");

const sentences: Readonly<Record<Exclude<Limit, "key" | "account">, (advice: string) => string>> = {
  credit: (advice) => `Not enough credits for this request: add credits, or ${advice}.`,
  budget: (advice) =>
    `This request would pass the monthly budget of its API key: raise the budget, wait for the next month, or ${advice}.`,
  cap: (advice) =>
    `This request would pass the spending cap of its token (max_credits): use a new token, or ${advice}.`,
};

/**
 * The error for the caller of a refused hold: 402 with both amounts, or 401 or 403 if the key ended or the account was suspended
 * while its request was read. `advice` says what the caller can do besides adding credits.
 */
export function refuseReservation(
  requiredMicro: number,
  { limit, availableMicro }: Refusal,
  advice: string,
): GatewayError {
  if (limit === "key") return new GatewayError("invalid_api_key", "This API key has expired or was revoked.");
  if (limit === "account") return accountSuspended();
  return new GatewayError("insufficient_credits", sentences[limit](advice), {
    requiredCredits: credits(requiredMicro),
    availableCredits: credits(availableMicro),
  });
}

/** What a charge writes into each column: the compiler demands a value for a new one. */
const chargeValues: Readonly<Record<Exclude<keyof typeof ledger.$inferInsert, "id">, SQL | Placeholder>> = {
  accountId: sql`account_id`,
  apiKeyId: value("apiKeyId"),
  kind: sql`'charge'`,
  // A charge is never larger than its hold, so a balance that covered the hold covers the charge.
  amountMicro: sql`-min(${value("chargeMicro")}, amount_micro)`,
  holdId: sql`id`,
  requestId: value("requestId"),
  model: value("model"),
  executionLlm: value("executionLlm"),
  provider: value("provider"),
  keySource: value("keySource"),
  markup: value("markup"),
  planningTokens: value("planningTokens"),
  inputTokens: value("inputTokens"),
  outputTokens: value("outputTokens"),
  cachedTokens: value("cachedTokens"),
  cacheWriteTokens: value("cacheWriteTokens"),
  reasoningTokens: value("reasoningTokens"),
  reportedCostMicro: value("reportedCostMicro"),
  prices: value("prices"),
  generation: value("generation"),
  outcome: value("outcome"),
  flag: sql`coalesce(${value("flag")}, CASE WHEN ${value("chargeMicro")} > amount_micro THEN 'capped_at_hold' END)`,
  reason: value("reason"),
  createdAt: value("now"),
};
const chargeColumns = (Object.keys(chargeValues) as (keyof typeof chargeValues)[]).map((name) =>
  sql.identifier(ledger[name].name),
);

// A trigger deletes the hold.
const insertCharge = prepare(
  build.run(sql`
    INSERT INTO ledger (${sql.join(chargeColumns, sql`, `)})
    SELECT ${sql.join(Object.values(chargeValues), sql`, `)}
    FROM holds WHERE id = ${value("holdId")} AND account_id = ${value("accountId")}`),
);

/** How a request ended and what it costs: one ledger row. */
export type Settlement = {
  holdId: string;
  /** The account the hold is on. */
  accountId: string;
  apiKeyId: string;
  requestId: string;
  /** Micro-credits, >= 0. Only the hold's amount is charged of a larger value, and the row is flagged. */
  chargeMicro: number;
  /** The model name the caller sent. */
  model: string;
  /** The LLM that ran, if one did. */
  executionLlm?: string | undefined;
  provider?: string | undefined;
  keySource?: "user" | "pool" | undefined;
  /** 0.25 on the pool, else 0. */
  markup: number;
  planningTokens: number;
  /** Recorded with `billableOutput` as its output tokens, the count that was charged. */
  usage?: Usage | undefined;
  /** The cost that the aggregator reports, micro-dollars. */
  reportedCostMicro?: number | undefined;
  /** The prices that the charge was computed from, kept as JSON. */
  prices?: Readonly<Record<string, unknown>> | undefined;
  /** How the answer came about, kept as JSON for GET /v1/generation. */
  generation?: GenerationNotes | undefined;
  outcome: "completed" | "error" | "client_left";
  flag?: string | null | undefined;
  /** A short tag for the operator, such as an error code: never a prompt, an answer or a key. */
  reason?: string | undefined;
  /** Unix milliseconds. */
  now: number;
};

export type RetryPolicy = {
  sleep: (delayMs: number) => Promise<unknown>;
  /** Pauses between attempts. With 5 s a statement, the whole must fit the 30 s after a client has left. */
  delaysMs?: readonly number[];
};
const defaultRetry: RetryPolicy = {
  sleep: (delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs)),
};

/**
 * Charges a hold and ends it. A hold that is already settled or released is left alone, so calling twice
 * charges once, and a call whose reply was lost may be retried. Throws DatabaseError when the database stays unreachable: the
 * sweep then ends the hold, and charges what the request last reported (sweep.ts).
 */
export async function settle(database: Database, request: Settlement, retry = defaultRetry): Promise<void> {
  const values = settlementValues(request);
  for (const delayMs of retry.delaysMs ?? [100, 500, 2000]) {
    try {
      await database.execute(insertCharge, values);
      return;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      await retry.sleep(delayMs);
    }
  }
  await database.execute(insertCharge, values);
}

/** Larger than any context window. */
const maxTokens = 1_000_000_000;

/** On a caller's own key reports are not validated. Clamped, since sums over the ledger must stay below 2^53. */
const countOf = (tokens: number | undefined): number | null =>
  tokens === undefined ? null : Math.min(Math.max(0, Math.trunc(tokens) || 0), maxTokens);

function settlementValues(settlement: Settlement): Record<string, unknown> {
  const { usage } = settlement;
  return {
    ...settlement,
    executionLlm: settlement.executionLlm ?? null,
    provider: settlement.provider ?? null,
    keySource: settlement.keySource ?? null,
    inputTokens: countOf(usage?.input),
    outputTokens: countOf(usage && billableOutput(usage)),
    cachedTokens: countOf(usage?.cachedInput),
    cacheWriteTokens: countOf(usage?.cacheWrite),
    reasoningTokens: countOf(usage?.reasoning),
    reportedCostMicro: settlement.reportedCostMicro ?? null,
    prices: settlement.prices === undefined ? null : JSON.stringify(settlement.prices),
    generation: settlement.generation === undefined ? null : JSON.stringify(settlement.generation),
    flag: settlement.flag ?? null,
    reason: settlement.reason ?? null,
  };
}
