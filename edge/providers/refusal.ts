/**
 * The errors a caller sees when a provider refuses (a table by status) or cannot be reached, and how long a refusal lets us wait; a failure
 * after the 2xx is in failure.ts. Only the provider's message and details are passed on, with keys removed.
 */
import { type ErrorCode, GatewayError } from "../../shared/errors.ts";
import { inlineKeyHeaders } from "../../shared/providers.ts";
import { present } from "../dialects/json.ts";
import type { RefusalBody } from "../dialects/provider/dialect.ts";
import { boundBody, shortReplyBytes } from "../stream/bounded-body.ts";
import { providers } from "./registry.ts";
import type { Route } from "./resolve-route.ts";
import { readFineRetryAfter, readRetryAfter } from "./retry-after.ts";
import { scrub, scrubDetails } from "./scrub.ts";
import { readsAsTooLong } from "./too-long.ts";

const backOff = "retry with exponential backoff";

/** What a caller can do. It is the same if the provider fails after the 2xx. */
export const advice = {
  rejected: "change the request as it says",
  // Claude Code reads no error code: these words make it shorten the conversation.
  tooLong: "the prompt is too long: send less, or choose a model that takes more",
  tooLarge: "send less",
  limited: `wait and ${backOff}`,
  overloaded: backOff,
  failed: `${backOff}, or choose another model`,
  timeout: "retry, or ask for a shorter answer",
} as const;

/** `told`: the caller gets the provider's words and details, or nothing of its body. Absent: the details alone. */
type RefusalRow = { code: ErrorCode; advice: string; told?: "all" | "nothing" };

const ownKey: RefusalRow = {
  code: "invalid_provider_key",
  advice: "check your provider key, the one that you sent or stored, and its permissions",
  told: "nothing",
};
const rejected: RefusalRow = { code: "upstream_rejected", advice: advice.rejected, told: "all" };
const tooLong: RefusalRow = { code: "context_length_exceeded", advice: advice.tooLong, told: "all" };
/** Some of OpenAI's models take tools only by its Responses API. We call its chat completions; OpenRouter calls the other. */
const otherApi: RefusalRow = {
  ...rejected,
  advice:
    `send a key for OpenRouter (${inlineKeyHeaders.router}) in place of the one for OpenAI, ` +
    "or choose another model",
};
const namesOtherApi = /\/v1\/responses\b/;
const limited: RefusalRow = { code: "upstream_rate_limited", advice: advice.limited };
const addCredit = "add credit to your account at the provider";
/** The code of a rate limit, after which the next of a request's models is asked. A retry does not help. */
const outOfCredit: RefusalRow = { ...limited, advice: addCredit, told: "all" };
const overloaded: RefusalRow = { code: "upstream_overloaded", advice: advice.overloaded };
const failed: RefusalRow = { code: "upstream_error", advice: advice.failed };
const timeout: RefusalRow = { code: "upstream_timeout", advice: advice.timeout };

/** By status, for a caller's own key. A status that is not listed is a failure of the provider. */
const refusals: Readonly<Record<number, RefusalRow>> = {
  400: rejected,
  401: ownKey,
  402: { ...rejected, advice: addCredit },
  // The words say what is missing: a permission, a country, an API that is not enabled.
  403: { ...ownKey, told: "all" },
  404: { code: "model_not_found", advice: "choose another model; this key has no access to it", told: "all" },
  408: timeout,
  413: { code: "request_too_large", advice: advice.tooLarge },
  422: rejected,
  // The provider's words say which limit: a request above OpenAI's tokens per minute is a 429 that no retry mends.
  429: { ...limited, told: "all" },
  503: overloaded,
  529: overloaded,
};

/** On the pool the key and its credit are the operator's, and a retry does not mend them. */
const ofOperator: RefusalRow = {
  ...failed,
  advice: "only this service's operator can mend it; send your own provider key, or try again later",
};
const poolOnly: Readonly<Record<number, RefusalRow>> = {
  401: ofOperator,
  402: ofOperator,
  403: ofOperator,
  429: limited,
};

