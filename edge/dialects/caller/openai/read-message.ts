/**
 * A caller's chat message as the hub holds it. Fields of a content part that we do not know (a cache mark
 * such as `cache_control`) become its `providerData` under their own names.
 */
import { z } from "zod";
import type {
  ChatMessage,
  ContentPart,
  ImagePart,
  ProviderData,
  TextPart,
  ToolResultPart,
} from "../../../../shared/chat.ts";
import { wrapInput } from "../../custom-tools.ts";
import { listUnread } from "../../field-names.ts";
import { isEmptyList, present, readFitting, withData } from "../../json.ts";
import {
  ExtraContent,
  markLast,
  ReasoningDetail,
  readCacheMarks,
  readDetails,
  readThoughtSignature,
} from "../../openai-extensions.ts";
import { readAudio, readFileSource, readImage } from "../openai-requests.ts";
import {
  AnswerImageInput,
  type AssistantMessageInput,
  type ChatMessageInput,
  type ContentPartInput,
  type ToolCallInput,
} from "./schema.ts";

/** Fields inside a part's own object that no provider is sent: they are kept under their paths, so that they can be named. */
const keepUnread = (option: string, fields: object, read: readonly string[]): ProviderData =>
  Object.fromEntries(listUnread(option, fields, read).map((path) => [path, true]));

type ImageInput = Extract<ContentPartInput, { type: "image_url" }>;
type PartReaders = {
  [T in ContentPartInput["type"]]: (part: Extract<ContentPartInput, { type: T }>) => ContentPart;
};

const partReaders: PartReaders = {
  text: ({ type, text, ...rest }) => ({ type, text, ...withData(rest) }),
  image_url: readImagePart,
  input_audio: ({ type: _type, input_audio: audio, ...rest }) => ({
    ...readAudio(audio),
    ...withData({ ...rest, ...keepUnread("input_audio", audio, ["data", "format"]) }),
  }),
  file: ({ type: _type, file, ...rest }) => ({
    type: "file",
    source: readFileSource(file.file_data, file.file_id),
    ...(file.filename && { filename: file.filename }),
    ...withData({ ...rest, ...keepUnread("file", file, ["file_data", "file_id", "filename"]) }),
  }),
  refusal: ({ refusal }) => ({ type: "refusal", text: refusal }),
};

const readPart = (part: ContentPartInput): ContentPart =>
  (partReaders[part.type] as (part: ContentPartInput) => ContentPart)(part);

function readImagePart({ image_url: image, type: _type, ...rest }: ImageInput): ImagePart {
  return {
    ...readImage(image.url, image.detail),
    ...withData({ ...rest, ...keepUnread("image_url", image, ["url", "detail"]) }),
  };
}

const readContent = (content: string | readonly ContentPartInput[] | null | undefined): ContentPart[] => {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return (content ?? []).map(readPart);
};

function readToolCall(call: ToolCallInput): ContentPart {
  const { id, extra_content: extra } = call;
  const called =
    call.type === "custom"
      ? { name: call.custom.name, arguments: wrapInput(call.custom.input) }
      : call.function;
  return {
    type: "tool-call",
    id,
    name: called.name,
    arguments: called.arguments.trim() === "" ? "{}" : called.arguments,
    ...withData({ ...readSignatureData(extra), ...readCacheMarks(call) }),
  };
}

/** A picture of an earlier answer, as openai-extensions.ts writes it. Its `index` is not needed: the list's order says the same. */
function readAnswerImage({ index: _index, extra_content: extra, ...image }: AnswerImageInput): ContentPart {
  const part = readImagePart(image);
  return { ...part, ...withData({ ...part.providerData, ...readSignatureData(extra) }) };
}

/** A thought signature is stored under Gemini's own name for it, which Gemini's dialect looks for. */
function readSignatureData(extra: AssistantMessageInput["extra_content"]): ProviderData {
  const thoughtSignature = readThoughtSignature(extra);
  return thoughtSignature === undefined ? {} : { thoughtSignature };
}

