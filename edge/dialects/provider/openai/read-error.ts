/**
 * Errors in OpenAI's format, as the many servers that speak it send them: in a refused reply, in a 200
 * reply, or in the middle of a stream.
 */
import type { EventOf } from "../../../../shared/chat.ts";
import { type JsonObject, readLeniently, readNumber, readObject } from "../../json.ts";
import { isHostFailure } from "../dialect.ts";
import { WireError } from "./schema.ts";

type ErrorEvent = EventOf<"error">;

/** By the provider's code, status or type; anything else is `upstream_error`. */
const codes: Readonly<Record<string, ErrorEvent["code"]>> = Object.assign(Object.create(null), {
  "400": "upstream_rejected",
  // The aggregator's own codes; their type may be `invalid_request_error` nevertheless.
  "401": "upstream_error",
  "402": "upstream_error",
  "403": "upstream_error",
  "404": "upstream_error",
  "408": "upstream_timeout",
  "413": "request_too_large",
  "422": "upstream_rejected",
  "429": "upstream_rate_limited",
  "503": "upstream_overloaded",
  "504": "upstream_timeout",
  "529": "upstream_overloaded",
  rate_limit_exceeded: "upstream_rate_limited",
  rate_limit_error: "upstream_rate_limited",
  insufficient_quota: "upstream_rate_limited",
  overloaded_error: "upstream_overloaded",
  engine_overloaded: "upstream_overloaded",
  server_overloaded: "upstream_overloaded",
  server_is_overloaded: "upstream_overloaded",
  service_unavailable: "upstream_overloaded",
  service_unavailable_error: "upstream_overloaded",
  invalid_api_key: "upstream_error",
  model_not_found: "upstream_error",
  invalid_prompt: "upstream_rejected",
  invalid_request_error: "upstream_rejected",
  timeout: "upstream_timeout",
  timeout_error: "upstream_timeout",
} satisfies Record<string, ErrorEvent["code"]>);

type Tag = string | number | null | undefined;

const lookUp = (tag: Tag): ErrorEvent["code"] | undefined => (tag == null ? undefined : codes[String(tag)]);

/** The error in a body, at one of the known places; undefined if there is none. */
export function findError(body: JsonObject): unknown {
  if (body.error !== undefined && body.error !== null) return body.error;
  // vLLM puts the error's fields at the top level.
  return body.object === "error" ? body : undefined;
}

/** Some servers send only the message as the error. */
const readError = (error: unknown): WireError =>
  typeof error === "string" ? { message: error } : (readLeniently(WireError, error) ?? {});

export function createErrorEvent(value: unknown): ErrorEvent {
  const error = readError(value);
  const { code, status, type } = error;
  const host = readHost(error);
  const flagged = String(code) === "403" && isFlagged(error) ? "upstream_rejected" : undefined;
  return {
    type: "error",
    ...(host !== undefined && isHostFailure(readNumber(code) ?? 0) && { host }),
    code: flagged ?? lookUp(code) ?? lookUp(status) ?? lookUp(type) ?? "upstream_error",
    message: describeError(error) ?? "The provider failed while it was answering; retry the request.",
  };
}

/** The aggregator's host that failed (openrouter.ai/docs/api-reference/errors). */
const readHost = ({ metadata }: WireError): string | undefined => metadata?.provider_name || undefined;

/** When one of OpenRouter's own limits ends: the body has Unix milliseconds, returned as the date of a Retry-After header. */
export function readRetryDelay(body: unknown): string | undefined {
  const { metadata } = readError(findError(readObject(body) ?? {}));
  const reset = readNumber(readObject(metadata?.headers)?.["X-RateLimit-Reset"]);
  const date = new Date(reset ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toUTCString();
}

export function readFailedHost(body: unknown): string | undefined {
  return readHost(readError(findError(readObject(body) ?? {})));
}

/** Whether the aggregator's moderation flagged the input: such a 403 has reasons beside the message, a refused key's has none. */
const isFlagged = ({ metadata }: WireError): boolean =>
  metadata?.flagged_input != null || (metadata?.reasons?.length ?? 0) > 0;

export const readsAsFlagged = (body: unknown): boolean =>
  isFlagged(readError(findError(readObject(body) ?? {})));

/** OpenAI's code of a 429 for used-up credit; a rate limit has `rate_limit_exceeded`. */
export function saysOutOfCredit(body: unknown): boolean {
  const { code, type } = readError(findError(readObject(body) ?? {}));
  return code === "insufficient_quota" || type === "insufficient_quota";
}

/** OpenRouter's own message is general; the vendor's is in `metadata.raw`, and a moderation's reasons in `metadata.reasons`. */
function describeError({ message, detail, metadata }: WireError): string | undefined {
  const more = metadata?.raw || metadata?.reasons?.join(", ");
  return [message || detail, more].filter(Boolean).join(": ") || undefined;
}

/** The provider's words in the body of a refused request; undefined when there are none. */
export function readErrorMessage(body: unknown): string | undefined {
  // Google's OpenAI format wraps the body in a list.
  const reply = readObject(Array.isArray(body) ? body[0] : body);
  if (reply === undefined) return undefined;
  return describeError(readError(findError(reply))) ?? describeError(readError(reply));
}
