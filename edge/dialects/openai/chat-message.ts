/**
 * Messages of POST /v1/chat/completions as callers send them: one schema per role and content part, after
 * OpenAI's API reference plus the reasoning fields OpenRouter, DeepSeek and Gemini return in answers
 * (callers send those back). Only the shape; what a message must mean is in chat-request.ts.
 */
import { z } from "zod";

/** Gemini's OpenAI format: `{google: {thought_signature}}`, a seal to be sent back unchanged. */
const ExtraContent = z.looseObject({
  google: z.looseObject({ thought_signature: z.string().nullish() }).nullish(),
  /** A whole turn of Claude as it wrote it, where this format cannot say it all: sent back unchanged. */
  anthropic: z.looseObject({ content: z.array(z.unknown()) }).nullish(),
});

export const TextContent = z.looseObject({ type: z.literal("text"), text: z.string() });
export const ImageContent = z.looseObject({
  type: z.literal("image_url"),
  image_url: z.looseObject({ url: z.string().min(1), detail: z.enum(["auto", "low", "high"]).nullish() }),
});
export const AudioContent = z.looseObject({
  type: z.literal("input_audio"),
  input_audio: z.looseObject({ data: z.string().min(1), format: z.string().min(1) }),
});
export const FileContent = z.looseObject({
  type: z.literal("file"),
  file: z.looseObject({
    file_data: z.string().nullish(),
    file_id: z.string().nullish(),
    filename: z.string().nullish(),
  }),
});
export const RefusalContent = z.looseObject({ type: z.literal("refusal"), refusal: z.string() });

export const UserContent = z.discriminatedUnion("type", [
  TextContent,
  ImageContent,
  AudioContent,
  FileContent,
]);
export const AssistantContent = z.discriminatedUnion("type", [TextContent, RefusalContent]);
/** OpenAI's own tool results are text; images are taken here and adapted for providers that refuse them. */
export const ToolContent = z.discriminatedUnion("type", [TextContent, ImageContent, FileContent]);

export type ContentPartInput =
  | z.infer<typeof UserContent>
  | z.infer<typeof AssistantContent>
  | z.infer<typeof ToolContent>;

export const ToolCallInput = z.looseObject({
  id: z.string().min(1),
  type: z.literal("function").default("function"),
  function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
  extra_content: ExtraContent.nullish(),
});
export type ToolCallInput = z.infer<typeof ToolCallInput>;

/** A picture of an earlier answer. */
const AnswerImageInput = ImageContent.extend({ extra_content: ExtraContent.nullish() });
export type AnswerImageInput = z.infer<typeof AnswerImageInput>;

/**
 * One entry of OpenRouter's `reasoning_details`. Loose: `id`, `format` and `index` belong to the provider
 * that wrote it. Pieces of one entry, as a stream gives them, carry the same `index`.
 */
export const ReasoningDetail = z.looseObject({
  type: z.string(),
  text: z.string().nullish(),
  summary: z.string().nullish(),
  signature: z.string().nullish(),
  data: z.string().nullish(),
  index: z.number().nullish(),
});
export type ReasoningDetail = z.infer<typeof ReasoningDetail>;

const name = z.string().nullish();
const instructions = z.union([z.string(), z.array(TextContent)]);

export const ChatMessageInput = z.discriminatedUnion("role", [
  z.looseObject({ role: z.literal("system"), content: instructions, name }),
  z.looseObject({ role: z.literal("developer"), content: instructions, name }),
  z.looseObject({ role: z.literal("user"), content: z.union([z.string(), z.array(UserContent)]), name }),
  z.looseObject({
    role: z.literal("assistant"),
    content: z.union([z.string(), z.array(AssistantContent)]).nullish(),
    name,
    refusal: z.string().nullish(),
    tool_calls: z.array(ToolCallInput).nullish(),
    audio: z.looseObject({ id: z.string() }).nullish(),
    reasoning: z.string().nullish(),
    reasoning_content: z.string().nullish(),
    reasoning_details: z.array(ReasoningDetail).nullish(),
    images: z.array(AnswerImageInput).nullish(),
    extra_content: ExtraContent.nullish(),
  }),
  z.looseObject({
    role: z.literal("tool"),
    content: z.union([z.string(), z.array(ToolContent)]),
    tool_call_id: z.string().min(1),
    name,
  }),
]);
export type ChatMessageInput = z.infer<typeof ChatMessageInput>;
export type AssistantMessageInput = Extract<ChatMessageInput, { role: "assistant" }>;
