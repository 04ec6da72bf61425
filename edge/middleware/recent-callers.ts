/**
 * The keys this isolate admitted a moment ago, by their hashes. It decides nothing: every request is looked up
 * all the same. Whoever is in here is likely to be admitted again, so planning for him may begin meanwhile.
 */

export type RecentCallers = {
  has(hash: string, now: number): boolean;
  remember(hash: string, now: number): void;
  forget(hash: string): void;
};

const rememberedMs = 60_000;
const mostRemembered = 1_000;

/** `now` in milliseconds. The key unused longest goes first. */
export function createRecentCallers(): RecentCallers {
  const admittedAt = new Map<string, number>();
  return {
    has: (hash, now) => now - (admittedAt.get(hash) ?? Number.NEGATIVE_INFINITY) < rememberedMs,
    remember(hash, now) {
      admittedAt.delete(hash);
      admittedAt.set(hash, now);
      if (admittedAt.size > mostRemembered) admittedAt.delete(admittedAt.keys().next().value!);
    },
    forget: (hash) => void admittedAt.delete(hash),
  };
}
