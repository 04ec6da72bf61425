/** Gemini's words for why an answer ended or failed, in the hub's (ai.google.dev/api/generate-content). */
import type { ChatEvent, FinishReason } from "../../../shared/chat.ts";
import type { WireError } from "./wire.ts";

const finishReasons = new Map<string, FinishReason>([
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  ["SAFETY", "content-filter"],
  ["RECITATION", "content-filter"],
  ["BLOCKLIST", "content-filter"],
  ["PROHIBITED_CONTENT", "content-filter"],
  ["SPII", "content-filter"],
  ["MODEL_ARMOR", "content-filter"],
  ["IMAGE_SAFETY", "content-filter"],
  ["IMAGE_PROHIBITED_CONTENT", "content-filter"],
  ["IMAGE_RECITATION", "content-filter"],
  ["LANGUAGE", "other"],
  ["MALFORMED_FUNCTION_CALL", "other"],
  ["UNEXPECTED_TOOL_CALL", "other"],
  ["TOO_MANY_TOOL_CALLS", "other"],
  ["MISSING_THOUGHT_SIGNATURE", "other"],
  ["OTHER", "other"],
]);

/** Gemini says STOP for an answer that ends in function calls too. */
export function readFinishReason(finishReason: string, calledTools: boolean): FinishReason {
  const reason = finishReasons.get(finishReason) ?? "other";
  return reason === "stop" && calledTools ? "tool-calls" : reason;
}

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
