/**
 * Admission to the queue. A request is refused when too much work would be served before it, counted under equal shares, so that one
 * account's backlog never keeps another account out. Chat is bounded by tokens and requests, bulk by the seconds it would take. A
 * refusal says when to retry.
 */
import { maxRetryAfterSeconds } from "../shared/worker-refusals.ts";
import { type Urgency, workerTasks } from "../shared/worker-tasks.ts";
import type { QueueLimits } from "./config.ts";
import { Refusal } from "./refusal.ts";

/** What one account has waiting; `tokens` are estimates (task-cost.ts). */
export type Waiting = { requests: number; tokens: number };

/**
 * How much work is served, under equal shares, until the last of `mine` is: all of mine, and from each other account at most as much.
 * A bound on this does not bound the whole queue: with 256 accounts that may reach 6 times the bound (the harmonic number of 256).
 */
export function fairBacklog(mine: number, others: readonly number[]): number {
  return others.reduce((sum, one) => sum + Math.min(one, mine), mine);
}

/** Longest wait with which a bulk request is admitted: half of the time that the edge waits for its answer. */
export const bulkPatienceMs = workerTasks.embed.timeoutMs / 2;
/** Tokens a millisecond on one lane, assumed before the first bulk batch was measured: a slow CPU's. */
const unmeasuredPace = 4;
/** Weight of the newest batch in the pace. */
const newestWeight = 0.2;

export type AdmittedRequest = {
  /** This many of its tokens have begun and wait no longer. */
  begin(tokens: number): void;
  /** This many of its tokens wait again, since all that had begun has ended without an answer. */
  waitAgain(tokens: number): void;
  /** To be called when the request has ended, for whatever reason: nothing of it waits any more. */
  leave(): void;
};

export type Admission = {
  /** Admits a request. Throws Refusal `account_busy` if the account's own work is in the way, else `overloaded`. */
  admit(urgency: Urgency, share: string, tokens: number): AdmittedRequest;
  /** Throws as `admit` would for the smallest request. */
  checkOpen(urgency: Urgency, share: string): void;
  /** Records how long a bulk batch took on one lane. */
  learnPace(tokens: number, elapsedMs: number): void;
};

/** Counts an admitted request in what its account has waiting, until nothing of it waits any more. */
function countWaiting(shares: Map<string, Waiting>, share: string, tokens: number): AdmittedRequest {
  let left = tokens;
  // Kept apart from `left`: a piece whose estimate is 0 tokens waits all the same.
  let waits = true;
  const add = (requests: number, more: number) => {
    const own = shares.get(share) ?? { requests: 0, tokens: 0 };
    const next = { requests: own.requests + requests, tokens: own.tokens + more };
    if (next.requests === 0) shares.delete(share);
    else shares.set(share, next);
  };
  add(1, tokens);
  const begin = (begun: number) => {
    if (!waits) return;
    const now = Math.min(left, begun);
    left -= now;
    waits = left > 0;
    add(waits ? 0 : -1, -now);
  };
  const waitAgain = (more: number) => {
    add(waits ? 0 : 1, more);
    waits = true;
    left += more;
  };
  return { begin, waitAgain, leave: () => begin(left) };
}

export function createAdmission(limits: QueueLimits, lanes: number): Admission {
  const waiting: Record<Urgency, Map<string, Waiting>> = { chat: new Map(), bulk: new Map() };
  let pace = unmeasuredPace;

  const tokensWithin = (urgency: Urgency): number =>
    urgency === "chat" ? limits.maxQueuedTokens : bulkPatienceMs * pace * lanes;

  const check = (urgency: Urgency, share: string, tokens: number): void => {
    const shares = waiting[urgency];
    // Nothing waits, so any request is admitted, however large.
    if (shares.size === 0) return;
    const own = shares.get(share) ?? { requests: 0, tokens: 0 };
    const others = [...shares].filter(([name]) => name !== share).map(([, one]) => one);
    const maxTokens = tokensWithin(urgency);
    const requests = { own: own.requests + 1, others: others.map((one) => one.requests) };
    const work = { own: own.tokens + tokens, others: others.map((one) => one.tokens) };
    const excess = Math.max(
      fairBacklog(requests.own, requests.others) / limits.maxQueuedRequests,
      fairBacklog(work.own, work.others) / maxTokens,
    );
    if (excess <= 1) return;
    // The account's own work is in the way if that alone is over a bound, without the others'.
    const isOwn = own.requests > 0 && (requests.own > limits.maxQueuedRequests || work.own > maxTokens);
    const waitMs =
      fairBacklog(work.own, work.others) / (pace * lanes) - (urgency === "bulk" ? bulkPatienceMs : 0);
    const retryAfterSeconds = Math.min(maxRetryAfterSeconds, Math.max(1, Math.ceil(waitMs / 1000)));
    throw new Refusal(isOwn ? "account_busy" : "overloaded", { retryAfterSeconds });
  };

  return {
    admit(urgency, share, tokens) {
      check(urgency, share, tokens);
      return countWaiting(waiting[urgency], share, tokens);
    },
    checkOpen: (urgency, share) => check(urgency, share, 1),
    learnPace(tokens, elapsedMs) {
      pace = pace * (1 - newestWeight) + (tokens / Math.max(1, elapsedMs)) * newestWeight;
    },
  };
}
