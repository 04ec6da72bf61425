/**
 * Token counts between the hub and OpenAI's `usage` object, with the variants of servers that imitate it:
 * DeepSeek's `prompt_cache_hit_tokens`, Moonshot's top-level `cached_tokens`, OpenRouter's `cost`.
 */
import type { Usage } from "../../../shared/chat.ts";
import { type JsonObject, readNumber, readObject } from "./json-values.ts";

export type CompletionUsage = {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details: { cached_tokens: number; cache_write_tokens?: number; audio_tokens?: number };
  completion_tokens_details: { reasoning_tokens: number; audio_tokens?: number };
  /** Credits this service charged (on a caller's own key the provider's figure, where it gives one). */
  cost?: number;
};

/**
 * Undefined where input or output cannot be read as a finite number: zero would be believed, absent is
 * counted by us.
 */
export function readUsage(value: unknown): Usage | undefined {
  const raw = readObject(value);
  if (raw === undefined) return undefined;
  const input = readNumber(raw.prompt_tokens);
  const reportedTotal = readNumber(raw.total_tokens);
  const output =
    readNumber(raw.completion_tokens) ??
    (input !== undefined && reportedTotal !== undefined ? reportedTotal - input : undefined);
  if (input === undefined || output === undefined) return undefined;
  const prompt = readObject(raw.prompt_tokens_details) ?? {};
  const completion = readObject(raw.completion_tokens_details) ?? {};
  const audioInput = readNumber(prompt.audio_tokens);
  const audioOutput = readNumber(completion.audio_tokens);
  const imageOutput = readNumber(completion.image_tokens);
  const costUsd = readNumber(raw.cost);
  return {
    input,
    output,
    total: reportedTotal ?? input + output,
    cachedInput:
      readNumber(prompt.cached_tokens) ??
      readNumber(raw.prompt_cache_hit_tokens) ??
      readNumber(raw.cached_tokens) ??
      0,
    cacheWrite: readNumber(prompt.cache_write_tokens) ?? 0,
    reasoning: readNumber(completion.reasoning_tokens) ?? 0,
    ...(audioInput !== undefined && { audioInput }),
    ...(audioOutput !== undefined && { audioOutput }),
    ...(imageOutput !== undefined && { imageOutput }),
    ...(costUsd !== undefined && { costUsd }),
    raw,
  };
}

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
