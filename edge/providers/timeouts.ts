/** How long a provider may take: each time-out of a call to one, with its reason. The same for all of them. */
import type { CallLimits } from "../stream/watchdog.ts";

/** Of a chat call; stream/watchdog.ts holds all three with one timer. */
const call: CallLimits = {
  /**
   * Until the status of a stream. A call that gets none in time is not charged, and what is left of the request's time is for
   * another host or model (failover.ts, pipeline/execute.ts). An answer in one piece has `totalMs`: it is written
   * before its first byte.
   */
  firstByteMs: 60_000,
  /**
   * Silence inside a stream; comments and pings end it too. Anthropic and OpenRouter send those, OpenAI and Gemini send
   * nothing while a model thinks, so it is longer than the first.
   */
  idleMs: 120_000,
  /** The whole call: as long as its request may live (`standardPace`, pipeline/services.ts). */
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
