/** Errors as this provider sends them: in a refused reply, in a 200 reply, or in the middle of a stream. */
import { createTable } from "../../../../shared/lookup-table.ts";
import type { ErrorEvent, RefusalBody } from "../dialect.ts";
import { ErrorBody, type WireError } from "./schema.ts";

/** google.rpc.Code names and their HTTP statuses. */
const errorCodes = createTable<ErrorEvent["code"]>({
  RESOURCE_EXHAUSTED: "upstream_rate_limited",
  429: "upstream_rate_limited",
  UNAVAILABLE: "upstream_overloaded",
  503: "upstream_overloaded",
  DEADLINE_EXCEEDED: "upstream_timeout",
  504: "upstream_timeout",
  INVALID_ARGUMENT: "upstream_rejected",
  400: "upstream_rejected",
});

/** The event of an `error` object inside a 200 answer; its message is the provider's own. */
export function readErrorEvent({ code, status, message }: WireError): ErrorEvent {
  return {
    type: "error",
    code: errorCodes[status ?? ""] ?? errorCodes[code ?? 0] ?? "upstream_error",
    message: message ?? "The provider reported an error without a message.",
  };
}

/** What the body of a refused request says. */
export function readRefusal(body: unknown): RefusalBody {
  // Google's OpenAI format wraps the error in a list.
  const error = ErrorBody.safeParse(Array.isArray(body) ? body[0] : body).data?.error;
  const details = error?.details ?? [];
  return {
    message: error?.message ?? undefined,
    retryAfter: readRetryDelay(details),
    // Google answers 400, as for a wrong request, to a key that it does not know or that has expired.
    keyRefused: details.some(({ reason }) => reason === "API_KEY_INVALID"),
    // Read from the words: a rate limit has the same status and code (github.com/dyad-sh/dyad/issues/3626).
    outOfCredit: /prepayment credits are depleted/i.test(error?.message ?? ""),
  };
}

/** Google gives the retry delay in the body, not in a header. */
function readRetryDelay(details: NonNullable<WireError["details"]>): string | undefined {
  const delays = details.map(({ retryDelay }) => /^([\d.]+)s$/.exec(retryDelay ?? ""));
  const seconds = delays.find((delay) => delay !== null)?.[1];
  return seconds === undefined ? undefined : String(Math.ceil(Number(seconds)));
}
