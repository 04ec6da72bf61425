/**
 * Messages and content parts of the hub as OpenAI's. Tool results, wherever the caller had them, become `tool`
 * messages; OpenAI takes only text there, so images and files in a result follow in a user message once all
 * results of that turn are given. A part the provider cannot take is left out and named.
 */
import type {
  ChatMessage,
  ContentPart,
  ImagePart,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
} from "../../../../shared/chat.ts";
import { unwrapInput } from "../../custom-tools.ts";
import { shortenTo } from "../../distinct-tools.ts";
import { readObject, readText, readToolArguments } from "../../json.ts";
import { writeDetail, writeThoughtSignature } from "../../openai-extensions.ts";
import { nameMarks } from "../omissions.ts";
import {
  type ContentContext,
  keepFields,
  type MediaPart,
  type WirePart,
  writeFile,
  writeImage,
} from "./write-media.ts";

export type WireMessage = { role: string } & Record<string, unknown>;

/** Fields of a call's `providerData` that are written elsewhere or carry no information, so that leaving them out is not named. */
const silentFields: ReadonlySet<string> = new Set(["thoughtSignature", "caller"]);

/**
 * OpenAI's models refuse a history with a longer id of a call, as Cursor and other servers make them
 * (github.com/decolua/9router/pull/3167). The replacement depends on the id alone, so that a call, its result
 * and later turns agree.
 */
const maxIdChars = 64;
const writeId = (id: string, { refusesLongIds }: ContentContext): string =>
  refusesLongIds && id.length > maxIdChars ? shortenTo(maxIdChars, id) : id;

type OfType<T extends ContentPart["type"]> = Extract<ContentPart, { type: T }>;

const only = <T extends ContentPart["type"]>(parts: readonly ContentPart[], type: T): OfType<T>[] =>
  parts.filter((part): part is OfType<T> => part.type === type);

/**
 * The results of a turn's calls come right after it: OpenAI refuses anything between them. In bodies of Responses, and so of Codex, notices
 * and what the user says meanwhile may stand there.
 */
export function writeMessages(messages: readonly ChatMessage[], context: ContentContext): WireMessage[] {
  const sent: WireMessage[] = [];
  let attached: WirePart[] = [];
  let afterResults: WireMessage[] = [];
  const endResults = () => {
    if (attached.length > 0) sent.push({ role: "user", content: attached });
    for (const message of afterResults) sent.push(message);
    attached = [];
    afterResults = [];
  };
  for (const message of messages) {
    const results = only(message.parts, "tool-result");
    for (const result of results) sent.push(writeResult(result, message.name, attached, context));
    const rest = message.parts.filter(({ type }) => type !== "tool-result");
    if (results.length > 0 && rest.length === 0) continue;
    const written = writeMessage({ ...message, parts: rest }, context);
    if (message.role !== "assistant") afterResults.push(written);
    else {
      endResults();
      sent.push(written);
    }
  }
  endResults();
  return sent;
}

function writeMessage(message: ChatMessage, context: ContentContext): WireMessage {
  if (message.role === "assistant") return writeAssistant(message, context);
  const developer = message.role === "developer" && !context.flavour.developerRole;
  const role = message.role === "tool" ? "user" : developer ? "system" : message.role;
  return {
    role,
    content: writeContent(message.parts.filter(isMedia), context, role),
    ...(message.name !== undefined && { name: message.name }),
  };
}

/** `name`: the tool's, where the caller says it: some servers' templates read it (Gemma, Kimi). */
function writeResult(
  result: ToolResultPart,
  name: string | undefined,
  attached: WirePart[],
  context: ContentContext,
): WireMessage {
  const { content, isError } = result;
  const id = writeId(result.toolCallId, context);
  if (isError) context.omissions.name("is_error");
  const parts = content.filter(isMedia).flatMap((part) => writePart(part, context));
  const media = parts.filter(({ type }) => type !== "text");
  const text = parts.filter(({ type }) => type === "text");
  if (media.length > 0) {
    attached.push({ type: "text", text: `Attached to the result of tool call ${id}:` }, ...media);
    if (text.length === 0) text.push({ type: "text", text: "(attached in the next user message)" });
  }
  if (context.marksResults) markText(text, result, context);
  else nameMarks(result, silentFields, context.omissions);
  const [first] = text;
  const plain = text.length <= 1 && Object.keys(first ?? {}).length <= 2;
  return {
    role: "tool",
    tool_call_id: id,
    ...(name !== undefined && { name }),
    content: plain ? String(first?.text ?? "") : text,
  };
}

