/**
 * Remembers callers whose requests were admitted lately, by the hash of their API key, which saves the key's lookup, a round
 * trip. A remembered caller only lets a request prepare: the statement that takes its hold compares it with the database, so
 * revoking or changing a key still takes effect on its next request.
 */
import type { Account } from "../db/api-keys.ts";

export type KnownCaller = {
  account: Account;
  /** When a hold was last granted, Unix milliseconds. */
  admittedAt: number;
};

export type KnownCallers = {
  recall(keyHash: string, now: number): KnownCaller | undefined;
  /** A hold was granted, which confirms that nothing has changed since `account` was read. */
  admit(keyHash: string, account: Account, now: number): void;
  forget(keyHash: string): void;
  /** A hold of the account was refused: for a minute, nothing of its requests begins before their hold is granted. */
  refuse(accountId: string, now: number): void;
  wasRefused(accountId: string, now: number): boolean;
};

const rememberedMs = 600_000;
const refusedMs = 60_000;
/** About 1 KB each; a remembered refusal takes less. */
const maxRemembered = 10_000;

export function createKnownCallers(): KnownCallers {
  // In the order in which they were last admitted, so the first is the one to forget.
  const callers = new Map<string, KnownCaller>();
  // When each account was last refused, in that order.
  const refusals = new Map<string, number>();
  return {
    recall(keyHash, now) {
      const known = callers.get(keyHash);
      if (known === undefined || known.admittedAt + rememberedMs <= now) return undefined;
      return known;
    },
    admit(keyHash, account, now) {
      callers.delete(keyHash);
      callers.set(keyHash, { account, admittedAt: now });
      if (callers.size > maxRemembered) callers.delete(callers.keys().next().value!);
    },
    forget: (keyHash) => void callers.delete(keyHash),
    refuse(accountId, now) {
      refusals.delete(accountId);
      refusals.set(accountId, now);
      if (refusals.size > maxRemembered) refusals.delete(refusals.keys().next().value!);
    },
    wasRefused: (accountId, now) => (refusals.get(accountId) ?? Number.NEGATIVE_INFINITY) + refusedMs > now,
  };
}
