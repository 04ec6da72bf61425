/**
 * Content blocks of POST /v1/messages as callers send them. Known kinds are checked; a kind we do not know
 * (a server tool's, a newer one) is kept whole, for the provider that understands it.
 * platform.claude.com/docs/en/api/messages
 */
import { z } from "zod";

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

const OtherBlock = z.looseObject({ type: z.string().min(1) });
/** A block only the provider of this dialect understands. */
export type OtherBlockInput = z.infer<typeof OtherBlock>;

const resultBlocks = {
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

export const ContentBlockInput = dispatch({
  ...resultBlocks,
  thinking: ThinkingInput,
  redacted_thinking: RedactedThinkingInput,
  tool_use: ToolUseInput,
  tool_result: ToolResultInput,
});
export type ContentBlockInput = z.output<typeof ContentBlockInput>;

/** `type` decides which schema a block is held to; one the table does not know is kept as it came. */
function dispatch<T extends Readonly<Record<string, z.ZodType>>>(table: T) {
  const schemas: Readonly<Record<string, z.ZodType>> = Object.assign(Object.create(null), table);
  return OtherBlock.transform((block, context): z.output<T[keyof T]> | OtherBlockInput => {
    const schema = schemas[block.type];
    if (schema === undefined) return block;
    const parsed = schema.safeParse(block);
    if (parsed.success) return parsed.data as z.output<T[keyof T]>;
    for (const { path, message } of parsed.error.issues) context.addIssue({ code: "custom", path, message });
    return z.NEVER;
  });
}
