/**
 * How long a provider may take: each time-out of a call to one, with its reason, the same for all of them; and the timer that
 * holds a chat call to its three.
 */

export type CallLimits = { firstByteMs: number; idleMs: number; totalMs: number };
/** The limit that a call has passed. */
export type Expiry = "first-byte" | "idle" | "total";

/** The limits of a chat call. */
const call: CallLimits = {
  /**
   * Until a stream's status arrives. A call that misses it is not charged; the rest of the request's time is left for another host
   * or model (failover.ts, pipeline/execute.ts). An answer in one piece has `totalMs` instead: it is complete before its first byte.
   */
  firstByteMs: 60_000,
  /**
   * Silence inside a stream. Pings and comments count as activity; Anthropic and OpenRouter send them. OpenAI and Gemini send nothing
   * while a model thinks, so it is longer than `firstByteMs`.
   */
  idleMs: 120_000,
  /** The whole call: as long as its request may live (`standardRequestLimits`, pipeline/services.ts). */
  totalMs: 600_000,
};

export const providerTimeouts = {
  call,
  /** Its token counter: no model runs, but a prompt of up to 10 MiB travels there. */
  countMs: 30_000,
  /** Trying a key before it is stored: a GET that runs no model, and somebody waits for the page. */
  keyCheckMs: 10_000,
  /** What the aggregator wrote down of one answer: asked three times at most. */
  generationMs: 3_000,
  /** The aggregator's list of models. The last good one serves meanwhile. */
  modelListMs: 10_000,
} as const;

export type Watchdog = {
  /** The answer's status is here: from now on silence is limited. */
  started(): void;
  touched(): void;
  stop(): void;
};

/**
 * Holds one call to its limits: calls `onExpire` at most once. One timer, which looks at the last activity when it fires: so a
 * chunk costs a clock read and no timer. `now` is in milliseconds.
 */
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
