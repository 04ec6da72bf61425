/** Errors as this provider sends them: in a refused reply, in a 200 reply, or in the middle of a stream. */
import { createTable } from "../../../../shared/lookup-table.ts";
import type { ErrorEvent, RefusalBody } from "../dialect.ts";
import { ErrorBody, type WireError } from "./schema.ts";

/** platform.claude.com/docs/en/api/errors */
const errorCodes = createTable<ErrorEvent["code"]>({
  overloaded_error: "upstream_overloaded",
  rate_limit_error: "upstream_rate_limited",
  timeout_error: "upstream_timeout",
  invalid_request_error: "upstream_rejected",
  request_too_large: "request_too_large",
});

/** The event of an `error` object inside a 200 answer; its message is the provider's own. */
export function readErrorEvent(error: WireError): ErrorEvent {
  return {
    type: "error",
    code: errorCodes[error.type ?? ""] ?? "upstream_error",
    message: error.message ?? "The provider reported an error without a message.",
    ...(error.details && { details: error.details }),
  };
}

/** What the body of a refused request says. */
export function readRefusal(body: unknown): RefusalBody {
  const { message, details } = ErrorBody.safeParse(body).data?.error ?? {};
  return {
    message: message ?? undefined,
    // Clients act on them by themselves: a limit that was passed, a field that was refused.
    details: details ?? undefined,
    // Anthropic answers 400, as for a wrong request, to a key whose account has no credit left.
    outOfCredit: /credit balance is too low/i.test(message ?? ""),
  };
}
