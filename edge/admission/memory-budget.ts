/**
 * A bound on the memory that large request bodies take together: an isolate of Workers has 128 MiB, and one body
 * beyond it ends every stream beside it. A request claims what its body is about to cost and gives back as copies
 * go; one that finds no room waits its turn, for a while. Waiting is by each request's own timer, since a request
 * of Workers must not be woken by another: a waiter that stops looking (its client left) loses its place.
 * Of bodies that are still arriving one owner has two thirds of it at most, or one: trickling in, they would keep out everybody
 * else for nothing.
 */

export type Claim = {
  /** It has arrived, and now costs this many bytes; only ever less than before. */
  shrink(bytes: number): void;
  /** Costs nothing more. As often as one likes. */
  end(): void;
};

/** `owner`: whose body it is for; undefined for more memory of a body that has arrived. */
export type Wanted = { owner: string | undefined; bytes: number };

export type MemoryBudget = {
  /** Resolves with undefined when there was no room within `patienceMs`, or there never can be. */
  claim(wanted: Wanted, patienceMs: number, clock: Clock): Promise<Claim | undefined>;
  /** Bytes claimed now. */
  claimed(): number;
};

export type Clock = { now: () => number; sleep: (milliseconds: number) => Promise<void> };

/** Of the whole, for bodies of one owner that are still arriving. */
const shareOfOne = 2 / 3;
const lookEveryMs = 15;
/** A waiter that has not looked for so long is gone. */
const gonePastMs = 2_000;
/** As in-flight.ts: a claim that nobody ends lapses. */
const longestMs = 900_000;

export function createMemoryBudget(totalBytes: number): MemoryBudget {
  const claims = new Map<symbol, Wanted & { until: number; hasArrived: boolean }>();
  let waiters: (Wanted & { id: symbol; lookedAt: number })[] = [];

  const claimed = () => [...claims.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  const hasShareLeft = ({ owner, bytes }: Wanted): boolean => {
    if (owner === undefined) return true;
    const arriving = [...claims.values()].filter((claim) => claim.owner === owner && !claim.hasArrived);
    const all = arriving.reduce((sum, claim) => sum + claim.bytes, bytes);
    return arriving.length === 0 || all <= totalBytes * shareOfOne;
  };

  const tryClaim = (id: symbol, wanted: Wanted, now: number): Claim | undefined => {
    for (const [other, { until }] of claims) if (until <= now) claims.delete(other);
    waiters = waiters.filter((waiter) => waiter.id === id || now - waiter.lookedAt < gonePastMs);
    if (!hasShareLeft(wanted)) return undefined;
    const first = waiters.find(hasShareLeft);
    if ((first && first.id !== id) || claimed() + wanted.bytes > totalBytes) return undefined;
    waiters = waiters.filter((waiter) => waiter.id !== id);
    claims.set(id, { ...wanted, until: now + longestMs, hasArrived: false });
    return {
      shrink(less) {
        const own = claims.get(id);
        if (own === undefined) return;
        own.bytes = Math.min(own.bytes, less);
        own.hasArrived = true;
      },
      end: () => void claims.delete(id),
    };
  };

  return {
    async claim(wanted, patienceMs, { now, sleep }) {
      const id = Symbol("claim");
      const giveUpAt = now() + patienceMs;
      if (wanted.bytes > totalBytes) return undefined;
      for (;;) {
        const claim = tryClaim(id, wanted, now());
        if (claim) return claim;
        const waiter = waiters.find((one) => one.id === id);
        if (waiter) waiter.lookedAt = now();
        else waiters.push({ ...wanted, id, lookedAt: now() });
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
