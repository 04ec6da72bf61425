/**
 * Errors in OpenAI's format, as the many servers that speak it send them: in a refused reply, in a 200
 * reply, or in the middle of a stream.
 */
import { createTable } from "../../../../shared/lookup-table.ts";
import { type JsonObject, readLeniently, readNumber, readObject } from "../../json.ts";
import { type ErrorEvent, isHostFailure, type RefusalBody } from "../dialect.ts";
import { WireError } from "./schema.ts";

/**
 * By the aggregator's type (openrouter.ai/docs/client-sdks/python/components/apierrortype), the provider's code, status or type; anything
 * else is `upstream_error`.
 */
const codes = createTable<ErrorEvent["code"]>({
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
  provider_overloaded: "upstream_overloaded",
  engine_overloaded: "upstream_overloaded",
  server_overloaded: "upstream_overloaded",
  server_is_overloaded: "upstream_overloaded",
  service_unavailable: "upstream_overloaded",
  service_unavailable_error: "upstream_overloaded",
  invalid_api_key: "upstream_error",
  model_not_found: "upstream_error",
  context_length_exceeded: "context_length_exceeded",
  exceed_context_size_error: "context_length_exceeded",
  payload_too_large: "request_too_large",
  content_policy_violation: "upstream_rejected",
  invalid_prompt: "upstream_rejected",
  invalid_request_error: "upstream_rejected",
  timeout: "upstream_timeout",
  timeout_error: "upstream_timeout",
});

type Tag = string | number | null | undefined;

const lookUp = (tag: Tag): ErrorEvent["code"] | undefined => (tag == null ? undefined : codes[String(tag)]);

/** The error in a body, at one of the known places; undefined if there is none. */
export function findError(body: JsonObject): unknown {
  // Some servers have the field in every answer, and an empty text in it.
  if (body.error) return body.error;
  // vLLM puts the error's fields at the top level.
  return body.object === "error" ? body : undefined;
}

/** Some servers send only the message as the error. */
const readError = (error: unknown): WireError =>
  typeof error === "string" ? { message: error } : (readLeniently(WireError, error) ?? {});

export function createErrorEvent(value: unknown): ErrorEvent {
  const error = readError(value);
  const { code, status, type, metadata } = error;
  const host = readHost(error);
  const flagged = String(code) === "403" && isFlagged(error) ? "upstream_rejected" : undefined;
  const known = [metadata?.error_type, code, status, type].flatMap((tag) => lookUp(tag) ?? []);
  // llama.cpp says it by the type, beside the code 400.
  const tooLong = known.find((name) => name === "context_length_exceeded");
  return {
    type: "error",
    ...(host !== undefined && isHostFailure(readNumber(code) ?? 0) && { host }),
    code: flagged ?? tooLong ?? known[0] ?? "upstream_error",
    message: describeError(error) ?? "The provider failed while it was answering; retry the request.",
  };
}

/** The aggregator's host that failed (openrouter.ai/docs/api-reference/errors). */
const readHost = ({ metadata }: WireError): string | undefined => metadata?.provider_name || undefined;

/**
 * When a host takes requests again, in seconds; or when one of OpenRouter's own limits ends, which the body gives in Unix milliseconds,
 * returned as a date. The header Retry-After has both forms.
 */
function readRetryDelay({ metadata }: WireError): string | undefined {
  const seconds = readNumber(metadata?.retry_after_seconds);
  if (seconds !== undefined) return String(seconds);
  const reset = readNumber(readObject(metadata?.headers)?.["X-RateLimit-Reset"]);
  const date = new Date(reset ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toUTCString();
}

/**
 * Whether the aggregator's moderation or one of its guardrails refused the input. Such a 403 has reasons beside the message, a type of its
 * own, or these words; that of a refused key has none of them (openrouter.ai/docs/api/reference/errors-and-debugging, "Moderation errors",
 * "Guardrail errors").
 */
const isFlagged = ({ message, metadata }: WireError): boolean =>
  metadata?.flagged_input != null ||
  (metadata?.reasons?.length ?? 0) > 0 ||
  metadata?.error_type === "content_policy_violation" ||
  message?.startsWith("Request blocked: ") === true;

const describeDetail = (detail: WireError["detail"]): string | undefined =>
  typeof detail === "string"
    ? detail
    : detail?.map(({ loc, msg }) => [loc?.join("."), msg].filter(Boolean).join(": ")).join("; ");

/** OpenRouter's own message is general; the vendor's is in `metadata.raw`, and a moderation's reasons in `metadata.reasons`. */
function describeError({ message, detail, metadata }: WireError): string | undefined {
  const more = metadata?.raw || metadata?.reasons?.join(", ");
  return [message || describeDetail(detail), more].filter(Boolean).join(": ") || undefined;
}

/** What the body of a refused request says. */
export function readRefusal(body: unknown): RefusalBody {
  // Google's OpenAI format wraps the body in a list.
  const reply = readObject(Array.isArray(body) ? body[0] : body) ?? {};
  const error = readError(findError(reply));
  return {
    message: describeError(error) ?? describeError(readError(reply)),
    retryAfter: readRetryDelay(error),
    failedHost: readHost(error),
    flagged: isFlagged(error),
    // OpenAI's code of a 429 for used-up credit; a rate limit has `rate_limit_exceeded`.
    outOfCredit: [error.code, error.type].includes("insufficient_quota"),
    // llama.cpp's, OpenAI's and its imitators' code, or the aggregator's, whose status and words may be of any kind.
    tooLong: createErrorEvent(error).code === "context_length_exceeded",
  };
}
