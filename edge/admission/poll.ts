/**
 * How a request waits for what others hold: it asks again every 15 ms by a timer of its own, since on Workers one request must not wake
 * another. A waiter that has stopped asking (its client left) loses its place.
 */

export type Clock = { now: () => number; sleep: (milliseconds: number) => Promise<void> };

const pollEveryMs = 15;
/** A waiter that has not asked for this long has left, and so has one that last asked before the clock was set back by more. */
const goneAfterMs = 2_000;

export const isWaiting = ({ polledAt }: { polledAt: number }, now: number): boolean =>
  Math.abs(now - polledAt) < goneAfterMs;

/** Resolves with what `ask` gives; with undefined if that is nothing, at once and for `patienceMs`. */
export async function poll<Given>(
  ask: (now: number) => Given | undefined,
  patienceMs: number,
  { now, sleep }: Clock,
): Promise<Given | undefined> {
  const giveUpAt = now() + patienceMs;
  for (;;) {
    const given = ask(now());
    if (given !== undefined) return given;
    if (now() >= giveUpAt) return undefined;
    await sleep(pollEveryMs);
  }
}
