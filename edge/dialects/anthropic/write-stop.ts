/** How an answer ended, in this dialect's words: `message_delta.delta` of a stream, fields of a message. */
import type { ChatEvent, DialectName, FinishReason, ProviderData } from "../../../shared/chat.ts";
import type { MessageStop, StopReason } from "./message-types.ts";

type Finish = Extract<ChatEvent, { type: "finish" }>;

const stopReasons: Readonly<Record<FinishReason, StopReason>> = {
  stop: "end_turn",
  "stop-sequence": "stop_sequence",
  length: "max_tokens",
  "tool-calls": "tool_use",
  "content-filter": "refusal",
  refusal: "refusal",
  pause: "pause_turn",
  other: "end_turn",
};

export type WrittenStop = { stop: MessageStop; contextManagement: unknown };

/** Anthropic's own words go through as they came; of others' only the reason. */
export function writeStop(
  finish: Finish | undefined,
  provider: DialectName,
  said: { calls: boolean; refusal: boolean },
  notes: ProviderData | undefined,
): WrittenStop {
  const { reason = "other", raw = null, stopSequence, providerData } = finish ?? {};
  const native = provider === "anthropic" && raw !== null ? raw : undefined;
  // OpenAI says `stop` for a refusal, and others for calls.
  const open = reason === "stop" || reason === "other";
  const ended = open && said.calls ? "tool_use" : open && said.refusal ? "refusal" : stopReasons[reason];
  const { context_management: contextManagement, ...details } =
    provider === "anthropic" ? (providerData ?? {}) : ({} as ProviderData);
  return {
    stop: {
      stop_reason: (native ?? ended) as StopReason,
      stop_sequence: stopSequence ?? null,
      stop_details: null,
      container: null,
      ...details,
      ...(notes !== undefined && { extra_content: notes }),
    },
    contextManagement,
  };
}
