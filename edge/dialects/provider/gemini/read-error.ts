/** Errors as this provider sends them: in a refused reply, in a 200 reply, or in the middle of a stream. */
import { createTable } from "../../../../shared/lookup-table.ts";
import type { ErrorEvent } from "../dialect.ts";
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

/** The error in a refused reply; Google's OpenAI format wraps it in a list. */
const readError = (body: unknown): WireError | undefined =>
  ErrorBody.safeParse(Array.isArray(body) ? body[0] : body).data?.error;

/** The provider's own words about a refused request, if the body has any. */
export const readErrorMessage = (body: unknown): string | undefined => readError(body)?.message ?? undefined;

/** Google answers 400, as for a wrong request, to a key that it does not know or that has expired. */
export const refusesKey = (body: unknown): boolean =>
  (readError(body)?.details ?? []).some(({ reason }) => reason === "API_KEY_INVALID");

/** Google gives the retry delay in the body, not in a header. */
export function readRetryDelay(body: unknown): string | undefined {
  const delays = (readError(body)?.details ?? []).map(({ retryDelay }) =>
    /^([\d.]+)s$/.exec(retryDelay ?? ""),
  );
  const seconds = delays.find((delay) => delay !== null)?.[1];
  return seconds === undefined ? undefined : String(Math.ceil(Number(seconds)));
}

/** Read from the words: a rate limit has the same status and code (github.com/dyad-sh/dyad/issues/3626). */
export const saysOutOfCredit = (body: unknown): boolean =>
  /prepayment credits are depleted/i.test(readErrorMessage(body) ?? "");
