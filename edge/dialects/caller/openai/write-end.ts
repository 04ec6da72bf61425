/** The end of an answer in OpenAI's format: the finish reason and the token counts. */
import type { FinishReason, Usage } from "../../../../shared/chat.ts";
import { type JsonObject, present, readObject } from "../../json.ts";

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

/** After `tool_calls` without a call agents ask again and again (github.com/Kilo-Org/kilocode/pull/7773). */
export function writeFinishReason(reason: FinishReason, toolsCalled: boolean): WireFinishReason {
  const wire = toWire[reason];
  if (wire === "tool_calls" && !toolsCalled) return "stop";
  return toolsCalled && wire === "stop" && reason !== "pause" ? "tool_calls" : wire;
}

export type CompletionUsage = {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details: { cached_tokens: number; audio_tokens: number; cache_write_tokens?: number };
  completion_tokens_details: {
    reasoning_tokens: number;
    audio_tokens: number;
    accepted_prediction_tokens: number;
    rejected_prediction_tokens: number;
  };
  /** Credits that this service charged. */
  cost?: number;
};

/** The provider's counts that are not null: clients that read each count as a number fail on null. */
const listCounts = (details: unknown) => present(readObject(details) ?? {});

/**
 * The `usage` of an answer. If the provider spoke this format, its own object is passed on (its total, its extra fields), and the
 * hub's counts fill what it left out. Every count that OpenAI always sends is present: clients with fixed types (Kotlin, Swift,
 * PHP, Rust) fail to read the usage, or the whole answer, if one is missing.
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
      ...listCounts(raw.prompt_tokens_details),
      cached_tokens: usage.cachedInput,
      audio_tokens: usage.audioInput ?? 0,
      ...(usage.cacheWrite !== 0 && { cache_write_tokens: usage.cacheWrite }),
    },
    completion_tokens_details: {
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
      ...listCounts(raw.completion_tokens_details),
      reasoning_tokens: usage.reasoning,
      audio_tokens: usage.audioOutput ?? 0,
    },
  };
}

function readOwnFormat(raw: JsonObject | undefined): JsonObject {
  return raw !== undefined && "prompt_tokens" in raw ? raw : {};
}
