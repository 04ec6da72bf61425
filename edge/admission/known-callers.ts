/**
 * Remembers callers whose requests were admitted lately, by the hash of their API key, which saves the key's lookup, a round
 * trip. A remembered caller only lets a request prepare: the statement that takes its hold compares it with the database, so
 * revoking or changing a key still takes effect on its next request. Also remembers who was refused lately, and why.
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
  /** A provider refused a key that was sent with a request of this API key. `sent`: the hash of all provider keys that came with it. */
  refuseProviderKey(apiKeyId: string, sent: string, now: number): void;
  /** Seconds until this API key may send these provider keys; undefined unless they, or too many others, were refused. */
  waitForProviderKeys(apiKeyId: string, sent: string, now: number): number | undefined;
};

/**
 * Different provider keys of one API key that may be refused in a minute, and how often one of them may be. Each refusal is a call from
 * the operator's address, which providers lock out after many wrong keys, and costs its caller nothing. Apart, since an API key may send
 * the keys of many people: one revoked key that a program tries again and again stops only itself.
 */
export const maxRefusedKeys = 120;
const refusedKeysMs = 60_000;

const rememberedMs = 600_000;
const refusedMs = 60_000;
/** About 1 KB each; a remembered refusal takes less. */
const maxRemembered = 10_000;

export function createKnownCallers(): KnownCallers {
  // In the order in which they were last admitted, so the first is the one to forget.
  const callers = new Map<string, KnownCaller>();
  // When each account was last refused, in that order.
  const refusals = new Map<string, number>();
  // By API key, and by API key with what it sent, in the order in which one was refused last: since when they are counted.
  const refusedKeys = new Map<string, { since: number; count: number }>();
  const countRefused = (name: string, now: number) => {
    const known = refusedKeys.get(name);
    return known !== undefined && now - known.since < refusedKeysMs ? known : { since: now, count: 0 };
  };
  const addRefused = (name: string, now: number) => {
    const { since, count } = countRefused(name, now);
    refusedKeys.delete(name);
    refusedKeys.set(name, { since, count: count + 1 });
    if (refusedKeys.size > maxRemembered) refusedKeys.delete(refusedKeys.keys().next().value!);
  };
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
    refuseProviderKey(apiKeyId, sent, now) {
      const own = `${apiKeyId} ${sent}`;
      if (countRefused(own, now).count === 0) addRefused(apiKeyId, now);
      addRefused(own, now);
    },
    waitForProviderKeys(apiKeyId, sent, now) {
      const full = [apiKeyId, `${apiKeyId} ${sent}`]
        .map((name) => countRefused(name, now))
        .find(({ count }) => count >= maxRefusedKeys);
      return full && Math.ceil((full.since + refusedKeysMs - now) / 1000);
    },
  };
}
