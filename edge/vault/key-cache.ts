/**
 * Opened provider keys, in this isolate's memory for five minutes. An entry is found only by the very text
 * it was opened from, which each request reads from the database: nothing stale is ever found.
 */

export type KeyCache = {
  read(sealed: string, place: string, now: number): string | undefined;
  write(sealed: string, place: string, key: string, now: number): void;
};

/** Interface: five minutes. */
const lifeMs = 300_000;
const capacity = 5_000;

/** A cache for one isolate; bounded, the oldest entry goes first. */
export function createKeyCache(): KeyCache {
  const entries = new Map<string, { sealed: string; key: string; expiresAt: number }>();
  return {
    read(sealed, place, now) {
      const entry = entries.get(place);
      if (entry === undefined) return undefined;
      if (entry.sealed === sealed && now < entry.expiresAt) return entry.key;
      entries.delete(place);
      return undefined;
    },
    write(sealed, place, key, now) {
      entries.delete(place);
      if (entries.size >= capacity) entries.delete(entries.keys().next().value!);
      entries.set(place, { sealed, key, expiresAt: now + lifeMs });
    },
  };
}