/** Seconds of Retry-After for a 429 whose provider does not say when to retry. */
export const shortestWaitSeconds = 1;

/** A refusal: its body, its status, and when to retry by a header or, without one, by the body. */
export type ProviderReply = Omit<RefusalBody, "retryAfter"> & { status: number; retryAfter: string | null };

/** Reads a refusal's body, as far as its provider's dialect can. */
export async function readRefusal(response: Response, route: Route): Promise<ProviderReply> {
  const { dialect } = providers[route.provider];
  let body: unknown;
  try {
    body = await boundBody(response, shortReplyBytes).json();
  } catch {
    // An HTML page of a proxy, an empty body, or one larger than any refusal.
  }
  const { retryAfter, ...said } = dialect.readRefusal(body);
  const { status, headers } = response;
  return {
    ...said,
    status,
    retryAfter: headers.get("retry-after") ?? readFineRetryAfter(headers) ?? retryAfter ?? null,
  };
}

/** The caller's error, what had been left out, and what a second try needs: status, Retry-After, failed host. */
export class Refused extends GatewayError {
  readonly providerStatus: number;
  readonly retryAfter: string | null;
  readonly failedHost: string | undefined;
  unsupported: readonly string[] = [];

  constructor(reply: ProviderReply, ...rest: ConstructorParameters<typeof GatewayError>) {
    super(...rest);
    this.providerStatus = reply.status;
    this.retryAfter = reply.retryAfter;
    this.failedHost = reply.failedHost;
  }
}

function findRow({ provider, keySource }: Route, reply: ProviderReply): RefusalRow {
  // Another key or a second try would not change the moderation's judgement.
  if (reply.status === 403 && reply.flagged) return rejected;
  if (reply.keyRefused) return ownKey;
  if (reply.outOfCredit && keySource === "user") return outOfCredit;
  const ofPool = keySource === "pool" ? poolOnly[reply.status] : undefined;
  const byStatus = ofPool ?? refusals[reply.status] ?? failed;
  const wantsOtherApi = provider === "alpha" && namesOtherApi.test(reply.message ?? "");
  if (byStatus === rejected && wantsOtherApi) return otherApi;
  if (byStatus === ofOperator) return byStatus;
  return reply.tooLong || readsAsTooLong(byStatus.code, reply.message) ? tooLong : byStatus;
}

/** The error a caller sees when `route`'s provider answered with a status other than 2xx. */
export function describeRefusal(route: Route, reply: ProviderReply, nowMs: number): Refused {
  const refusal = findRow(route, reply);
  const { title } = providers[route.provider];
  const said = refusal.told === "all" ? reply.message : undefined;
  const words = said === undefined ? "" : `: ${scrub(said, route.key)}`;
  const asked =
    reply.status === 429 || reply.status >= 500 ? readRetryAfter(reply.retryAfter, nowMs) : undefined;
  const again = refusal.code === "upstream_rate_limited" ? shortestWaitSeconds : undefined;
  const wait =
    refusal === outOfCredit
      ? { headers: { "x-should-retry": "false" } }
      : present({ retryAfterSeconds: asked ?? again });
  const instructions = refusal.told === "nothing" ? undefined : scrubDetails(reply.details, route.key);
  return new Refused(
    reply,
    refusal.code,
    `Provider ${title} answered ${reply.status}${words} - ${refusal.advice}.`,
    { ...wait, ...(instructions && { instructions }) },
    `provider-status-${reply.status}`,
  );
}

/** The operator's tag of `unreachable`. A call that was cut because its caller had left has it, too. */
export const unreachableReason = "provider-unreachable";

/** The error of a call that got no answer at all. */
export const unreachable = ({ provider }: Route): GatewayError =>
  new GatewayError(
    "upstream_error",
    `Provider ${providers[provider].title} could not be reached; retry with exponential backoff.`,
    {},
    unreachableReason,
  );
