/** Answers of POST /v1/messages and its counter. Loose where Claude's own words are passed on as they came. */
import { z } from "zod";
import { AnthropicError } from "./errors.ts";

const AnswerBlock = z.union([
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
  z.looseObject({ type: z.literal("redacted_thinking"), data: z.string() }),
  z.looseObject({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown() }),
  z.looseObject({ type: z.string() }),
]);

const MessageUsage = z.looseObject({
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_creation_input_tokens: z.int().nullable().optional(),
  cache_read_input_tokens: z.int().nullable().optional(),
  output_tokens_details: z.looseObject({ thinking_tokens: z.int() }).nullable().optional(),
});

export const Message = z.looseObject({
  id: z.string(),
  type: z.literal("message"),
  role: z.literal("assistant"),
  model: z.string(),
  content: z.array(AnswerBlock),
  stop_reason: z.string(),
  stop_sequence: z.string().nullable(),
  usage: MessageUsage,
});

const at = { index: z.int() };
export const MessageEvent = z.union([
  z.looseObject({ type: z.literal("message_start"), message: z.looseObject({ id: z.string() }) }),
  z.looseObject({ type: z.literal("content_block_start"), ...at, content_block: AnswerBlock }),
  z.looseObject({
    type: z.literal("content_block_delta"),
    ...at,
    delta: z.looseObject({ type: z.string() }),
  }),
  z.looseObject({ type: z.literal("content_block_stop"), ...at }),
  z.looseObject({
    type: z.literal("message_delta"),
    delta: z.looseObject({ stop_reason: z.string() }),
    usage: z.looseObject({ output_tokens: z.int() }),
    svc: z.object({ credits_charged: z.number().optional() }).optional(),
  }),
  z.looseObject({ type: z.enum(["message_stop", "ping"]) }),
  // After the first word: the last event.
  AnthropicError,
]);

export const TokenCount = z.object({ input_tokens: z.int().min(0) });