/**
 * Puts a result's marks on its last text: OpenRouter takes a mark of the prompt's cache there, and on the message itself it may hang
 * (github.com/NousResearch/hermes-agent/pull/58129).
 */
function markText(text: WirePart[], { providerData }: ToolResultPart, context: ContentContext): void {
  const { caller: _caller, ...fields } = providerData ?? {};
  const marks = keepFields(fields, context);
  const last = text.pop();
  if (last !== undefined) text.push({ ...marks, ...last });
  else for (const name of Object.keys(marks)) context.omissions.name(name);
}

function writeAssistant({ parts, name }: ChatMessage, context: ContentContext): WireMessage {
  const calls = only(parts, "tool-call");
  const refusals = only(parts, "refusal");
  const media = parts.filter(isMedia);
  if (media.some(({ type }) => type === "file")) context.omissions.add("file");
  const text = writeContent(only(media, "text"), context);
  const own = only(parts, "opaque");
  return {
    role: "assistant",
    content: text === "" && (calls.length > 0 || refusals.length > 0 || own.length > 0) ? null : text,
    ...(name !== undefined && { name }),
    ...(refusals.length > 0 && { refusal: refusals.map((part) => part.text).join("") }),
    ...(calls.length > 0 && { tool_calls: calls.map((call) => writeToolCall(call, context)) }),
    ...writeReasoning(only(parts, "reasoning"), context),
    ...writeImages(only(media, "image"), context),
    ...writePartSignature(
      only(media, "text").findLast(({ providerData }) => providerData?.thoughtSignature),
      context,
    ),
    ...Object.assign({}, ...own.map(({ data }) => data)),
  };
}

/** Pictures of earlier answers: only the aggregator accepts them. */
function writeImages(images: readonly ImagePart[], context: ContentContext) {
  if (images.length === 0) return {};
  if (!context.flavour.answerImages) {
    context.omissions.name("messages.images");
    return {};
  }
  const write = (image: ImagePart, index: number) =>
    writePart(image, context).map((item) => ({ ...item, index, ...writePartSignature(image, context) }));
  return { images: images.flatMap(write) };
}

function writeToolCall(call: ToolCallPart, context: ContentContext) {
  const { name, arguments: text } = call;
  const id = writeId(call.id, context);
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

function writePartSignature(
  part: Pick<ToolCallPart, "providerData"> | undefined,
  { flavour, omissions }: ContentContext,
) {
  const signature = readText(part?.providerData?.thoughtSignature);
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
  if (parts.length === 0) return {};
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

function isMedia(part: ContentPart): part is MediaPart {
  return part.type === "text" || part.type === "image" || part.type === "file";
}

/** A list of parts; plain text if that means the same, since not every server reads lists. */
function writeContent(
  parts: readonly MediaPart[],
  context: ContentContext,
  role?: string,
): string | WirePart[] {
  const written = parts.flatMap((part) => writePart(part, context));
  const [first] = written;
  if (first === undefined) return "";
  if (role === "user" && context.userTextAsParts) return written;
  const plain = written.length === 1 && first.type === "text" && Object.keys(first).length === 2;
  return plain ? String(first.text) : written;
}

function writePart(part: MediaPart, context: ContentContext): WirePart[] {
  const fields = keepFields(part.providerData, context);
  if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text, ...fields }];
  return part.type === "image" ? writeImage(part, fields, context) : writeFile(part, fields, context);
}

/** What the provider gets of a part of the user's; a tool's result always reaches it. */
export const writeUserPart = (part: ContentPart, context: ContentContext): readonly unknown[] =>
  isMedia(part) ? writePart(part, context) : [part];
