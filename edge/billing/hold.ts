/**
 * Reserves credit before any model is called: takes a hold, adds to it, or says which limit refuses it. Available credit is the
 * balance less the open holds, computed inside the statement that reserves: no counter can drift, and parallel requests cannot both take
 * the last credit. One round trip, two for a refusal. docs/storage.md has the rules.
 */
import { sql } from "drizzle-orm";
import { toCredits } from "../../shared/credits.ts";
import { GatewayError } from "../../shared/errors.ts";
import { build, type Database, prepare, value } from "../db/client.ts";
import { type Background, undoIfLost } from "../db/lost-write.ts";
import { isAllowed, type RemainingLimits, selectRemainingLimits } from "../db/spending-limits.ts";

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

// A trigger deletes the hold.
const insertRelease = prepare(
  build.run(sql`
    INSERT INTO ledger (account_id, api_key_id, kind, amount_micro, hold_id, reason, created_at)
    SELECT account_id, api_key_id, 'release', 0, id, 'hold not answered', ${value("now")}
    FROM holds WHERE id = ${value("holdId")} AND account_id = ${value("accountId")}`),
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
/** Why a hold was refused: the account's credit, its key's budget, its token's cap, an ended key or token, or a suspended account. */
export type Limit = "credit" | "budget" | "cap" | "key" | "token" | "account";
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

export type HoldServices = Background & {
  database: Database;
  /** Unix milliseconds. */
  now: () => number;
};

/**
 * As `reserve`, for a request that ends where it throws. A hold that was taken although its answer was lost would keep its credit from the
 * caller until the sweep (15 minutes): it is released.
 */
export function takeHold(reservation: Reservation, services: HoldServices): Promise<ReservationResult> {
  const { database, now } = services;
  const { holdId, accountId } = reservation;
  return undoIfLost(
    services,
    () => reserve(database, reservation),
    () => database.execute(insertRelease, { holdId, accountId, now: now() }),
  );
}

/** The limit that leaves the smallest amount. Pure. */
function refusalOf(left: RemainingLimits | undefined, amountMicro: number): Refusal {
  const { availableMicro = 0, budgetMicro = null, capMicro = null } = left ?? {};
  const { keyEnded, tokenEnded, suspended } = left ?? {};
  if (keyEnded) return { granted: false, limit: "key", availableMicro: 0 };
  if (tokenEnded) return { granted: false, limit: "token", availableMicro: 0 };
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

export const tokenExpired = (): GatewayError =>
  new GatewayError("token_expired", "This token has expired; ask whoever gave it to you for a new one.");

const refusals: Readonly<
  Record<Exclude<Limit, "key" | "token" | "account">, { what: string; remedies: string[] }>
> = {
  credit: { what: "Not enough credits for this request", remedies: ["add credits"] },
  budget: {
    what: "This request would pass the monthly budget of its API key",
    remedies: ["raise the budget", "wait for the next month"],
  },
  cap: {
    what: "This request would pass the spending cap of its token (max_credits)",
    remedies: ["use a new token"],
  },
};

const listOr = (words: readonly string[]): string =>
  words.length < 3 ? words.join(" or ") : `${words.slice(0, -1).join(", ")}, or ${words.at(-1)}`;

/**
 * The error for the caller of a refused hold: 402 with both amounts, or 401 or 403 if the key or token ended or the account was
 * suspended while its request was read. `others` is what the caller can do besides adding credits.
 */
export function refuseReservation(
  requiredMicro: number,
  { limit, availableMicro }: Refusal,
  others: readonly string[],
): GatewayError {
  if (limit === "key") return new GatewayError("invalid_api_key", "This API key has expired or was revoked.");
  if (limit === "token") return tokenExpired();
  if (limit === "account") return accountSuspended();
  const { what, remedies } = refusals[limit];
  return new GatewayError("insufficient_credits", `${what}: ${listOr([...remedies, ...others])}.`, {
    requiredCredits: toCredits(requiredMicro),
    availableCredits: toCredits(availableMicro),
  });
}
