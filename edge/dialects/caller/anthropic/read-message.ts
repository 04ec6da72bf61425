/**
 * A caller's content blocks as the hub's parts. What a block holds beside its known fields (a cache mark,
 * citations) becomes its `providerData`; seals of other providers return to the parts they belong to.
 */
import type {
  ContentPart,
  FilePart,
  ImagePart,
  OpaquePart,
  ProviderData,
  TextPart,
  ToolResultPart,
} from "../../../../shared/chat.ts";
import { createTable } from "../../../../shared/lookup-table.ts";
import { encodeBase64Text } from "../../base64.ts";
import { resolveMediaSource } from "../../inline-media.ts";
import { present, readText, withData } from "../../json.ts";
import { markLast } from "../../openai-extensions.ts";
import { unsealReasoning } from "../seals.ts";
import type {
  ContentBlockInput,
  DocumentBlockInput,
  ImageBlockInput,
  OtherBlockInput,
  RedactedThinkingInput,
  SearchResultInput,
  TextBlockInput,
  ThinkingInput,
  ToolResultInput,
  ToolUseInput,
} from "./schema.ts";
import { createSealedParts, isWrapped, readBlockSeal, readThinkingSeal, readToolUseId } from "./seals.ts";

type Media = TextPart | ImagePart | FilePart | OpaquePart;

/** Drops fields that are `null`, which means the same as absent. */
const rest = (fields: ProviderData) => withData(present(fields));

const opaque = (data: ProviderData, fallback?: OpaquePart["fallback"]): OpaquePart => ({
  type: "opaque",
  dialect: "anthropic",
  data,
  ...(fallback && { fallback }),
});

export function readTextBlock({ type: _type, text, ...fields }: TextBlockInput): TextPart {
  return { type: "text", text, ...rest(fields) };
}

function readImage(block: ImageBlockInput): ImagePart | OpaquePart {
  const { type: _type, source, ...fields } = block;
  // A file id means something only to the provider that gave it.
  if (source.type === "file") return opaque(block);
  const resolved = resolveMediaSource(
    source.type === "url"
      ? { kind: "url", url: source.url }
      : { kind: "base64", mediaType: source.media_type, data: source.data },
  );
  return { type: "image", source: resolved, ...rest(fields) };
}

function readDocument(block: DocumentBlockInput): FilePart | OpaquePart {
  const { type: _type, source, title, ...fields } = block;
  if (source.type === "content") {
    const { content } = source;
    const named = [title, fields.context].flatMap((said): TextPart[] => {
      const text = readText(said);
      return text === undefined ? [] : [{ type: "text", text }];
    });
    const parts: Media[] =
      typeof content === "string"
        ? [{ type: "text", text: content }]
        : content.map((inner) => (inner.type === "text" ? readTextBlock(inner) : readImage(inner)));
    const plain = [...named, ...parts.filter((part) => part.type !== "opaque")];
    return opaque(block, markLast(plain, fields));
  }
  return { type: "file", source: readFile(source), ...(title && { filename: title }), ...rest(fields) };
}

type FileInput = Exclude<DocumentBlockInput["source"], { type: "content" }>;

function readFile(source: FileInput): FilePart["source"] {
  if (source.type === "url") return resolveMediaSource({ kind: "url", url: source.url });
  if (source.type === "file") return { kind: "id", id: source.file_id };
  if (source.type === "base64") return { kind: "base64", mediaType: source.media_type, data: source.data };
  return { kind: "base64", mediaType: "text/plain", data: encodeBase64Text(source.data) };
}

function readSearchResult(block: SearchResultInput): OpaquePart {
  const head: TextPart = { type: "text", text: `${block.title}\n${block.source}` };
  return opaque(block, markLast([head, ...block.content.map(readTextBlock)], block));
}

/** The tools that a tool search has found. Other providers get these tools from the start, and a text that lists their names here. */
function readToolReference(block: OtherBlockInput): OpaquePart {
  const name = readText(block.tool_name);
  const told: TextPart[] = [{ type: "text", text: `Found the tool ${name}.` }];
  return opaque(block, name === undefined ? undefined : markLast(told, block));
}

function readThinking({ thinking, signature }: ThinkingInput): ContentPart {
  if (!signature) return { type: "reasoning", text: thinking };
  const seal = readThinkingSeal(signature);
  return seal === undefined
    ? { type: "reasoning", text: thinking, signature }
    : unsealReasoning(thinking, seal);
}

function readToolUse({ type: _type, id, name, input, ...fields }: ToolUseInput): ContentPart {
  const { caller, ...others } = fields;
  // We write `caller` on other providers' calls, where it has no meaning.
  const kept = isWrapped(id) || caller === undefined ? others : fields;
  return {
    type: "tool-call",
    id: readToolUseId(id),
    name,
    arguments: typeof input === "string" ? input : JSON.stringify(input ?? {}),
    ...rest(kept),
  };
}

function readToolResult(block: ToolResultInput): ToolResultPart {
  const { type: _type, tool_use_id: id, content, is_error: isError, ...fields } = block;
  const parts: Media[] =
    typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []).map(readMedia);
  return {
    type: "tool-result",
    toolCallId: readToolUseId(id),
    content: parts.filter((part) => part.type !== "text" || part.text !== ""),
    ...(isError != null && { isError }),
    ...rest(fields),
  };
}

/** How each kind of block becomes a part; a type that is not in the table becomes an opaque part. */
const mediaReaders = createTable<(block: never) => Media>({
  text: readTextBlock,
  image: readImage,
  document: readDocument,
  search_result: readSearchResult,
  tool_reference: readToolReference,
});
const readers = createTable<(block: never) => ContentPart>({
  ...mediaReaders,
  thinking: readThinking,
  tool_use: readToolUse,
  tool_result: readToolResult,
});

function readMedia(block: { type: string }): Media {
  return mediaReaders[block.type]?.(block as never) ?? opaque(block);
}

/** The parts of one message. */
export function readContent(content: string | readonly ContentBlockInput[]): ContentPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  const parts = createSealedParts();
  for (const block of content) {
    if (block.type !== "redacted_thinking") {
      parts.push(readers[block.type]?.(block as never) ?? opaque(block));
      continue;
    }
    const { data } = block as RedactedThinkingInput;
    const seal = readBlockSeal(data);
    if (seal === undefined) parts.push({ type: "reasoning", text: "", redacted: data });
    else parts.seal(seal);
  }
  return parts.end();
}
