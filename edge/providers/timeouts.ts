/**
 * How long a provider may take: each time-out of a call to one, with its reason, the same for all of them; and the timer that
 * holds a chat call to its three.
 */
import type { StreamStage } from "../dialects/provider/dialect.ts";

export type CallLimits = { firstByteMs: number; idleMs: number; totalMs: number };
/** The limit that a call has passed. */
export type Expiry = "first-byte" | "idle" | "total";

/** The limits of a chat call. */
const call: CallLimits = {
  /**
   * Until the status of an aggregator's stream: it answers at once, and says by comments that it waits. A call that misses it is not
   * charged; the rest of the request's time is left for another host or model (failover.ts, pipeline/execute.ts). Other providers have
   * `idleMs` for it. An answer in one piece has `totalMs`: it is complete before its first byte.
   */
  firstByteMs: 60_000,
  /**
   * Silence inside a stream. Pings and comments count as activity; Anthropic and OpenRouter send them. OpenAI and Gemini send nothing
   * while a model thinks, for minutes where it thinks hard. Gemini and local servers (which may load the model first) do not even send
   * a status. Codex and Gemini's own client wait as long (github.com/google-gemini/gemini-cli/pull/20890).
   */
  idleMs: 300_000,
  /** The whole call: as long as its request may live (`standardRequestLimits`, pipeline/services.ts). */
  totalMs: 600_000,
};

/**
 * How long a stream may be silent that is over, or may be: some servers leave the connection open, and their callers would wait for
 * `idleMs`. After an end mark the end of the bytes comes in the same packet as a rule, and is read so that the connection is used again.
 * After a finish reason more may follow: usage, or the rest, where a server says the reason with every chunk.
 */
const silenceMs: Readonly<Record<StreamStage, number>> = {
  open: Number.POSITIVE_INFINITY,
  finished: 20_000,
  ended: 250,
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
  /** How far the answer is: what follows one that may be whole, or is, is not waited for long. */
  reached(stage: StreamStage): void;
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
  let idleMs = limits.idleMs;
  let streaming = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const nextDeadline = (): { at: number; expiry: Expiry } => {
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
  /** Anew: the limit of silence that holds now may be shorter than what is left of the timer. */
  const rearm = (): void => {
    stop();
    arm();
  };
  arm();
  return {
    started: () => {
      lastAt = now();
      // Once per call.
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
    touched: () => {
      lastAt = now();
    },
    stop,
  };
}
