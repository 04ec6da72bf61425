/**
 * The body of POST /v1/chat/completions as callers send it, after OpenAI's API reference plus the reasoning
 * fields that OpenRouter, DeepSeek and Gemini return in answers (callers send those back). A wrong known field
 * is an error; an unknown top-level one is kept.
 */
import { z } from "zod";
import { checkFieldNames } from "../../field-names.ts";
import { createReport, JsonObject } from "../../json.ts";
import { ExtraContent, ReasoningDetail } from "../../openai-extensions.ts";
import { AudioContent, EffortInput, ImageDetail, RefusalContent } from "../openai-requests.ts";
import { FallbackModels, SvcOptions } from "../svc-options.ts";
import { readToolName, ToolChoiceInput, ToolInput } from "./tool-schema.ts";

const TextContent = z.looseObject({ type: z.literal("text"), text: z.string() });
const ImageUrl = z.looseObject({ url: z.string().min(1), detail: ImageDetail });
const wrapUrl = (url: string) => ({ url });
/** Mistral's clients send the URL alone, and LangChain's messages may. */
const BareUrl = z.string().transform(wrapUrl).pipe(ImageUrl);
const ImageContent = z.looseObject({ type: z.literal("image_url"), image_url: ImageUrl.or(BareUrl) });
const FileContent = z.looseObject({
  type: z.literal("file"),
  file: z.looseObject({
    file_data: z.string().nullish(),
    file_id: z.string().nullish(),
    filename: z.string().nullish(),
  }),
});

const UserContent = z.discriminatedUnion("type", [TextContent, ImageContent, AudioContent, FileContent]);
const AssistantContent = z.discriminatedUnion("type", [TextContent, RefusalContent]);
/** OpenAI takes only text in tool results; images are accepted here, and moved for providers that refuse them. */
const ToolContent = z.discriminatedUnion("type", [TextContent, ImageContent, FileContent]);

export type ContentPartInput =
  | z.infer<typeof UserContent>
  | z.infer<typeof AssistantContent>
  | z.infer<typeof ToolContent>;

const CustomCallInput = z.looseObject({
  id: z.string().min(1),
  type: z.literal("custom"),
  custom: z.looseObject({ name: z.string().min(1), input: z.string() }),
  extra_content: ExtraContent.nullish(),
});
const FunctionCallInput = z.looseObject({
  id: z.string().min(1),
  type: z.literal("function").default("function"),
  function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
  extra_content: ExtraContent.nullish(),
});
export const ToolCallInput = z.union([FunctionCallInput, CustomCallInput]);
export type ToolCallInput = z.infer<typeof ToolCallInput>;

/** A picture of an earlier answer. */
export const AnswerImageInput = ImageContent.extend({ extra_content: ExtraContent.nullish() });
export type AnswerImageInput = z.infer<typeof AnswerImageInput>;

const name = z.string().nullish();
/** `null` is an empty text in every role: clients keep turns in which nothing was said. */
const contentOf = <Part extends z.ZodType>(part: Part) => z.union([z.string(), z.array(part)]).nullable();
const instructions = contentOf(TextContent);

export const ChatMessageInput = z.discriminatedUnion("role", [
  z.looseObject({ role: z.literal("system"), content: instructions, name }),
  z.looseObject({ role: z.literal("developer"), content: instructions, name }),
  z.looseObject({ role: z.literal("user"), content: contentOf(UserContent), name }),
  z.looseObject({
    role: z.literal("assistant"),
    content: contentOf(AssistantContent).optional(),
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
    /** Absent for an empty output: Go's clients leave out empty fields. */
    content: contentOf(ToolContent).optional(),
    tool_call_id: z.string().min(1),
    name,
  }),
]);
export type ChatMessageInput = z.infer<typeof ChatMessageInput>;
export type AssistantMessageInput = Extract<ChatMessageInput, { role: "assistant" }>;

const ResponseFormatInput = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text") }),
  z.looseObject({ type: z.literal("json_object") }),
  z.looseObject({
    type: z.literal("json_schema"),
    json_schema: z.looseObject({
      name: z.string().min(1),
      description: z.string().nullish(),
      schema: JsonObject.nullish(),
      strict: z.boolean().nullish(),
    }),
  }),
]);

/** OpenAI's is an int64, so clients draw seeds from that whole range. */
const Seed = z
  .number()
  .refine(Number.isInteger, { message: "Invalid input: expected int" })
  .min(-(2 ** 63))
  .max(2 ** 63)
  .meta({ type: "integer" });

const outputTokens = z.int().min(1).nullish();
const penalty = z.number().min(-2).max(2).nullish();

