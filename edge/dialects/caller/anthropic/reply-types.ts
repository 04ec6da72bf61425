/**
 * A message and its stream events as this service writes them, checked against the official client's types
 * (test/edge/dialects/caller/anthropic/types.test.ts). Blocks that only Anthropic has are passed on unchanged.
 */
import type { DialectName, ProviderData } from "../../../../shared/chat.ts";

/** What is known of a message before its answer begins. */
export type Envelope = {
  id: string;
  /** The model name as the caller sent it. */
  model: string;
  /** The provider that answers. */
  provider: DialectName;
};

export type TextBlock = { type: "text"; text: string; citations: never[] };
export type ThinkingBlock = { type: "thinking"; thinking: string; signature: string };
export type RedactedThinkingBlock = { type: "redacted_thinking"; data: string };
export type ToolUseBlock = {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
  caller: { type: "direct" };
};

/** A block at its start, and the same block when it is complete. */
export type AnswerBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock;
/** A block as Anthropic sent it, with fields that we do not know. */
export type NativeBlock = ProviderData & { type: string };

export type StopReason =
  | "end_turn"
  | "max_tokens"
  | "stop_sequence"
  | "tool_use"
  | "pause_turn"
  | "refusal"
  | "model_context_window_exceeded";

export type MessageUsage = {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number } | null;
  output_tokens_details: { thinking_tokens: number } | null;
  server_tool_use: null;
  service_tier: null;
  inference_geo: null;
  speed: null;
};

/** How an answer ended: `message_delta.delta`, and fields of a whole message. */
export type MessageStop = {
  stop_reason: StopReason;
  stop_sequence: string | null;
  stop_details: null;
  container: null;
  /** Other providers' notes about the answer (search results, citations), by provider. */
  extra_content?: ProviderData;
};

export type Message = MessageStop & {
  id: string;
  type: "message";
  role: "assistant";
  model: string;
  content: AnswerBlock[];
  diagnostics: null;
  usage: MessageUsage;
} & BesideUsage;

/** Fields beside the usage: of `message_delta` in a stream, of a whole message. */
export type BesideUsage = { context_management?: unknown; input_transformations?: unknown };

/** The field that each type of delta carries in a stream. */
export const deltaFields = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "signature",
  input_json_delta: "partial_json",
  citations_delta: "citation",
  compaction_delta: "content",
} as const;
export type DeltaType = keyof typeof deltaFields;

/** Where the blocks of an answer go, one open at a time, `index` counting them from 0. */
export type BlockSink = {
  start(index: number, block: AnswerBlock | NativeBlock): void;
  /** `more`: further fields of the delta. */
  delta(index: number, type: DeltaType, value: unknown, more?: ProviderData): void;
  stop(index: number): void;
};
