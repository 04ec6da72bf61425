/**
 * The three time limits of a provider call: first byte, silence, and the whole. One timer that looks at
 * the last activity when it fires, so a chunk costs a clock read and no timer.
 */

export type CallLimits = { firstByteMs: number; idleMs: number; totalMs: number };
export type Expiry = "first-byte" | "idle" | "total";

export type Watchdog = {
  /** The answer's status is here: from now on silence is limited. */
  started(): void;
  touched(): void;
  stop(): void;
};

/** Calls `onExpire` at most once. `now` is in milliseconds. */
export function createWatchdog(
  limits: CallLimits,
  now: () => number,
  onExpire: (expiry: Expiry) => void,
): Watchdog {
  const begunAt = now();
  let lastAt = begunAt;
  let streaming = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const nextDeadline = (): { at: number; expiry: Expiry } => {
    const silence = streaming
      ? { at: lastAt + limits.idleMs, expiry: "idle" as const }
      : { at: begunAt + limits.firstByteMs, expiry: "first-byte" as const };
    const total = begunAt + limits.totalMs;
    return total < silence.at ? { at: total, expiry: "total" } : silence;
  };
  const arm = (): void => {
    const { at, expiry } = nextDeadline();
    const waitMs = at - now();
    if (waitMs <= 0) onExpire(expiry);
    else timer = setTimeout(arm, waitMs);
  };
  const stop = (): void => {
    if (timer !== undefined) clearTimeout(timer);
  };
  arm();
  return {
    started: () => {
      lastAt = now();
      // Once per call: the silence limit may be shorter than what is left of the first-byte timer.
      if (!streaming) {
        streaming = true;
        stop();
        arm();
      }
    },
    touched: () => {
      lastAt = now();
    },
    stop,
  };
}
