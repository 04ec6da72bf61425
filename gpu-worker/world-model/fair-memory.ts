/**
 * Which of many accounts' entries a bounded memory keeps. The least recently used is evicted. If that is still fresh, and an account has
 * more than its share, it is that account's: one that sends ever new texts evicts its own, and not those of everybody else. As long as
 * there is room, an account may have all of it.
 */

/** An account's share of the places. To evict all others' entries takes as many accounts at once. */
const largestShare = 1 / 8;
/** An entry that was not used for so long is evicted whoever has more: else small accounts that have left would keep their places for good. */
export const freshMs = 600_000;

export type FairMemory<Value> = {
  /** The entry, without using it. */
  get(key: string): Value | undefined;
  /** The entry, which is the most recently used from now on. */
  use(key: string): Value | undefined;
  /** Adds an entry under a key that has none. It may be over the bound until `evict` has been called. */
  add(key: string, owner: string, value: Value, places?: number): void;
  remove(key: string): void;
  /** Removes the entry that has to leave next. To be called only if there is any. */
  evict(): Value;
  /** Places that are taken. */
  taken(): number;
};

type Entry<Value> = { owner: string; value: Value; places: number; usedAt: number };

/** `now`: milliseconds, monotonic. */
export function createFairMemory<Value>(size: number, now: () => number): FairMemory<Value> {
  /** The least recently used first. */
  const entries = new Map<string, Entry<Value>>();
  const takenBy = new Map<string, number>();
  /** Accounts with more than their share, which are a handful. */
  const over = new Set<string>();
  let taken = 0;

  const count = (owner: string, places: number): void => {
    taken += places;
    const own = (takenBy.get(owner) ?? 0) + places;
    if (own === 0) takenBy.delete(owner);
    else takenBy.set(owner, own);
    if (own > size * largestShare) over.add(owner);
    else over.delete(owner);
  };
  const remove = (key: string): void => {
    const entry = entries.get(key);
    if (!entry) return;
    entries.delete(key);
    count(entry.owner, -entry.places);
  };
  const largest = (): string | undefined =>
    [...over].sort((left, right) => takenBy.get(right)! - takenBy.get(left)!)[0];

  return {
    get: (key) => entries.get(key)?.value,
    use(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, { ...entry, usedAt: now() });
      return entry.value;
    },
    add(key, owner, value, places = 1) {
      entries.set(key, { owner, value, places, usedAt: now() });
      count(owner, places);
    },
    remove,
    evict() {
      const from = largest();
      const staleBefore = now() - freshMs;
      for (const [key, { owner, value, usedAt }] of entries) {
        if (usedAt >= staleBefore && from !== undefined && owner !== from) continue;
        remove(key);
        return value;
      }
      throw new Error("nothing is left to evict");
    },
    taken: () => taken,
  };
}
