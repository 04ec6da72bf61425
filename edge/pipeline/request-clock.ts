/**
 * The time of one request: the moment at which it is ended whether or not anybody reads it, and the word it gives
 * of itself meanwhile. The end comes well before the sweep takes a silent request for dead (edge/billing/sweep.ts).
 */
import { GatewayError } from "../../shared/errors.ts";

export type Pace = {
  /** Longest life of a request. */
  deadlineMs: number;
  /** How long its body may take to arrive. */
  bodyMs: number;
  /** How often a long one says what it has used. */
  progressMs: number;
  /** How long the pool waits for a reader who takes nothing of a full queue. */
  patienceMs: number;
};

export const standardPace: Pace = {
  deadlineMs: 600_000,
  bodyMs: 120_000,
  progressMs: 30_000,
  patienceMs: 30_000,
};

/** For the one whose request the clock has ended. */
export const deadlineError = (deadlineMs: number): GatewayError =>
  new GatewayError(
    "upstream_timeout",
    `The request reached the limit of ${deadlineMs / 60_000} minutes; what was written is charged. Choose fewer or shorter answers, or retry.`,
    {},
    "deadline",
  );

/** Starts the clock; what it gives stops it. */
export function startClock(pace: Pace, onDeadline: () => void, onProgress: () => void): () => void {
  const deadline = setTimeout(onDeadline, pace.deadlineMs);
  const progress = setInterval(onProgress, pace.progressMs);
  return () => {
    clearTimeout(deadline);
    clearInterval(progress);
  };
}
