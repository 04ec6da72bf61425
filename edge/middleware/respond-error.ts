/**
 * Turns every failure into an answer: a GatewayError as the table says, a database failure as billing_unavailable, anything else
 * as internal_error without its message. The log gets codes and tags, no text.
 */
import { HTTPException } from "hono/http-exception";
import { type ErrorCode, errorTable, GatewayError } from "../../shared/errors.ts";
import { isDatabaseUnavailable } from "../db/connection.ts";
import { writeOpenaiError } from "../dialects/caller/openai/write-error.ts";
import { unreachableReason } from "../providers/refusal.ts";
import type { EdgeContext, ErrorLayout } from "./context.ts";

const openaiLayout: ErrorLayout = { write: writeOpenaiError };

/** Any thrown value as the error a caller may see. */
export function toGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  if (isDatabaseUnavailable(error)) {
    return new GatewayError(
      "billing_unavailable",
      "The billing service is unavailable; retry with exponential backoff.",
      {},
      `database-${error.code}`,
    );
  }
  if (error instanceof HTTPException && error.status < 500) {
    return new GatewayError(
      "invalid_request",
      "The request could not be read; check its method, headers and body.",
    );
  }
  // JSON.parse reads ten thousand nested brackets, but code that walks the result recursively overflows its stack.
  if (error instanceof RangeError && /call stack/i.test(error.message)) {
    return new GatewayError(
      "invalid_request",
      "The request body is nested too deeply; send it with fewer levels.",
      {},
      "nested-too-deeply",
    );
  }
  return new GatewayError(
    "internal_error",
    "Something went wrong on our side; retry, and report the x-request-id if it stays.",
    {},
    "unexpected",
  );
}

/** RFC 9110 §15.5.2 asks for a challenge with each 401; RFC 6750 §3.1 says how to name a key that does not hold. */
function writeChallenge(code: ErrorCode): string {
  const isKeyBad = code === "invalid_api_key" || code === "token_expired";
  return `Bearer realm="svc"${isKeyBad ? ', error="invalid_token"' : ""}`;
}

/**
 * Code and tag of an error. Nothing, if it is that of a call to a provider or gpu-worker that was cut because the caller had left. An
 * unexpected error is logged by its class, since its message may quote a request.
 */
function describeForLog(error: unknown, { code, reason }: GatewayError, { aborted }: AbortSignal) {
  const name = error instanceof Error ? error.name : undefined;
  if (aborted && (name === "AbortError" || reason === unreachableReason)) return {};
  return {
    code,
    ...(reason !== undefined && { reason }),
    ...(code === "internal_error" && name !== undefined && { error_class: name }),
  };
}

export function respondError(error: unknown, context: EdgeContext): Response {
  const known = toGatewayError(error);
  const { details } = known;
  const { requestId, attempt, logFields } = context.var;
  // With an Idempotency-Key the work goes on for some time.
  const { signal } = context.req.raw;
  Object.assign(logFields, describeForLog(error, known, attempt?.clientSignal ?? signal));
  for (const [name, value] of Object.entries(details.headers ?? {})) context.header(name, value);
  if (details.retryAfterSeconds !== undefined)
    context.header("retry-after", String(details.retryAfterSeconds));
  if (known.status === 401) context.header("www-authenticate", writeChallenge(known.code));
  // Official clients retry many statuses unless this header tells them not to.
  if (!errorTable[known.code].retryable) context.header("x-should-retry", "false");
  const layout = context.var.errorLayout ?? openaiLayout;
  return context.json(layout.write(known, requestId), (layout.statusOf?.(known) ?? known.status) as 400);
}
