/**
 * A failure after the provider's 2xx, as an event and as an error: with advice, of bounded length, with keys removed. What a provider
 * refuses by its status is in refusal.ts.
 */
import type { ChatEvent } from "../../shared/chat.ts";
import { GatewayError } from "../../shared/errors.ts";
import type { ErrorEvent } from "../dialects/provider/dialect.ts";
import { advice, shortestWaitSeconds } from "./refusal.ts";
import { scrub, scrubDetails } from "./scrub.ts";
import type { Expiry } from "./timeouts.ts";
import { readsAsTooLong } from "./too-long.ts";

const tooLong = "context_length_exceeded";
const saysWhatToDo = /\b(retry|try again|choose|reduce|shorten)\b/i;
/** `processed`: false where the provider says by this code that it did not process the request, which is then not charged. */
const failures: Readonly<Record<ErrorEvent["code"], { advice: string; processed: boolean }>> = {
  upstream_error: { advice: advice.failed, processed: true },
  upstream_overloaded: { advice: advice.overloaded, processed: false },
  upstream_rate_limited: { advice: advice.limited, processed: false },
  upstream_timeout: { advice: advice.timeout, processed: true },
  upstream_truncated: { advice: "retry the request", processed: true },
  upstream_rejected: { advice: advice.rejected, processed: false },
  context_length_exceeded: { advice: advice.tooLong, processed: false },
  request_too_large: { advice: advice.tooLarge, processed: false },
  answer_off_format: { advice: "retry the request", processed: true },
};

/** Whether the provider refused the request inside a 2xx answer, and processed nothing. */
export const refusesRequest = ({ code }: ErrorEvent): boolean => !failures[code].processed;

/** A failure inside a 2xx answer as the caller may see it: without keys, of bounded length, and with advice. */
export function describeFailure(failure: ErrorEvent, key: string | undefined): ErrorEvent {
  const words = scrub(failure.message, key);
  const code = readsAsTooLong(failure.code, failure.message) ? tooLong : failure.code;
  const message =
    saysWhatToDo.test(words) && (code !== tooLong || words.includes(advice.tooLong))
      ? words
      : `${words.replace(/\.$/, "")} - ${failures[code].advice}.`;
  const { details: given, ...rest } = failure;
  const details = scrubDetails(given, key);
  return { ...rest, code, message, ...(details && { details }) };
}

/** A failure inside a 2xx answer as a GatewayError. */
export const failureError = ({ code, message, details }: ErrorEvent): GatewayError =>
  new GatewayError(code, message, {
    ...(code === "upstream_rate_limited" && { retryAfterSeconds: shortestWaitSeconds }),
    ...(details && { instructions: details }),
  });

/** The failure of an answer that we cut by a limit. */
export const timeoutEvent = (expiry: Expiry): ChatEvent => ({
  type: "error",
  code: "upstream_timeout",
  message: `The provider passed the ${expiry} time limit; retry, or ask for a shorter answer.`,
});

/** The failure of an answer whose connection broke. */
export const lostEvent: ChatEvent = {
  type: "error",
  code: "upstream_truncated",
  message: "The provider's connection broke before the answer was complete; retry the request.",
};

/** The failure of a whole reply in a form that the provider's dialect does not have. */
export const unreadableEvent: ErrorEvent = {
  type: "error",
  code: "upstream_error",
  message: "The provider's answer could not be read; retry, or choose another model.",
};