/** The fields that we know; `null` means the same as absent, as with OpenAI. */
export const ChatCompletionRequest = z
  .looseObject({
    model: z.string().min(1),
    messages: z.array(ChatMessageInput).min(1),
    temperature: z.number().min(0).max(2).nullish(),
    max_tokens: outputTokens,
    max_completion_tokens: outputTokens,
    top_p: z.number().min(0).max(1).nullish(),
    top_k: z.int().min(0).nullish(),
    stream: z.boolean().nullish(),
    stream_options: z
      .looseObject({
        include_usage: z.boolean().nullish(),
        include_obfuscation: z.boolean().nullish(),
      })
      .nullish(),
    /** OpenRouter's form of stream_options.include_usage. */
    usage: z.looseObject({ include: z.boolean().nullish() }).nullish(),
    stop: z.union([z.string(), z.array(z.string())]).nullish(),
    n: z.int().min(1).max(128).nullish(),
    presence_penalty: penalty,
    frequency_penalty: penalty,
    user: z.string().nullish(),
    tools: z.array(ToolInput).max(100).nullish(),
    tool_choice: ToolChoiceInput.nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    response_format: ResponseFormatInput.nullish(),
    seed: Seed.nullish(),
    logprobs: z.boolean().nullish(),
    top_logprobs: z.int().min(0).max(20).nullish(),
    logit_bias: z.record(z.string(), z.number().min(-100).max(100)).nullish(),
    reasoning_effort: EffortInput,
    /** OpenRouter's form of `reasoning_effort`. */
    reasoning: z.looseObject({ effort: EffortInput, max_tokens: z.int().min(0).nullish() }).nullish(),
    metadata: JsonObject.nullish(),
    service_tier: z.string().nullish(),
    models: FallbackModels,
    svc: SvcOptions,
  })
  .superRefine(checkBody);
export type ChatCompletionRequest = z.infer<typeof ChatCompletionRequest>;

type Chosen = { name: string; path: (string | number)[] };

/** Every tool that the choice names, with the path of the field that names it. */
function listChosen(choice: ToolChoiceInput | null | undefined): Chosen[] {
  if (typeof choice !== "object" || choice === null) return [];
  if (choice.type !== "allowed_tools") return [{ name: readToolName(choice), path: ["function", "name"] }];
  const { tools } = choice.allowed_tools;
  return tools.map((tool, index) => ({ name: readToolName(tool), path: ["allowed_tools", "tools", index] }));
}

/** What concerns several fields together. */
function checkBody(body: ChatCompletionRequest, context: z.RefinementCtx): void {
  const report = createReport(context);
  checkFieldNames(body, report);
  if (typeof body.top_logprobs === "number" && body.logprobs !== true) {
    report(["top_logprobs"], "needs logprobs: true");
  }
  // The answer would need the older form too: if `functions` were ignored, programs would wait for calls that never come.
  if (Array.isArray(body.functions) && body.functions.length > 0 && !body.tools?.length) {
    report(
      ["functions"],
      "is the older form of tools and not taken: send tools and tool_choice, read tool_calls",
    );
  }
  for (const { name, path } of listChosen(body.tool_choice)) {
    if (!body.tools?.some((tool) => readToolName(tool) === name))
      report(["tool_choice", ...path], "names a function that is not in tools");
  }
  const called = new Set<string>();
  for (const [index, message] of body.messages.entries()) {
    if (message.role === "assistant") {
      for (const { id } of message.tool_calls ?? []) called.add(id);
      if (isSilent(message))
        report(["messages", index, "content"], "is required where there are no tool_calls");
    } else if (message.role === "tool" && !called.has(message.tool_call_id)) {
      report(["messages", index, "tool_call_id"], "answers no tool call of an earlier assistant message");
    } else if (message.role === "user" && Array.isArray(message.content)) {
      for (const [partIndex, part] of message.content.entries()) {
        if (part.type === "file" && !part.file.file_data && !part.file.file_id) {
          report(["messages", index, "content", partIndex, "file"], "needs file_data or file_id");
        }
      }
    }
  }
}

/** Whether no field of an assistant's turn says anything. One that was cut while it thought, or holds only pictures, needs no content. */
function isSilent({ tool_calls: calls, reasoning_details: details, images, ...said }: AssistantMessageInput) {
  const { content, refusal, audio, reasoning, reasoning_content: thought } = said;
  const isSaid =
    content !== undefined || (refusal ?? audio ?? reasoning ?? thought ?? undefined) !== undefined;
  return !isSaid && [calls, details, images].every((list) => !list?.length);
}
