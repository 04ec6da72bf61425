/** Answers of POST /v1/chat/completions: whole, and as the chunks of a stream. */
import { z } from "zod";
import { ExtraContent, ReasoningDetail, serviceTiers } from "../../dialects/openai-extensions.ts";
import { OpenaiError } from "./errors.ts";
import { SvcMetadata } from "./svc-metadata.ts";

const AnswerImage = z.object({
  type: z.literal("image_url"),
  image_url: z.object({ url: z.string() }),
  index: z.int(),
  extra_content: ExtraContent.optional(),
});

const finishReason = z.enum(["stop", "length", "tool_calls", "content_filter"]);
const Logprobs = z.looseObject({ content: z.array(z.unknown()).nullable().optional() });

export const AnswerToolCall = z.union([
  z.object({
    id: z.string(),
    type: z.literal("function"),
    function: z.object({ name: z.string(), arguments: z.string() }),
    extra_content: ExtraContent.optional(),
  }),
  z.object({
    id: z.string(),
    type: z.literal("custom"),
    custom: z.object({ name: z.string(), input: z.string() }),
    extra_content: ExtraContent.optional(),
  }),
]);

/** Loose: what OpenAI adds to a message (annotations, audio) is passed on. */
const AnswerMessage = z.looseObject({
  role: z.literal("assistant"),
  content: z.string().nullable(),
  refusal: z.string().nullable(),
  reasoning_content: z.string().optional(),
  reasoning_details: z.array(ReasoningDetail).optional(),
  tool_calls: z.array(AnswerToolCall).optional(),
  images: z.array(AnswerImage).optional(),
  extra_content: ExtraContent.optional(),
});

/** Loose: a provider of this format reports counts beyond these. */
export const CompletionUsage = z.looseObject({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.looseObject({
    cached_tokens: z.int(),
    audio_tokens: z.int(),
    cache_write_tokens: z.int().optional(),
  }),
  completion_tokens_details: z.looseObject({
    reasoning_tokens: z.int(),
    audio_tokens: z.int(),
    accepted_prediction_tokens: z.int(),
    rejected_prediction_tokens: z.int(),
  }),
  cost: z.number().optional(),
});

const tier = z.enum(serviceTiers).optional();
const fingerprint = z.string().optional();

export const ChatCompletion = z.object({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.int(),
      message: AnswerMessage,
      logprobs: Logprobs.nullable(),
      finish_reason: finishReason,
      native_finish_reason: z.string().nullable(),
    }),
  ),
  usage: CompletionUsage.optional(),
  service_tier: tier,
  system_fingerprint: z.string().nullable(),
  svc: SvcMetadata,
});

const CallPiece = z.object({
  index: z.int(),
  id: z.string().optional(),
  type: z.enum(["function", "custom"]).optional(),
  function: z.object({ name: z.string().optional(), arguments: z.string().optional() }).optional(),
  custom: z.object({ name: z.string().optional(), input: z.string().optional() }).optional(),
  extra_content: ExtraContent.optional(),
});

export const ChatCompletionChunk = z.object({
  id: z.string(),
  object: z.literal("chat.completion.chunk"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.int(),
      delta: z.looseObject({
        role: z.literal("assistant").optional(),
        content: z.string().nullable().optional(),
        refusal: z.string().nullable().optional(),
        reasoning_content: z.string().optional(),
        reasoning_details: z.array(ReasoningDetail).optional(),
        tool_calls: z.array(CallPiece).optional(),
        images: z.array(AnswerImage).optional(),
        extra_content: ExtraContent.optional(),
      }),
      logprobs: Logprobs.nullable().optional(),
      finish_reason: finishReason.nullable(),
      native_finish_reason: z.string().nullable().optional(),
    }),
  ),
  usage: CompletionUsage.nullable().optional(),
  service_tier: tier,
  system_fingerprint: fingerprint,
  svc: SvcMetadata.optional(),
});

/** An event of a stream: a chunk, or an error instead of the stream's end. */
export const ChatCompletionEvent = z.union([ChatCompletionChunk, OpenaiError]);
