/**
 * How long a provider may take: the timeout of each kind of call, with its reason, the same for all providers; and the watchdog
 * that enforces the three limits of a chat call.
 */
import type { StreamStage } from "../dialects/provider/dialect.ts";

export type CallLimits = {
  firstByteMs: number;
  idleMs: number;
  totalMs: number;
  /** Replaces the first two where a model may think, or load, in silence. `beforeNextMs`: where another of the request's models is left. */
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

/**
 * Enforces the limits of one call: calls `onExpire` at most once. It has one timer, which looks at the last activity when it
 * fires, so a chunk costs a clock read and no timer. `now` is in milliseconds.
 */
export class Watchdog {
  readonly #limits: CallLimits;
  readonly #now: () => number;
  readonly #onExpire: (expiry: Expiry) => void;
  readonly #begunAt: number;
  #lastAt: number;
  #idleMs: number;
  #streaming = false;
  #isPaused = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #firesAt = Number.POSITIVE_INFINITY;

  constructor(limits: CallLimits, now: () => number, onExpire: (expiry: Expiry) => void) {
    this.#limits = limits;
    this.#now = now;
    this.#onExpire = onExpire;
    this.#begunAt = now();
    this.#lastAt = this.#begunAt;
    this.#idleMs = limits.idleMs;
    this.#arm();
  }

  /** To be called when the status has arrived: from now on silence is limited. */
  started(): void {
    this.touched();
    if (this.#streaming) return;
    this.#streaming = true;
    this.#hasten();
  }

  touched(): void {
    this.#lastAt = this.#now();
  }

  /** From now on the stream is not read, since its reader is slow: the provider's silence does not count. */
  paused(): void {
    this.#isPaused = true;
  }

  /** The stream is read again: silence is counted anew. */
  resumed(): void {
    this.#isPaused = false;
    this.touched();
  }

  /** To be called when the stream's stage changes: a finished or ended stream may be silent for less time. */
  reached(stage: StreamStage): void {
    this.touched();
    this.#idleMs = Math.min(this.#limits.idleMs, silenceMs[stage]);
    this.#hasten();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #nextDeadline(): { at: number; expiry: Expiry } {
    if (this.#isPaused) this.touched();
    const silence = this.#streaming
      ? { at: this.#lastAt + this.#idleMs, expiry: "idle" as const }
      : { at: this.#begunAt + this.#limits.firstByteMs, expiry: "first-byte" as const };
    const total = this.#begunAt + this.#limits.totalMs;
    return total < silence.at ? { at: total, expiry: "total" } : silence;
  }

  #arm(): void {
    const { at, expiry } = this.#nextDeadline();
    const waitMs = at - this.#now();
    this.#firesAt = at;
    if (waitMs <= 0) this.#onExpire(expiry);
    else this.#timer = setTimeout(() => this.#arm(), waitMs);
  }

  /** Sets the timer anew if it would fire too late for the limits that hold now. If it fires too early, it looks at them again. */
  #hasten(): void {
    if (this.#nextDeadline().at >= this.#firesAt) return;
    this.stop();
    this.#arm();
  }
}
