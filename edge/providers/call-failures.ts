/** What is said of a call that failed: the events of one whose answer had begun, the error of one that got none. */
import type { ChatEvent } from "../../shared/chat.ts";
import { GatewayError } from "../../shared/errors.ts";
import type { Expiry } from "../stream/watchdog.ts";
import { describeFailure } from "./refusal.ts";
import { providers } from "./registry.ts";
import type { Route } from "./route.ts";

export const timeoutEvent = (expiry: Expiry): ChatEvent => ({
  type: "error",
  code: "upstream_timeout",
  message: `The provider passed the ${expiry} time limit; retry, or ask for a shorter answer.`,
});

export const lostEvent: ChatEvent = {
  type: "error",
  code: "upstream_truncated",
  message: "The provider's connection broke before the answer was complete; retry the request.",
};

/** Only the last event can be a failure. */
export function withoutKey(events: ChatEvent[], key: string | undefined): ChatEvent[] {
  const last = events.at(-1);
  return last?.type === "error" ? [...events.slice(0, -1), describeFailure(last, key)] : events;
}

export const unreadableEvent: ChatEvent = {
  type: "error",
  code: "upstream_error",
  message: "The provider's answer could not be read; retry, or choose another model.",
};

export const unreachable = ({ provider }: Route): GatewayError =>
  new GatewayError(
    "upstream_error",
    `Provider ${providers[provider].title} could not be reached; retry with exponential backoff.`,
    {},
    "provider-unreachable",
  );
