/**
 * How long a provider may take: the timeout of each kind of call, with its reason, the same for all providers; and the watchdog
 * that enforces the three limits of a chat call.
 */
import type { StreamStage } from "../dialects/provider/dialect.ts";

export type CallLimits = {
  firstByteMs: number;
  idleMs: number;
  totalMs: number;
  /** Instead of the first two where a model may think, or load, in silence. `beforeNextMs`: where another of the request's models is left. */
  thinking?: { aloneMs: number; beforeNextMs: number };
};
/** Which limit a call has passed. */
export type Expiry = "first-byte" | "idle" | "total";

/** The limits of a chat call. */
const call: CallLimits = {
  /**
   * Until the status of a stream. A call that passes this limit is not charged, and on the pool the rest of the request's time is left
   * for another host or model (failover.ts, pipeline/execute.ts). For an answer in one piece `totalMs` is the limit, since the answer
   * is complete before its first byte.
   */
  firstByteMs: 60_000,
  /** Silence inside a stream. Pings and comments count as activity: Anthropic and OpenRouter send them while a model thinks. */
  idleMs: 120_000,
  /**
   * OpenAI and Gemini send nothing while a model thinks; Gemini, and a local server that loads its model first, not even a status. Just
   * below `totalMs`: a call without a byte then ends as one that was not answered, which is free, and not with its request. Half of the
   * time is left for the next model.
   */
  thinking: { aloneMs: 590_000, beforeNextMs: 300_000 },
  /** The whole call: as long as its request may live (`standardRequestLimits`, pipeline/services.ts), and as OpenAI's clients wait. */
  totalMs: 600_000,
};

/**
 * Limits of silence at the end of a stream. Some servers leave the connection open, and their callers would wait for `idleMs`.
 * After an end mark the end of the bytes usually comes in the same packet, and is read so that the connection can be used again.
 * After a finish reason more may follow: a usage report, or the rest of the answer if a server sends the reason with every chunk.
 */
const silenceMs: Readonly<Record<StreamStage, number>> = {
  open: Number.POSITIVE_INFINITY,
  finished: 20_000,
  ended: 250,
};

export const providerTimeouts = {
  call,
  /** A provider's token counter: no model runs, but the prompt may have 10 MiB. */
  countMs: 30_000,
  /** Trying a key before it is stored: a GET that runs no model, while somebody waits for the page. */
  keyCheckMs: 10_000,
  /** The aggregator's record of one answer, asked for three times at most. */
  generationMs: 3_000,
  /** The aggregator's list of models. Meanwhile the last good list is used. */
  modelListMs: 10_000,
} as const;

export type Watchdog = {
  /** To be called when the status has arrived: from now on silence is limited. */
  started(): void;
  touched(): void;
  /** While the stream is not read, since its reader is slow, the provider's silence does not count. */
  held(isHeld: boolean): void;
  /** To be called when the stream's stage changes: a finished or ended stream may be silent for less time. */
  reached(stage: StreamStage): void;
  stop(): void;
};

/**
 * Enforces the limits of one call: calls `onExpire` at most once. It has one timer, which looks at the last activity when it
 * fires, so a chunk costs a clock read and no timer. `now` is in milliseconds.
 */
export function createWatchdog(
  limits: CallLimits,
  now: () => number,
  onExpire: (expiry: Expiry) => void,
): Watchdog {
  const begunAt = now();
  let lastAt = begunAt;
  let idleMs = limits.idleMs;
  let streaming = false;
  let held = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const nextDeadline = (): { at: number; expiry: Expiry } => {
    if (held) lastAt = now();
    const silence = streaming
      ? { at: lastAt + idleMs, expiry: "idle" as const }
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
  /** Sets the timer again: the new limit of silence may be shorter than the time left on it. */
  const rearm = (): void => {
    stop();
    arm();
  };
  arm();
  return {
    started: () => {
      lastAt = now();
      if (!streaming) {
        streaming = true;
        rearm();
      }
    },
    reached: (stage) => {
      lastAt = now();
      idleMs = Math.min(limits.idleMs, silenceMs[stage]);
      rearm();
    },
    held: (isHeld) => {
      held = isHeld;
      lastAt = now();
    },
    touched: () => {
      lastAt = now();
    },
    stop,
  };
}
