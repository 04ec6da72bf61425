/**
 * The errors a caller sees when a provider refuses (a table by status), cannot be reached, or fails in mid-answer, and how long a
 * refusal lets us wait. Only the provider's message and details are passed on, with keys removed.
 */
import type { ChatEvent, ProviderData } from "../../shared/chat.ts";
import { type ErrorCode, GatewayError } from "../../shared/errors.ts";
import { maskKeys } from "../../shared/mask-keys.ts";
import { boundBody, shortReplyBytes } from "../stream/bounded-body.ts";
import { providers, type Route } from "./registry.ts";
import type { Expiry } from "./timeouts.ts";

type RefusalRow<Code extends ErrorCode = ErrorCode> = { code: Code; advice: string; quote?: boolean };

const ownKey: RefusalRow = {
  code: "invalid_provider_key",
  advice: "check the key and its permissions",
  quote: false,
};
const rejected: RefusalRow = {
  code: "upstream_rejected",
  advice: "change the request as it says",
  quote: true,
};
/** Claude Code looks for these words, whoever answers; most agents for the code or for a provider's own words. */
const overlong: RefusalRow<"context_length_exceeded"> = {
  code: "context_length_exceeded",
  advice: "the prompt is too long for this model, so shorten the conversation",
  quote: true,
};
const overloaded: RefusalRow = { code: "upstream_overloaded", advice: "retry with exponential backoff" };
const failed: RefusalRow = {
  code: "upstream_error",
  advice: "retry with exponential backoff, or choose another model",
};
const timeout: RefusalRow = { code: "upstream_timeout", advice: "retry, or ask for a shorter answer" };

/** By status, for a caller's own key; what is not listed is a failure of the provider. */
const refusals: Readonly<Record<number, RefusalRow>> = {
  400: rejected,
  401: ownKey,
  402: { code: "upstream_rejected", advice: "add credit at the provider", quote: true },
  403: ownKey,
  404: { code: "model_not_found", advice: "choose another model; this key has no access to it", quote: true },
  408: timeout,
  413: { code: "request_too_large", advice: "send less" },
  422: rejected,
  429: { code: "upstream_rate_limited", advice: "wait and retry with exponential backoff" },
  503: overloaded,
  529: overloaded,
};

/** On the pool the key and its credit are the operator's: the caller can only retry elsewhere. */
const poolOnly: Readonly<Record<number, RefusalRow>> = { 401: failed, 402: failed, 403: failed };

const longestQuote = 600;
/** Said with a 429 whose provider does not say when to come back. */
const shortestWaitSeconds = 1;
/** Characters of JSON; longer details are left out whole. */
const longestDetails = 4_000;

const mask = (text: string, key: string | undefined): string =>
  maskKeys(key === undefined || key === "" ? text : text.replaceAll(key, "[key]"));

/** A provider's words without any key in them, cut to a bounded length. */
export function scrub(text: string, key: string | undefined): string {
  return mask(text, key).slice(0, longestQuote);
}

/** What a provider says for clients of its dialect, without any key in it; undefined where that is too much. */
function scrubDetails(details: ProviderData | undefined, key: string | undefined): ProviderData | undefined {
  if (details === undefined || JSON.stringify(details).length > longestDetails) return undefined;
  return maskAll(details, key) as ProviderData;
}

function maskAll(value: unknown, key: string | undefined): unknown {
  if (typeof value === "string") return mask(value, key);
  if (Array.isArray(value)) return value.map((item) => maskAll(item, key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [mask(name, key), maskAll(inner, key)]),
  );
}

/** How OpenAI (twice), Anthropic (twice), Gemini and servers of OpenAI's format say that a prompt does not fit their model. */
const saysOverlong =
  /maximum context length|context window|input tokens exceed|prompt is too long|exceed context limit|input token count.{0,40}exceeds|context_length_exceeded/i;
const isOverlong = (code: ErrorCode, message: string | undefined): boolean =>
  code === "upstream_rejected" && message !== undefined && saysOverlong.test(message);

/** Seconds of a Retry-After header (RFC 9110 §10.2.3), in either form; undefined when absent or odd. */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (/^\d{1,6}$/.test(text)) return Number(text);
  const seconds = / GMT$/.test(text) ? Math.ceil((Date.parse(text) - nowMs) / 1000) : Number.NaN;
  return seconds >= 0 ? seconds : undefined;
}

/** Pause before a second try, and the longest Retry-After that is waited for: a longer wait is left to the caller. */
const leastPauseMs = 250;
const longestPauseMs = 2_000;

/** Milliseconds to wait before a second try, undefined where there is to be none. `retryAfter`: the refusal's header. */
export function pauseBefore(retryAfter: string | null, now: number): number | undefined {
  const askedMs = (readRetryAfter(retryAfter, now) ?? 0) * 1_000;
  return askedMs > longestPauseMs ? undefined : Math.max(leastPauseMs, askedMs);
}

