/**
 * A turn of the model's as OpenAI's assistant message. Its content holds text alone, so every other kind of part becomes a field of the
 * message. What the provider cannot take is left out and named.
 */
import type {
  ChatMessage,
  ContentPart,
  ImagePart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
} from "../../../../shared/chat.ts";
import { unwrapInput } from "../../custom-tools.ts";
import { shortenTo } from "../../distinct-tools.ts";
import { readObject, readText, readToolArguments } from "../../json.ts";
import { writeDetail, writeThoughtSignature } from "../../openai-extensions.ts";
import { nameMarks } from "../omissions.ts";
import { type ContentContext, writeContent, writePart } from "./write-media.ts";

export type WireMessage = { role: string } & Record<string, unknown>;

type Kind = ContentPart["type"];
type Write<T extends Kind> = (
  parts: readonly Extract<ContentPart, { type: T }>[],
  context: ContentContext,
) => Record<string, unknown>;

/** The fields that the parts of a kind become, of which there is at least one. In the order in which what is left out is named. */
const writers: { [T in Kind]: Write<T> } = {
  file: (_files, { omissions }) => {
    omissions.add("file");
    return {};
  },
  text: (texts, context) => ({ content: writeContent(texts, context) }),
  refusal: (refusals) => ({ refusal: refusals.map(({ text }) => text).join("") }),
  "tool-call": (calls, context) => ({ tool_calls: calls.map((call) => writeToolCall(call, context)) }),
  reasoning: writeReasoning,
  image: writeImages,
  // Each is a message of its own (write-messages.ts).
  "tool-result": () => ({}),
  opaque: (own) => Object.assign({}, ...own.map(({ data }) => data)),
};
const kinds = Object.keys(writers) as Kind[];

/** Kinds of parts beside which an empty text is sent as null: such a message says something without words. */
const wordless: ReadonlySet<Kind> = new Set(["tool-call", "refusal", "opaque"]);

export function writeAssistant({ parts, name }: ChatMessage, context: ContentContext): WireMessage {
  const written = kinds.map((kind) => {
    const own = parts.filter(({ type }) => type === kind);
    const write = writers[kind] as (parts: readonly ContentPart[], context: ContentContext) => object;
    return own.length === 0 ? {} : write(own, context);
  });
  const { content = "", ...fields }: Record<string, unknown> = Object.assign({}, ...written);
  const signed = parts.filter((part) => part.type === "text").findLast(isSigned);
  return {
    role: "assistant",
    content: content === "" && parts.some(({ type }) => wordless.has(type)) ? null : content,
    ...(name !== undefined && { name }),
    ...fields,
    ...(signed && writePartSignature(signed, context)),
  };
}

/** Pictures of earlier answers: only the aggregator accepts them. */
function writeImages(images: readonly ImagePart[], context: ContentContext) {
  if (!context.flavour.answerImages) {
    context.omissions.name("messages.images");
    return {};
  }
  const write = (image: ImagePart, index: number) =>
    writePart(image, context).map((item) => ({ ...item, index, ...writePartSignature(image, context) }));
  return { images: images.flatMap(write) };
}

/**
 * Fields of the `providerData` of a call, or of its result, that are written elsewhere or carry no information, so that leaving them out
 * is not named.
 */
export const silentFields: ReadonlySet<string> = new Set(["thoughtSignature", "caller"]);

/**
 * OpenAI's models refuse a history with a longer id of a call, as Cursor and other servers make them
 * (github.com/decolua/9router/pull/3167). The replacement depends on the id alone, so that a call, its result
 * and later turns agree.
 */
const maxIdChars = 64;
export const writeCallId = (id: string, { refusesLongIds }: ContentContext): string =>
  refusesLongIds && id.length > maxIdChars ? shortenTo(maxIdChars, id) : id;

function writeToolCall(call: ToolCallPart, context: ContentContext) {
  const { name, arguments: text } = call;
  const id = writeCallId(call.id, context);
  nameMarks(call, silentFields, context.omissions);
  if (context.customTools.has(name))
    return { id, type: "custom", custom: { name, input: unwrapInput(text) } };
  const args = writeArguments(text, context);
  return { id, type: "function", function: { name, arguments: args }, ...writePartSignature(call, context) };
}

/** Characters that JSON escapes, and so makes longer. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are replaced.
const escaped = /["\\\u0000-\u001f]/g;

/**
 * The arguments of an earlier call. Local servers fail on arguments that are not a JSON object, on every later turn
 * (github.com/ggml-org/llama.cpp/issues/25510), so these are sent as an object with the text. Only its key makes it longer than the
 * text, since the hold was computed from that.
 */
function writeArguments(text: string, { flavour, omissions }: ContentContext): string {
  if (!flavour.objectArguments || readToolArguments(text).exact) return text;
  omissions.add("toolArguments");
  return JSON.stringify(readToolArguments(text.toWellFormed().replace(escaped, " ")).value);
}

const isSigned = ({ providerData }: TextPart): boolean => Boolean(providerData?.thoughtSignature);

function writePartSignature(
  { providerData }: Pick<ToolCallPart, "providerData">,
  { flavour, omissions }: ContentContext,
) {
  const signature = readText(providerData?.thoughtSignature);
  if (signature === undefined) return {};
  if (flavour.reasoning) return writeThoughtSignature(signature);
  omissions.name("extra_content");
  return {};
}

/**
 * Signed reasoning is sent back as the entries it came in. Unsigned text goes into the plain field, since vendors refuse entries
 * without a signature; also as `reasoning_content` for vendors that refuse a history without it.
 */
function writeReasoning(
  parts: readonly ReasoningPart[],
  { flavour, omissions, namesReasoningContent }: ContentContext,
) {
  if (!flavour.reasoning) {
    omissions.add("reasoningContent");
    return {};
  }
  const isEntry = ({ signature, redacted, providerData }: ReasoningPart) =>
    (signature ?? redacted ?? readObject(providerData?.reasoning_detail)) !== undefined;
  const entries = parts.filter(isEntry);
  const plain = parts.filter((part) => !isEntry(part)).map((part) => part.text);
  const text = plain.join("\n");
  return {
    ...(text !== "" && { reasoning: text, ...(namesReasoningContent && { reasoning_content: text }) }),
    ...(entries.length > 0 && { reasoning_details: entries.map(writeDetail) }),
  };
}
