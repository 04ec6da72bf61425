/**
 * The body of POST /v1/messages as callers send it: a wrong known field is an error; an unknown top-level field
 * and an unknown kind of content block are kept whole, for the provider that understands them.
 * platform.claude.com/docs/en/api/messages
 */
import { z } from "zod";
import { createTable } from "../../../../shared/lookup-table.ts";
import { checkFieldNames } from "../../field-names.ts";
import { createReport, JsonObject, parseAs } from "../../json.ts";
import { FallbackModels, SvcOptions } from "../svc-options.ts";
import { maxTools, ToolChoiceInput, ToolInput } from "./tool-schema.ts";

export const TextBlockInput = z.looseObject({ type: z.literal("text"), text: z.string() });
export type TextBlockInput = z.infer<typeof TextBlockInput>;

const Base64Source = z.looseObject({
  type: z.literal("base64"),
  media_type: z.string().min(1),
  data: z.string().min(1),
});
const UrlSource = z.looseObject({ type: z.literal("url"), url: z.string().min(1) });
const FileSource = z.looseObject({ type: z.literal("file"), file_id: z.string().min(1) });

export const ImageBlockInput = z.looseObject({
  type: z.literal("image"),
  source: z.discriminatedUnion("type", [Base64Source, UrlSource, FileSource]),
});
export type ImageBlockInput = z.infer<typeof ImageBlockInput>;

const TextSource = z.looseObject({ type: z.literal("text"), media_type: z.string(), data: z.string() });
/** A document given as blocks, so that citations can point at them. */
const BlocksSource = z.looseObject({
  type: z.literal("content"),
  content: z.union([z.string(), z.array(z.discriminatedUnion("type", [TextBlockInput, ImageBlockInput]))]),
});

export const DocumentBlockInput = z.looseObject({
  type: z.literal("document"),
  source: z.discriminatedUnion("type", [Base64Source, TextSource, UrlSource, FileSource, BlocksSource]),
  title: z.string().nullish(),
});
export type DocumentBlockInput = z.infer<typeof DocumentBlockInput>;

export const SearchResultInput = z.looseObject({
  type: z.literal("search_result"),
  source: z.string(),
  title: z.string(),
  content: z.array(TextBlockInput),
});
export type SearchResultInput = z.infer<typeof SearchResultInput>;

export const ThinkingInput = z.looseObject({
  type: z.literal("thinking"),
  thinking: z.string(),
  signature: z.string().nullish(),
});
export type ThinkingInput = z.infer<typeof ThinkingInput>;

export const RedactedThinkingInput = z.looseObject({
  type: z.literal("redacted_thinking"),
  data: z.string(),
});
export type RedactedThinkingInput = z.infer<typeof RedactedThinkingInput>;

export const ToolUseInput = z.looseObject({
  type: z.literal("tool_use"),
  id: z.string().min(1),
  name: z.string().min(1),
  input: z.unknown(),
});
export type ToolUseInput = z.infer<typeof ToolUseInput>;

/**
 * OpenAI's kinds of content, which are refused. If they were left out as unknown blocks are, only the answer would show that something is
 * missing.
 */
const openaiParts: ReadonlySet<string> = new Set([
  "image_url",
  "input_image",
  "input_text",
  "output_text",
  "input_audio",
  "input_file",
  "file",
  "refusal",
]);

/**
 * `abort` stops the check at an empty type. Without it parseBounded ends the list of blocks there, but zod counts the list as
 * read, and later checks of the messages find holes in place of the other blocks.
 */
const OtherBlock = z.looseObject({
  type: z
    .string()
    .min(1, { abort: true })
    .refine((type) => !openaiParts.has(type), {
      abort: true,
      message: "is a kind of OpenAI's: send blocks of type text, image or document",
    }),
});
/** A block only the provider of this dialect understands. */
export type OtherBlockInput = z.infer<typeof OtherBlock>;

export const resultBlocks = {
  text: TextBlockInput,
  image: ImageBlockInput,
  document: DocumentBlockInput,
  search_result: SearchResultInput,
};

/** What a tool result may hold. */
export const ResultBlockInput = dispatch(resultBlocks);
export type ResultBlockInput = z.output<typeof ResultBlockInput>;

