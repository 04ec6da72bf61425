/**
 * A bound on the memory that large request bodies take together: an isolate of Workers has 128 MiB, and one body
 * beyond it ends every stream beside it. A request claims what its body is about to cost and gives back as copies
 * go; one that finds no room waits its turn, for a while. Waiting is by each request's own timer, since a request
 * of Workers must not be woken by another: a waiter that stops looking (its client left) loses its place.
 */

export type Claim = {
  /** Now costs this many bytes; only ever less than before. */
  shrink(bytes: number): void;
  /** Costs nothing more. As often as one likes. */
  end(): void;
};

export type MemoryBudget = {
  /** Resolves with undefined when there was no room within `patienceMs`, or there never can be. */
  claim(bytes: number, patienceMs: number, clock: Clock): Promise<Claim | undefined>;
  /** Bytes claimed now. */
  claimed(): number;
};

export type Clock = { now: () => number; sleep: (milliseconds: number) => Promise<void> };

const lookEveryMs = 15;
/** A waiter that has not looked for so long is gone. */
const gonePastMs = 2_000;
/** As in-flight.ts: a claim that nobody ends lapses. */
const longestMs = 900_000;

export function createMemoryBudget(totalBytes: number): MemoryBudget {
  const claims = new Map<symbol, { bytes: number; until: number }>();
  let waiters: { id: symbol; lookedAt: number }[] = [];

  const claimed = () => [...claims.values()].reduce((sum, { bytes }) => sum + bytes, 0);

  const tryClaim = (id: symbol, bytes: number, now: number): Claim | undefined => {
    for (const [other, { until }] of claims) if (until <= now) claims.delete(other);
    waiters = waiters.filter((waiter) => waiter.id === id || now - waiter.lookedAt < gonePastMs);
    const first = waiters[0];
    if ((first && first.id !== id) || claimed() + bytes > totalBytes) return undefined;
    waiters = waiters.filter((waiter) => waiter.id !== id);
    claims.set(id, { bytes, until: now + longestMs });
    return {
      shrink(less) {
        const own = claims.get(id);
        if (own) own.bytes = Math.min(own.bytes, less);
      },
      end: () => void claims.delete(id),
    };
  };

  return {
    async claim(bytes, patienceMs, { now, sleep }) {
      const id = Symbol("claim");
      const giveUpAt = now() + patienceMs;
      if (bytes > totalBytes) return undefined;
      for (;;) {
        const claim = tryClaim(id, bytes, now());
        if (claim) return claim;
        const waiter = waiters.find((one) => one.id === id);
        if (waiter) waiter.lookedAt = now();
        else waiters.push({ id, lookedAt: now() });
        if (now() >= giveUpAt) {
          waiters = waiters.filter((one) => one.id !== id);
          return undefined;
        }
        await sleep(lookEveryMs);
      }
    },
    claimed,
  };
}
