/** The end of an answer in this dialect's format: its status, its token counts, or its error. */
import { billableOutput, type FinishReason, type Usage } from "../../../../shared/chat.ts";
import { errorTable, type GatewayError } from "../../../../shared/errors.ts";
import type { ServiceTier } from "../../openai-extensions.ts";
import type { ResponseBody, ResponseError, ResponseUsage } from "./reply-types.ts";

/** What an answer said about itself; `tier` is OpenAI's tier that served it. */
export type Said = { reason: FinishReason; refused: boolean; tier: ServiceTier | undefined };

type End = Pick<ResponseBody, "status" | "incomplete_details"> & { service_tier?: ServiceTier };

/** Why an answer is not complete, by how it ended; undefined: it is complete. */
const cutShort: Readonly<Record<FinishReason, "max_output_tokens" | "content_filter" | undefined>> = {
  stop: undefined,
  "stop-sequence": undefined,
  length: "max_output_tokens",
  "tool-calls": undefined,
  "content-filter": "content_filter",
  refusal: "content_filter",
  pause: undefined,
  other: undefined,
};

/** A refusal with text is a completed answer; a refusal without text comes from a content filter. */
export function writeEnd({ reason, refused, tier }: Said): End {
  const why = reason === "refusal" && refused ? undefined : cutShort[reason];
  const served = tier === undefined ? {} : { service_tier: tier };
  return why === undefined
    ? { ...served, status: "completed", incomplete_details: null }
    : { ...served, status: "incomplete", incomplete_details: { reason: why } };
}

export function writeUsage(usage: Usage): ResponseUsage {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cachedInput, cache_write_tokens: usage.cacheWrite },
    output_tokens: billableOutput(usage),
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.total,
    ...(usage.costUsd !== undefined && { cost: usage.costUsd }),
  };
}

/**
 * OpenAI's codes for a response that failed after it had begun. Clients retry after the first, and shorten the input after the
 * second.
 */
export function writeFailure({ code, message }: GatewayError): ResponseError {
  if (code === "context_length_exceeded") return { code, message };
  const limited = errorTable[code].status === 429;
  return { code: limited ? "rate_limit_exceeded" : "server_error", message };
}