export const ToolResultInput = z.looseObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string().min(1),
  content: z.union([z.string(), z.array(ResultBlockInput)]).nullish(),
  is_error: z.boolean().nullish(),
});
export type ToolResultInput = z.infer<typeof ToolResultInput>;

export const blockSchemas = {
  ...resultBlocks,
  thinking: ThinkingInput,
  redacted_thinking: RedactedThinkingInput,
  tool_use: ToolUseInput,
  tool_result: ToolResultInput,
};
export const ContentBlockInput = dispatch(blockSchemas);
export type ContentBlockInput = z.output<typeof ContentBlockInput>;

/** `type` selects the schema of a block; a block whose type is not in the table is kept unchanged. */
function dispatch<T extends Readonly<Record<string, z.ZodType>>>(table: T) {
  const schemas = createTable<z.ZodType>(table);
  return OtherBlock.transform((block, context): z.output<T[keyof T]> | OtherBlockInput => {
    const schema = schemas[block.type];
    if (schema === undefined) return block;
    return parseAs(schema, block, context) as z.output<T[keyof T]>;
  });
}

const content = z.union([z.string(), z.array(ContentBlockInput)]);

/** A system message among the turns may have further fields, and then needs no content. */
export const MessageInput = z.discriminatedUnion("role", [
  z.looseObject({ role: z.literal("user"), content }),
  z.looseObject({ role: z.literal("assistant"), content }),
  z.looseObject({ role: z.literal("system"), content: content.optional() }),
]);
export type MessageInput = z.infer<typeof MessageInput>;

const ThinkingConfig = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("enabled"), budget_tokens: z.int().min(1024) }),
  z.looseObject({ type: z.literal("disabled") }),
  z.looseObject({ type: z.literal("between_tools") }),
  z.looseObject({ type: z.literal("adaptive") }),
]);

const OutputFormat = z.looseObject({ type: z.literal("json_schema"), schema: JsonObject }).nullish();

const OutputConfig = z.looseObject({
  effort: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(),
  format: OutputFormat,
});

/** The fields that make up the prompt: also what a token count needs. */
const promptFields = {
  model: z.string().min(1),
  messages: z.array(MessageInput).min(1),
  system: z.union([z.string(), z.array(TextBlockInput)]).nullish(),
  tools: z.array(ToolInput).max(maxTools).nullish(),
  tool_choice: ToolChoiceInput.nullish(),
  thinking: ThinkingConfig.nullish(),
  output_config: OutputConfig.nullish(),
  /** The beta's name of `output_config.format`. */
  output_format: OutputFormat,
};

export const CountTokensRequest = z.looseObject(promptFields).superRefine(checkTurns);
export type CountTokensRequest = z.infer<typeof CountTokensRequest>;

export const MessagesRequest = z
  .looseObject({
    ...promptFields,
    max_tokens: z.int().min(1),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    top_k: z.int().min(0).nullish(),
    stream: z.boolean().nullish(),
    stop_sequences: z.array(z.string()).nullish(),
    metadata: z.looseObject({ user_id: z.string().nullish() }).nullish(),
    service_tier: z.enum(["auto", "standard_only"]).nullish(),
    models: FallbackModels,
    svc: SvcOptions,
  })
  .superRefine(checkTurns);
export type MessagesRequest = z.infer<typeof MessagesRequest>;

function checkTurns(body: CountTokensRequest, context: z.RefinementCtx): void {
  const report = createReport(context);
  checkFieldNames(body, report);
  const forced = body.tool_choice?.type === "tool" ? body.tool_choice.name : undefined;
  if (forced !== undefined && !body.tools?.some(({ name }) => name === forced)) {
    report(["tool_choice", "name"], "names a tool that is not in tools");
  }
  // A block that is kept unchanged may have an id of any type.
  const called = new Set<unknown>();
  for (const [index, { role, content }] of body.messages.entries()) {
    if (typeof content !== "object") continue;
    for (const [position, block] of content.entries()) {
      const path = ["messages", index, "content", position];
      if (block.type === "tool_use" || /_tool_use$/.test(block.type)) called.add(block.id);
      if (block.type !== "tool_result") continue;
      if (role !== "user") report([...path, "type"], "a tool_result belongs in a user message");
      else if (!called.has(block.tool_use_id))
        report([...path, "tool_use_id"], "answers no tool_use of an earlier assistant message");
    }
  }
}
