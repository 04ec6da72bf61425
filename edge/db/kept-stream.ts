/**
 * The one stream of an sqld on this machine that stays open between requests. sqld opens a database connection for each stream,
 * which takes 1 ms of its CPU time, half of what a hold or a charge costs. Only the stream's baton is kept, a string: on Workers one
 * request may use nothing else of another's, nor wake it. So nobody waits for the stream: a request that finds it taken opens one of
 * its own. There is only one, as sqld's writers block each other.
 */

export type Lease = {
  /** What continues the stream; null opens a new one in its place. */
  readonly baton: string | null;
  /** Gives the stream back for the next request, with the baton of its last answer (null: it is closed). */
  giveBack(baton: string | null): void;
};

export type KeptStream = {
  /** Undefined while another request has the stream. */
  take(): Lease | undefined;
};

/** sqld closes a stream after 10 s without a request. */
const expiresMs = 10_000;
/** sqld counts from when it has answered, and to when it is asked. */
const marginMs = 1_000;

/**
 * A lease that is not given back, because its request was cut off or failed, blocks the stream until sqld has closed it. So
 * sqld never has more than one connection that nobody uses, however many requests are cut off.
 * @param now Unix milliseconds
 */
export function createKeptStream(now: () => number): KeptStream {
  let baton: string | null = null;
  let usedAt = Number.NEGATIVE_INFINITY;
  let holder: Lease | undefined;
  return {
    take() {
      const idleMs = now() - usedAt;
      if (holder !== undefined && idleMs < expiresMs + marginMs) return undefined;
      const isOpen = holder === undefined && idleMs < expiresMs - marginMs;
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
    },
  };
}
