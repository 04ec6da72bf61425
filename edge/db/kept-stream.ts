/**
 * The one stream of an sqld on this machine that stays open between requests. sqld opens a database connection for each stream,
 * which takes 1 ms of its CPU time, half of what a hold or a charge costs. Only the stream's baton is kept, a string: on Workers one
 * request may use nothing else of another's, nor wake it. So a request that finds the stream taken looks again after a while, and
 * opens a stream of its own if it has waited for long. There is only one, as sqld's writers block each other.
 */

export type Lease = {
  /** What continues the stream; null opens a new one in its place. */
  readonly baton: string | null;
  /** Gives the stream back for the next request, with the baton of its last answer (null: it is closed). */
  giveBack(baton: string | null): void;
};

export type KeptStream = {
  /** Undefined where other requests have had the stream for too long. */
  take(): Promise<Lease | undefined>;
};

/** `now` in Unix milliseconds. */
export type Clock = { now: () => number; sleep: (milliseconds: number) => Promise<void> };

/** sqld closes a stream after 10 s without a request. */
const expiresMs = 10_000;
/** sqld counts from when it has answered, and to when it is asked. */
const marginMs = 1_000;
/** A request that has had the stream for so long was probably cut off, or its statement waits for a lock. */
const stuckMs = 500;
/** The first pause of a request that finds the stream taken; each further one is twice as long. */
const firstPauseMs = 1;
const maxPauseMs = 32;

/**
 * A lease that is not given back, because its request was cut off or failed, blocks the stream until sqld has certainly closed it. So
 * sqld never has more than one connection that nobody uses, however many requests are cut off.
 */
export function createKeptStream({ now, sleep }: Clock): KeptStream {
  let baton: string | null = null;
  let usedAt = Number.NEGATIVE_INFINITY;
  let holder: Lease | undefined;

  const lend = (): Lease => {
    const isOpen = holder === undefined && now() - usedAt < expiresMs - marginMs;
    const lease: Lease = {
      baton: isOpen ? baton : null,
      giveBack(next) {
        if (holder !== lease) return;
        holder = undefined;
        baton = next;
        usedAt = now();
      },
    };
    holder = lease;
    usedAt = now();
    return lease;
  };

  return {
    async take() {
      for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
        const heldMs = now() - usedAt;
        if (holder === undefined || heldMs >= expiresMs + marginMs) return lend();
        if (pauseMs > maxPauseMs || heldMs >= stuckMs) return undefined;
        await sleep(pauseMs);
      }
    },
  };
}
