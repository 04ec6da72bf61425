/**
 * Bounds the memory of all large request bodies together: an isolate of Workers has 128 MiB, and exceeding it ends every stream.
 * A request claims what its body may cost, and shrinks the claim as copies are dropped. Without room it waits, up to a limit. Room
 * goes to the waiter whose owner holds least; among equals, to the first. Waiters poll (poll.ts). One owner may hold two thirds of
 * the budget, or a single body of any size, so that slow uploads or slow readers of one owner never keep out all others. The cost:
 * a third stays unused while there is only one owner.
 *
 * Claims that a request can do without (recordings of its answer) may take a third of the budget together, and of that third an
 * owner has the same share. They never keep an owner from what its requests need.
 */
import { deadAfterMs } from "../db/schema.ts";
import { type Clock, isWaiting, poll } from "./poll.ts";

export type Claim = {
  /** Lowers the claim to this many bytes; does nothing for a larger number. */
  shrink(bytes: number): void;
  /** Gives the claim back now, or at `at` (Unix milliseconds) at the latest. May be called again. */
  end(at?: number): void;
};

/**
 * `owner`: whose body it is for. `request`: the same object for all that one request claims. `isOptional`: the request goes on
 * without it.
 */
export type Wanted = { owner: string; request: object; bytes: number; isOptional?: boolean };

export type MemoryBudget = {
  /** Resolves with undefined when there was no room within `patienceMs`, or there never can be. */
  claim(wanted: Wanted, patienceMs: number, clock: Clock): Promise<Claim | undefined>;
  /** The request still runs: its claims expire later, but for those that were told when to end. */
  renew(request: object, now: number): void;
  /** Bytes claimed now. */
  claimed(): number;
  /** Whether any request waits for room. */
  isShort(now: number): boolean;
};

/** The share of the budget that one owner's bodies may take. */
const maxOwnerShare = 2 / 3;
/** The share of the budget that optional claims may take. */
const maxOptionalShare = 1 / 3;

type Waiter = Wanted & { polledAt: number };

export function createMemoryBudget(totalBytes: number): MemoryBudget {
  /** By the waiter that each was given to. A claim that nobody ends expires. */
  const claims = new Map<Waiter, Wanted & { until: number; endsAt: number }>();
  let waiters: Waiter[] = [];

  const claimed = () => sumBytes([...claims.values()]);
  /**
   * Whether the owner's share has room for this many more bytes. An owner's only request always may: otherwise it would wait for
   * itself.
   */
  const hasShareLeft = (own: Held | undefined, { request, bytes, isOptional }: Wanted): boolean =>
    own === undefined ||
    (own.requests.size === 1 && own.requests.has(request)) ||
    own.bytes + bytes <= totalBytes * maxOwnerShare * (isOptional ? maxOptionalShare : 1);
  const leave = (waiter: Waiter) => {
    waiters = waiters.filter((other) => other !== waiter);
  };

  /** A claim if there is room for this waiter; else it keeps its place among those that wait. */
  const tryClaim = (wanted: Waiter, now: number): Claim | undefined => {
    wanted.polledAt = now;
    if (!waiters.includes(wanted)) waiters.push(wanted);
    for (const [other, { until }] of claims) if (until <= now) claims.delete(other);
    waiters = waiters.filter((waiter) => isWaiting(waiter, now));
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
    if ((first && first !== wanted) || claimed() + wanted.bytes > totalBytes) return undefined;
    leave(wanted);
    claims.set(wanted, { ...wanted, until: now + deadAfterMs, endsAt: Number.POSITIVE_INFINITY });
    return {
      shrink(less) {
        const own = claims.get(wanted);
        if (own !== undefined) own.bytes = Math.min(own.bytes, less);
      },
      end(at) {
        const own = claims.get(wanted);
        if (at === undefined) claims.delete(wanted);
        if (at === undefined || own === undefined) return;
        own.endsAt = Math.min(own.endsAt, at);
        own.until = Math.min(own.until, at);
      },
    };
  };

  return {
    async claim(wanted, patienceMs, clock) {
      if (wanted.bytes > totalBytes) return undefined;
      const waiter = { ...wanted, polledAt: clock.now() };
      const claim = await poll((now) => tryClaim(waiter, now), patienceMs, clock);
      if (claim === undefined) leave(waiter);
      return claim;
    },
    renew(request, now) {
      for (const own of claims.values())
        if (own.request === request) own.until = Math.min(now + deadAfterMs, own.endsAt);
    },
    claimed,
    isShort: (now) => waiters.some((waiter) => isWaiting(waiter, now)),
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
