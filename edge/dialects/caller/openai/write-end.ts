/** The end of an answer in OpenAI's words: why it ended and the tokens it took. */
import type { FinishReason, Usage } from "../../../../shared/chat.ts";
import { type JsonObject, readObject } from "../../json.ts";

export type WireFinishReason = "stop" | "length" | "tool_calls" | "content_filter";

const toWire: Readonly<Record<FinishReason, WireFinishReason>> = {
  stop: "stop",
  "stop-sequence": "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
  refusal: "content_filter",
  pause: "stop",
  other: "stop",
};

export function writeFinishReason(reason: FinishReason, toolsCalled: boolean): WireFinishReason {
  const wire = toWire[reason];
  return toolsCalled && wire === "stop" && reason !== "pause" ? "tool_calls" : wire;
}

export type CompletionUsage = {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details: { cached_tokens: number; cache_write_tokens?: number; audio_tokens?: number };
  completion_tokens_details: { reasoning_tokens: number; audio_tokens?: number };
  /** Credits this service charged. */
  cost?: number;
};

/**
 * The `usage` of an answer. Where the provider spoke this format its own object goes through (its total,
 * its extra fields); the hub's figures fill what it left out.
 */
export function writeUsage(usage: Usage): CompletionUsage {
  const raw = readOwnFormat(usage.raw);
  return {
    ...raw,
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.total,
    ...(usage.costUsd !== undefined && { cost: usage.costUsd }),
    prompt_tokens_details: {
      ...readObject(raw.prompt_tokens_details),
      cached_tokens: usage.cachedInput,
      ...(usage.cacheWrite !== 0 && { cache_write_tokens: usage.cacheWrite }),
      ...(usage.audioInput !== undefined && { audio_tokens: usage.audioInput }),
    },
    completion_tokens_details: {
      ...readObject(raw.completion_tokens_details),
      reasoning_tokens: usage.reasoning,
      ...(usage.audioOutput !== undefined && { audio_tokens: usage.audioOutput }),
    },
  };
}

function readOwnFormat(raw: JsonObject | undefined): JsonObject {
  return raw !== undefined && "prompt_tokens" in raw ? raw : {};
}
