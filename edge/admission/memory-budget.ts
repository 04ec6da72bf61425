/**
 * Bounds the memory of all large request bodies together: an isolate of Workers has 128 MiB, and a body too many ends every
 * stream in it. A request claims what its body may cost and gives back as copies are dropped; without room it waits its turn,
 * up to a limit. Each waiter polls by its own timer, since one request on Workers must not wake another; one that stops polling
 * (its client left) loses its place. The bodies of one owner that are still arriving may take two thirds of the budget, or one
 * body of any size: slow uploads of one owner would else keep out all others.
 */

export type Claim = {
  /** Marks the body as arrived, and lowers the claim to this many bytes; a larger number changes nothing. */
  shrink(bytes: number): void;
  /** Gives the claim back. May be called again. */
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
