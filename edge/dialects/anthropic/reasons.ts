/** Anthropic's words for why an answer ended or failed, in the hub's. */
import type { ChatEvent, FinishReason } from "../../../shared/chat.ts";
import type { MessageEnd, WireError } from "./wire.ts";

/** platform.claude.com/docs/en/build-with-claude/handling-stop-reasons */
const finishReasons = new Map<string, FinishReason>([
  ["end_turn", "stop"],
  ["stop_sequence", "stop-sequence"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "tool-calls"],
  ["refusal", "refusal"],
  ["pause_turn", "pause"],
  // Server-side compaction that was asked to stop after it.
  ["compaction", "pause"],
]);

/** The end of an answer; details only Anthropic's callers understand travel beside it. */
export function readFinish(end: MessageEnd, contextManagement?: Record<string, unknown> | null): ChatEvent {
  const { stop_reason: raw, stop_sequence, stop_details, container } = end;
  const details = { stop_details, container, context_management: contextManagement };
  const providerData = Object.fromEntries(
    Object.entries(details).filter(([, value]) => value !== null && value !== undefined),
  );
  return {
    type: "finish",
    choice: 0,
    reason: finishReasons.get(raw ?? "") ?? "other",
    raw: raw ?? null,
    ...(stop_sequence ? { stopSequence: stop_sequence } : {}),
    ...(Object.keys(providerData).length > 0 ? { providerData } : {}),
  };
}

type ErrorEvent = Extract<ChatEvent, { type: "error" }>;

/** platform.claude.com/docs/en/api/errors */
const errorCodes = new Map<string, ErrorEvent["code"]>([
  ["overloaded_error", "upstream_overloaded"],
  ["rate_limit_error", "upstream_rate_limited"],
  ["timeout_error", "upstream_timeout"],
]);

/** The event of an `error` object inside a 200 answer; its message is the provider's own. */
export function readErrorEvent(error: WireError): ErrorEvent {
  return {
    type: "error",
    code: errorCodes.get(error.type ?? "") ?? "upstream_error",
    message: error.message ?? "The provider reported an error without a message.",
    ...(error.details && { details: error.details }),
  };
}
