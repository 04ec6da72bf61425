/** Errors as this provider sends them: in a refused reply, in a 200 reply, or in the middle of a stream. */
import type { ChatEvent } from "../../../../shared/chat.ts";
import { ErrorBody, type WireError } from "./schema.ts";

type ErrorEvent = Extract<ChatEvent, { type: "error" }>;

/** google.rpc.Code names and their HTTP statuses. */
const errorCodes = new Map<string | number, ErrorEvent["code"]>([
  ["RESOURCE_EXHAUSTED", "upstream_rate_limited"],
  [429, "upstream_rate_limited"],
  ["UNAVAILABLE", "upstream_overloaded"],
  [503, "upstream_overloaded"],
  ["DEADLINE_EXCEEDED", "upstream_timeout"],
  [504, "upstream_timeout"],
]);

/** The event of an `error` object inside a 200 answer; its message is the provider's own. */
export function readErrorEvent({ code, status, message }: WireError): ErrorEvent {
  return {
    type: "error",
    code: errorCodes.get(status ?? "") ?? errorCodes.get(code ?? 0) ?? "upstream_error",
    message: message ?? "The provider reported an error without a message.",
  };
}

/** The provider's own words about a refused request, if the body has any. */
export function readErrorMessage(body: unknown): string | undefined {
  const parsed = ErrorBody.safeParse(Array.isArray(body) ? body[0] : body);
  return parsed.success ? (parsed.data.error.message ?? undefined) : undefined;
}
