/**
 * An LRU cache that many accounts share. While its oldest entry is fresh and some account has more than its share, the oldest entry of
 * the largest account is evicted instead: an account that sends ever new texts evicts its own, not everybody else's. As long as there is
 * room, an account may have all of it.
 */
import { hash } from "node:crypto";

/** An account's share of the places: eight accounts at once are needed to evict everybody else's entries. */
const largestShare = 1 / 8;
/** An entry unused for longer is not fresh, and goes first. Otherwise small accounts that have left would keep their places for good. */
export const freshMs = 600_000;

export type FairCache<Value> = {
  /** The entry; it stays as old as it is. */
  get(key: string): Value | undefined;
  /** The entry, which is the most recently used from now on. */
  use(key: string): Value | undefined;
  /** Adds an entry under a new key. The caller evicts: nothing here holds `taken` below the bound. `places`: how many it takes (1). */
  add(key: string, owner: string, value: Value, places?: number): void;
  remove(key: string): void;
  /** Removes the entry that has to leave next. To be called only if there is any. */
  evict(): Value;
  /** Places that are taken. */
  taken(): number;
};

type Entry<Value> = { owner: string; value: Value; places: number; usedAt: number };
/** An account's part of the cache. `keys`: the least recently used first. */
type Part = { keys: Set<string>; places: number };

/** `now`: milliseconds, monotonic. */
export function createFairCache<Value>(size: number, now: () => number): FairCache<Value> {
  /** The least recently used first. */
  const entries = new Map<string, Entry<Value>>();
  const parts = new Map<string, Part>();
  /** Accounts with more than their share: at most eight, so that sorting them at each eviction costs little. */
  const over = new Set<string>();
  let taken = 0;

  const insert = (key: string, entry: Entry<Value>): void => {
    const { owner, places } = entry;
    const part = parts.get(owner) ?? { keys: new Set(), places: 0 };
    entries.set(key, entry);
    part.keys.add(key);
    part.places += places;
    parts.set(owner, part);
    taken += places;
    if (part.places > size * largestShare) over.add(owner);
  };
  const remove = (key: string): Entry<Value> | undefined => {
    const entry = entries.get(key);
    if (!entry) return undefined;
    const { owner, places } = entry;
    const part = parts.get(owner)!;
    entries.delete(key);
    part.keys.delete(key);
    part.places -= places;
    taken -= places;
    if (part.places <= size * largestShare) over.delete(owner);
    if (part.keys.size === 0) parts.delete(owner);
    return entry;
  };
  const largest = (): Part | undefined =>
    [...over].map((owner) => parts.get(owner)!).sort((left, right) => right.places - left.places)[0];

  return {
    get: (key) => entries.get(key)?.value,
    use(key) {
      const entry = remove(key);
      if (entry) insert(key, { ...entry, usedAt: now() });
      return entry?.value;
    },
    add(key, owner, value, places = 1) {
      insert(key, { owner, value, places, usedAt: now() });
    },
    remove,
    evict() {
      const [oldest, { usedAt }] = entries.entries().next().value!;
      const isFresh = usedAt >= now() - freshMs;
      const [own = oldest] = isFresh ? (largest()?.keys ?? []) : [];
      return remove(own)!.value;
    },
    taken: () => taken,
  };
}

const maxKeyChars = 64;

/** The key of a text. A long one is replaced by its digest: 10,000 turns of a kilobyte each would take more memory than their vectors. */
export const textKey = (text: string): string =>
  text.length <= maxKeyChars ? `\n${text}` : `#${hash("sha256", text, "base64")}`;
