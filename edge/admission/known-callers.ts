/**
 * The callers whose requests were admitted a while ago, by the hash of their API key. What is remembered of one only lets a
 * request prepare: the statement that takes its hold compares it with the database and decides. So the key's lookup, a
 * round trip, is left out, and what was revoked or changed is out of use on the next request all the same.
 */
import type { Account } from "../db/api-keys.ts";

export type KnownCaller = {
  account: Account;
  /** When a hold was last granted, Unix milliseconds. */
  admittedAt: number;
};

export type KnownCallers = {
  recall(keyHash: string, now: number): KnownCaller | undefined;
  /** Its request has been admitted: nothing has changed since `account` was read. */
  admit(keyHash: string, account: Account, now: number): void;
  forget(keyHash: string): void;
};

const rememberedMs = 600_000;
/** About 1 KB each. */
const mostRemembered = 10_000;

export function createKnownCallers(): KnownCallers {
  // In the order in which they were last admitted.
  const callers = new Map<string, KnownCaller>();
  return {
    recall(keyHash, now) {
      const known = callers.get(keyHash);
      if (known === undefined || known.admittedAt + rememberedMs <= now) return undefined;
      return known;
    },
    admit(keyHash, account, now) {
      callers.delete(keyHash);
      callers.set(keyHash, { account, admittedAt: now });
      if (callers.size > mostRemembered) callers.delete(callers.keys().next().value!);
    },
    forget: (keyHash) => void callers.delete(keyHash),
  };
}
