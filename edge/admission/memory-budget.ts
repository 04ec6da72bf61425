/**
 * Bounds the memory of all large request bodies together: an isolate of Workers has 128 MiB, and exceeding it ends every stream.
 * A request claims what its body may cost, and shrinks the claim as copies are dropped. Without room it waits, up to a limit. Room
 * goes to the waiter whose owner holds least; among equals, to the first. Each waiter polls by its own timer, since on Workers one
 * request must not wake another; one that stops polling (its client left) loses its place. One owner may hold two thirds of the
 * budget, or a single body of any size, so that slow uploads or slow readers of one owner never keep out all others. The cost: a
 * third stays unused while there is only one owner.
 *
 * Claims that a request can do without (recordings of its answer) may take a third of the budget together, and of that third an
 * owner has the same share. They never keep an owner from what its requests need.
 */
import { deadAfterMs } from "../db/schema.ts";

export type Claim = {
  /** Lowers the claim to this many bytes; does nothing for a larger number. */
  shrink(bytes: number): void;
  /** Gives the claim back. May be called again. */
  end(): void;
};

/**
 * `owner`: whose body it is for. `request`: the same object for all that one request claims. `isOptional`: the request goes on
 * without it.
 */
export type Wanted = { owner: string; request: object; bytes: number; isOptional?: boolean };

export type MemoryBudget = {
  /** Resolves with undefined when there was no room within `patienceMs`, or there never can be. */
  claim(wanted: Wanted, patienceMs: number, clock: Clock): Promise<Claim | undefined>;
  /** Bytes claimed now. */
  claimed(): number;
  /** Whether any request waits for room. */
  isShort(now: number): boolean;
};

export type Clock = { now: () => number; sleep: (milliseconds: number) => Promise<void> };

/** The share of the budget that one owner's bodies may take. */
const maxOwnerShare = 2 / 3;
/** The share of the budget that optional claims may take. */
const maxOptionalShare = 1 / 3;
const pollEveryMs = 15;
/** A waiter that has not polled for this long has left. */
const goneAfterMs = 2_000;

export function createMemoryBudget(totalBytes: number): MemoryBudget {
  const claims = new Map<symbol, Wanted & { until: number }>();
  let waiters: (Wanted & { id: symbol; polledAt: number })[] = [];

  const claimed = () => sumBytes([...claims.values()]);
  /**
   * Whether the owner's share has room for this many more bytes. An owner's only request always may: otherwise it would wait for
   * itself.
   */
  const hasShareLeft = (own: Held | undefined, { request, bytes, isOptional }: Wanted): boolean =>
    own === undefined ||
    (own.requests.size === 1 && own.requests.has(request)) ||
    own.bytes + bytes <= totalBytes * maxOwnerShare * (isOptional ? maxOptionalShare : 1);
  const isThere = (waiter: { polledAt: number }, now: number) => now - waiter.polledAt < goneAfterMs;

  const tryClaim = (id: symbol, wanted: Wanted, now: number): Claim | undefined => {
    for (const [other, { until }] of claims) if (until <= now) claims.delete(other);
    waiters = waiters.filter((waiter) => waiter.id === id || isThere(waiter, now));
    const all = [...claims.values()];
    const optional = all.filter(({ isOptional }) => isOptional);
    if (wanted.isOptional && sumBytes(optional) + wanted.bytes > totalBytes * maxOptionalShare)
      return undefined;
    const held = sumByOwner(all.filter(({ isOptional }) => !isOptional));
    const alike = wanted.isOptional ? sumByOwner(optional) : held;
    if (!hasShareLeft(alike.get(wanted.owner), wanted)) return undefined;
    // A waiter whose owner has used its share is skipped: it waits for its owner's other bodies, not for room.
    const ready = waiters.filter((waiter) => hasShareLeft(held.get(waiter.owner), waiter));
    const heldBy = ({ owner }: Wanted) => held.get(owner)?.bytes ?? 0;
    const least = Math.min(heldBy(wanted), ...ready.map(heldBy));
    const first = ready.find((waiter) => heldBy(waiter) === least);
    if ((first && first.id !== id) || claimed() + wanted.bytes > totalBytes) return undefined;
    waiters = waiters.filter((waiter) => waiter.id !== id);
    // A claim that nobody ends expires.
    claims.set(id, { ...wanted, until: now + deadAfterMs });
    return {
      shrink(less) {
        const own = claims.get(id);
        if (own !== undefined) own.bytes = Math.min(own.bytes, less);
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
        const waiter = waiters.find((other) => other.id === id);
        if (waiter) waiter.polledAt = now();
        else waiters.push({ ...wanted, id, polledAt: now() });
        if (now() >= giveUpAt) {
          waiters = waiters.filter((other) => other.id !== id);
          return undefined;
        }
        await sleep(pollEveryMs);
      }
    },
    claimed,
    isShort: (now) => waiters.some((waiter) => isThere(waiter, now)),
  };
}

const sumBytes = (claims: readonly Wanted[]): number => claims.reduce((sum, { bytes }) => sum + bytes, 0);

type Held = { bytes: number; requests: Set<object> };

function sumByOwner(claims: readonly Wanted[]): Map<string, Held> {
  const held = new Map<string, Held>();
  for (const { owner, request, bytes } of claims) {
    const own = held.get(owner) ?? { bytes: 0, requests: new Set() };
    own.bytes += bytes;
    own.requests.add(request);
    held.set(owner, own);
  }
  return held;
}
