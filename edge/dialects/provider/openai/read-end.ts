/**
 * The end of an answer in the hub's form: the finish reason, or the failure that stands in its place, and the token counts, with the
 * variants of servers that imitate OpenAI (DeepSeek's `prompt_cache_hit_tokens`, Moonshot's top-level `cached_tokens`, OpenRouter's
 * `cost`). Another vendor's new finish reason comes here, too, where a server passes it on.
 */
import type { FinishReason, ProviderData, Usage } from "../../../../shared/chat.ts";
import { createTable } from "../../../../shared/lookup-table.ts";
import { readNumber, readObject } from "../../json.ts";
import { type ErrorEvent, truncated } from "../dialect.ts";
import { createErrorEvent } from "./read-error.ts";
import type { Choice } from "./schema.ts";

/** OpenAI's four reasons, and those of servers that imitate it (Mistral, GLM, MiMo) or pass on Gemini's and Bedrock's own. */
const finishReasons = createTable<FinishReason>({
  stop: "stop",
  eos: "stop",
  end_turn: "stop",
  stop_sequence: "stop-sequence",
  length: "length",
  max_tokens: "length",
  max_output_tokens: "length",
  model_length: "length",
  model_context_window_exceeded: "length",
  repetition_truncation: "length",
  tool_calls: "tool-calls",
  tool_use: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
  content_filtered: "content-filter",
  guardrail_intervened: "content-filter",
  sensitive: "content-filter",
  safety: "content-filter",
  recitation: "content-filter",
  blocklist: "content-filter",
  prohibited_content: "content-filter",
  spii: "content-filter",
  refusal: "refusal",
});

/**
 * The word of a reason. Servers in front of Gemini write it in capitals (github.com/QwenLM/qwen-code/issues/9882), and Google's own OpenAI
 * format adds what was filtered ("content_filter: RECITATION").
 */
export const readWord = (raw: string): string => raw.toLowerCase().replace(/:.*/s, "").trim();

/**
 * OpenAI reports `stop` for a tool that was forced by name: with tool calls in the answer that is `tool-calls`. `native`: OpenRouter's
 * `native_finish_reason`, the vendor's own word, which tells a stop sequence from the answer's end.
 */
export function readFinishReason(raw: string, native: string | null, toolsCalled: boolean): FinishReason {
  const reason = finishReasons[readWord(raw)] ?? "other";
  if (toolsCalled && (reason === "stop" || reason === "other")) return "tool-calls";
  return reason === "stop" && native === "stop_sequence" ? "stop-sequence" : reason;
}

/** Finish reasons that say that the model wrote a tool call that cannot be read. */
const unreadableCall = /MALFORMED_FUNCTION_CALL|function_call_filter/;

const describeUnreadableCall = (reason: string): ErrorEvent => ({
  type: "error",
  code: "upstream_error",
  message: `The model wrote a tool call that cannot be read (${reason}); retry the request.`,
});
const outOfResources: ErrorEvent = {
  type: "error",
  code: "upstream_overloaded",
  message: "The provider ran out of resources before the answer was complete; retry the request.",
};

/**
 * Finish reasons of an answer that is not whole, for which no caller's dialect has a word. vLLM and SGLang send theirs when the engine
 * drops an answer, for example because it is stopped or scaled down; the others are GLM's and DeepSeek's.
 */
const failures = createTable<ErrorEvent>({
  abort: truncated,
  aborted: truncated,
  network_error: truncated,
  insufficient_system_resource: outOfResources,
});

/** The error that a choice ends with, if any; OpenRouter puts vendors' failures here. */
export function readFailure(entry: Choice): ErrorEvent | undefined {
  if (readObject(entry.error) !== undefined) return createErrorEvent(entry.error);
  const raw = entry.finish_reason || undefined;
  if (raw === undefined) return undefined;
  const word = readWord(raw);
  const native = entry.native_finish_reason || null;
  // Google's own OpenAI format has "function_call_filter: MALFORMED_FUNCTION_CALL"; OpenRouter "error" or "stop", and the word beside it.
  if (unreadableCall.test(raw)) return describeUnreadableCall(raw);
  if ((word === "error" || word === "stop") && native !== null && unreadableCall.test(native))
    return describeUnreadableCall(native);
  // OpenRouter may send "stop" for an answer whose host failed, and say only in the word beside it that it failed
  // (github.com/OleksandrChekhovskyi/hax/pull/15).
  if (word === "error" || (word === "stop" && native === "error")) return createErrorEvent(entry.error);
  return failures[word] ?? (word === "stop" && native !== null ? failures[native] : undefined);
}

/**
 * US dollars. If the operator has own keys at the aggregator, `cost` is only the aggregator's fee, and what the provider bills stands
 * beside it (openrouter.ai/docs, "Usage accounting"). Other reports have that second figure, too, but there it is part of `cost`.
 */
function readCost({
  cost,
  is_byok: isOwnKey,
  cost_details: details,
}: Record<string, unknown>): number | undefined {
  const fee = readNumber(cost);
  const upstream = isOwnKey === true ? readNumber(readObject(details)?.upstream_inference_cost) : undefined;
  return upstream === undefined ? fee : (fee ?? 0) + upstream;
}

/**
 * Read without a schema: some servers send usage in every chunk, where a schema costs 5 % (0.13 us). Undefined if input or output is
 * no finite number (a zero would be charged as zero, a missing report is replaced by our count), unless a cost is reported: then zeros
 * with that cost.
 */
export function readUsage(value: unknown): Usage | undefined {
  const raw = readObject(value);
  if (raw === undefined) return undefined;
  const input = readNumber(raw.prompt_tokens);
  const reportedTotal = readNumber(raw.total_tokens);
  const output =
    readNumber(raw.completion_tokens) ??
    (input !== undefined && reportedTotal !== undefined ? reportedTotal - input : undefined);
  const costUsd = readCost(raw);
  if (input === undefined || output === undefined) return readCostAlone(costUsd, raw);
  const prompt = readObject(raw.prompt_tokens_details) ?? {};
  const completion = readObject(raw.completion_tokens_details) ?? {};
  const audioInput = readNumber(prompt.audio_tokens);
  const audioOutput = readNumber(completion.audio_tokens);
  const imageOutput = readNumber(completion.image_tokens);
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

const readCostAlone = (costUsd: number | undefined, raw: ProviderData): Usage | undefined =>
  costUsd === undefined || costUsd <= 0
    ? undefined
    : { input: 0, output: 0, total: 0, cachedInput: 0, cacheWrite: 0, reasoning: 0, costUsd, raw };