export type ProviderReply = {
  status: number;
  message: string | undefined;
  retryAfter: string | null;
  details?: ProviderData | undefined;
  /** The aggregator's host that failed, where it names one. */
  failedHost?: string | undefined;
  /** What was asked is refused, not the key. */
  flagged?: boolean;
  /** The key is refused, whatever the status says. */
  keyRefused?: boolean;
};

/** What a refusing reply says, as far as it can be read in its provider's dialect. */
export async function readRefusal(response: Response, route: Route) {
  const { dialect } = providers[route.provider];
  let body: unknown;
  try {
    body = await boundBody(response, shortReplyBytes).json();
  } catch {
    // An HTML page of a proxy, nothing, or more than any refusal says.
  }
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after") ?? dialect.readRetryDelay?.(body) ?? null,
    message: dialect.readErrorMessage(body),
    details: dialect.readErrorDetails?.(body),
    failedHost: dialect.readFailedHost?.(body),
    flagged: dialect.readsAsFlagged?.(body) ?? false,
    keyRefused: dialect.refusesKey?.(body) ?? false,
  };
}

/** What the caller is told, with what only a second try needs to know. */
export class Refused extends GatewayError {
  readonly providerStatus: number;
  readonly retryAfter: string | null;
  readonly failedHost: string | undefined;

  constructor(reply: ProviderReply, ...rest: ConstructorParameters<typeof GatewayError>) {
    super(...rest);
    this.providerStatus = reply.status;
    this.retryAfter = reply.retryAfter;
    this.failedHost = reply.failedHost;
  }
}

/** The aggregator's moderation answers 403 too, whoever pays: another key or a second try changes nothing. */
const isFlagged = ({ status, flagged }: ProviderReply): boolean => status === 403 && flagged === true;

/** The error a caller sees when `route`'s provider answered with a status other than 2xx. */
export function describeRefusal(route: Route, reply: ProviderReply, nowMs: number): Refused {
  const ofPool = route.keySource === "pool" ? poolOnly[reply.status] : undefined;
  const byStatus = ofPool ?? refusals[reply.status] ?? failed;
  const judged = isFlagged(reply) ? rejected : reply.keyRefused ? ownKey : byStatus;
  const refusal = isOverlong(judged.code, reply.message) ? overlong : judged;
  const { title } = providers[route.provider];
  const words = refusal.quote && reply.message !== undefined ? `: ${scrub(reply.message, route.key)}` : "";
  const asked =
    reply.status === 429 || reply.status >= 500 ? readRetryAfter(reply.retryAfter, nowMs) : undefined;
  const retryAfterSeconds =
    asked ?? (refusal.code === "upstream_rate_limited" ? shortestWaitSeconds : undefined);
  const instructions = refusal.quote === false ? undefined : scrubDetails(reply.details, route.key);
  return new Refused(
    reply,
    refusal.code,
    `Provider ${title} answered ${reply.status}${words} - ${refusal.advice}.`,
    { ...(retryAfterSeconds !== undefined && { retryAfterSeconds }), ...(instructions && { instructions }) },
    `provider-status-${reply.status}`,
  );
}

/** The error of a call that got no answer at all. */
export const unreachable = ({ provider }: Route): GatewayError =>
  new GatewayError(
    "upstream_error",
    `Provider ${providers[provider].title} could not be reached; retry with exponential backoff.`,
    {},
    "provider-unreachable",
  );

export type Failure = Extract<ChatEvent, { type: "error" }>;

const saysWhatToDo = /\b(retry|try again|choose|reduce|shorten)\b/i;
const adviceByCode: Readonly<Record<Failure["code"], string>> = {
  upstream_error: failed.advice,
  upstream_overloaded: overloaded.advice,
  upstream_rate_limited: refusals[429]!.advice,
  upstream_timeout: timeout.advice,
  upstream_truncated: "retry the request",
  upstream_rejected: rejected.advice,
  context_length_exceeded: overlong.advice,
  request_too_large: refusals[413]!.advice,
  answer_off_format: "retry the request",
};

/** A failure inside a 2xx answer as the caller may see it: no key, a bounded length, and what to do next. */
export function describeFailure(failure: Failure, key: string | undefined): Failure {
  const words = scrub(failure.message, key);
  const code = isOverlong(failure.code, words) ? overlong.code : failure.code;
  const message =
    saysWhatToDo.test(words) && code !== overlong.code
      ? words
      : `${words.replace(/\.$/, "")} - ${adviceByCode[code]}.`;
  const { details: given, ...rest } = failure;
  const details = scrubDetails(given, key);
  return { ...rest, code, message, ...(details && { details }) };
}

/** A failure inside a 2xx answer as the error that it is. */
export const failureError = ({ code, message, details }: Failure): GatewayError =>
  new GatewayError(code, message, {
    ...(code === "upstream_rate_limited" && { retryAfterSeconds: shortestWaitSeconds }),
    ...(details && { instructions: details }),
  });

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

export const unreadableEvent: ChatEvent = {
  type: "error",
  code: "upstream_error",
  message: "The provider's answer could not be read; retry, or choose another model.",
};