/** Gemini's signature belongs to the last text of a message; without a text it gets an empty text part. */
function signText(parts: ContentPart[], extra: AssistantMessageInput["extra_content"]): ContentPart[] {
  const signature = readSignatureData(extra);
  if (Object.keys(signature).length === 0) return parts;
  const at = parts.findLastIndex(({ type }) => type === "text");
  const text: TextPart = at === -1 ? { type: "text", text: "" } : (parts[at] as TextPart);
  const signed: TextPart = { ...text, providerData: { ...text.providerData, ...signature } };
  return at === -1 ? [...parts, signed] : parts.with(at, signed);
}

function readReasoning(message: AssistantMessageInput): ContentPart[] {
  const parts = readDetails(message.reasoning_details ?? []);
  if (parts.length > 0) return parts;
  const text = message.reasoning_content ?? message.reasoning;
  return text ? [{ type: "reasoning", text }] : [];
}

function readAssistant(message: AssistantMessageInput): ContentPart[] {
  return [
    ...readReasoning(message),
    ...signText(readContent(message.content), message.extra_content),
    ...(message.images ?? []).map(readAnswerImage),
    ...(message.refusal ? [{ type: "refusal", text: message.refusal } as const] : []),
    ...(message.tool_calls ?? []).map(readToolCall),
    ...(message.audio
      ? [{ type: "opaque", dialect: "openai", data: { audio: message.audio } } as const]
      : []),
  ];
}

/** Fields of a message that are read, or that clients echo back and no provider takes (`annotations`, `parsed`). */
const messageFields: ReadonlySet<string> = new Set([
  ...["role", "content", "name", "refusal", "tool_calls", "tool_call_id", "audio", "images", "extra_content"],
  ...["reasoning", "reasoning_content", "reasoning_details", "cache_control", "prompt_cache_breakpoint"],
  ...["annotations", "parsed"],
]);

/** Anthropic's mark of a failed result, which bodies in its form have. */
const isFailed = (message: ChatMessageInput): boolean => message.role === "tool" && message.is_error === true;

/** Fields that no provider is sent (a server's own `prefix`): they are kept, so that they can be named. */
function keepUnknownFields(message: ChatMessageInput) {
  const isRead = (name: string) => messageFields.has(name) || (name === "is_error" && isFailed(message));
  const own = Object.entries(present(message)).filter(
    ([name, value]) => !isRead(name) && !isEmptyList(value),
  );
  return withData(Object.fromEntries(own));
}

/**
 * LiteLLM moves the fields of an answer that its message class does not know to `provider_specific_fields`, and its callers send the
 * message back so. Without our fields in there Claude would lose its thinking after each tool call.
 */
const MovedFields = z.object({
  refusal: z.string().nullish(),
  reasoning: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  reasoning_details: z.array(ReasoningDetail).nullish(),
  images: z.array(AnswerImageInput).nullish(),
  extra_content: ExtraContent.nullish(),
});

/** The message with those fields in their places, where it has none of its own. What is in there beside them is kept, to be named. */
function restoreFields(message: ChatMessageInput): ChatMessageInput {
  if (message.role !== "assistant") return message;
  const { provider_specific_fields: moved, ...own } = message;
  const restored = moved == null ? undefined : readFitting(MovedFields, moved);
  if (restored === undefined) return message;
  const isRead = Object.keys(present(moved as object)).every((name) => name in MovedFields.shape);
  return {
    ...restored,
    ...present(own),
    role: "assistant",
    ...(!isRead && { provider_specific_fields: moved }),
  };
}

/** The hub's message. */
export function readMessage(given: ChatMessageInput): ChatMessage {
  const message = restoreFields(given);
  const { role } = message;
  const own = { ...(message.name && { name: message.name }), ...keepUnknownFields(message) };
  if (role === "assistant") {
    const turn = message.extra_content?.anthropic;
    const native = turn ? { native: { dialect: "anthropic" as const, data: turn } } : {};
    return { role, parts: markLast(readAssistant(message), message), ...own, ...native };
  }
  const parts = markLast(readContent(message.content), message);
  if (role !== "tool") return { role, parts, ...own };
  const content = parts as ToolResultPart["content"];
  const failed = isFailed(message) && { isError: true };
  return {
    role,
    parts: [{ type: "tool-result", toolCallId: message.tool_call_id, content, ...failed }],
    ...own,
  };
}
