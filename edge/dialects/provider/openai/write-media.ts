/**
 * Content of the hub (texts, images, files) as OpenAI's content parts, with the fields that callers put on parts. What the provider
 * cannot take is left out and named; text in a file is sent as text, which every model reads.
 */
import type { ContentPart, FilePart, ImagePart, ProviderData, TextPart } from "../../../../shared/chat.ts";
import { decodeBase64Text } from "../../base64.ts";
import { type MediaSource, resolveMediaSource } from "../../inline-media.ts";
import { isEmptyList } from "../../json.ts";
import { dataUrl } from "../../openai-extensions.ts";
import type { Omissions } from "../omissions.ts";
import type { MessageFlavour } from "./flavour.ts";

export type WirePart = { type: string } & Record<string, unknown>;
type MediaPart = TextPart | ImagePart | FilePart;

export type ContentContext = {
  flavour: MessageFlavour;
  fromOpenai: boolean;
  omissions: Omissions;
  /** Send a user's single text as a list, too (shared/chat.ts). */
  userTextAsParts?: boolean | undefined;
  /** Names of tools that are sent as OpenAI's own `custom`. */
  customTools: ReadonlySet<string>;
  /** Reasoning of earlier turns is also sent as `reasoning_content`. */
  namesReasoningContent: boolean;
  /** Whether a longer id of a call than `maxIdChars` (write-assistant.ts) is refused. */
  refusesLongIds: boolean;
  /** Whether the marks of a tool's result are sent, as a list of text; many other models' servers take only a string there. */
  marksResults: boolean;
};

/** The fields of a part that this provider knows. Others are named, except signatures, which are written elsewhere. */
export function keepFields(
  data: ProviderData | undefined,
  { flavour, omissions }: ContentContext,
): ProviderData {
  if (data === undefined) return {};
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(data)) {
    if (isEmptyList(value)) continue;
    if (flavour.partFields.has(name)) kept[name] = value;
    else if (name !== "thoughtSignature" && name !== "reasoning_detail") omissions.name(name);
  }
  return kept;
}

type Write<T extends ContentPart["type"]> = (
  part: Extract<ContentPart, { type: T }>,
  fields: ProviderData,
  context: ContentContext,
) => WirePart[];

/** How each kind of part is written as content. Undefined: it is none, and has a field of the message or a message of its own. */
const writers: { [T in ContentPart["type"]]: Write<T> | undefined } = {
  text: ({ text }, fields) => (text === "" ? [] : [{ type: "text", text, ...fields }]),
  image: writeImage,
  file: writeFile,
  reasoning: undefined,
  refusal: undefined,
  "tool-call": undefined,
  "tool-result": undefined,
  opaque: undefined,
};

export const isMedia = (part: ContentPart): part is MediaPart => writers[part.type] !== undefined;

export function writePart(part: MediaPart, context: ContentContext): WirePart[] {
  const write = writers[part.type] as Write<MediaPart["type"]>;
  return write(part, keepFields(part.providerData, context), context);
}

/** What the provider gets of a part of the user's; a tool's result always reaches it. */
export const writeUserPart = (part: ContentPart, context: ContentContext): readonly unknown[] =>
  isMedia(part) ? writePart(part, context) : [part];

/** A list of parts; plain text if that means the same, since not every server reads lists. */
export function writeContent(
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

function writeImage(
  { source, detail: asked }: ImagePart,
  fields: ProviderData,
  { flavour, omissions }: ContentContext,
): WirePart[] {
  const resolved = resolveMediaSource(source);
  const detail = asked === "original" && !flavour.originalDetail ? "high" : asked;
  if (detail !== asked) omissions.add("imageDetail");
  const url = resolved.kind === "url" ? resolved.url : dataUrl(resolved.mediaType, resolved.data);
  return [{ type: "image_url", image_url: { url, ...(detail && { detail }) }, ...fields }];
}

const audioFormats: Readonly<Record<string, string>> = { "audio/mpeg": "mp3", "audio/x-m4a": "m4a" };

function writeFile(part: FilePart, fields: ProviderData, context: ContentContext): WirePart[] {
  const { flavour, fromOpenai, omissions } = context;
  const source = resolveMediaSource(part.source);
  if (source.kind === "base64") return writeData(source, part.filename, fields, context);
  const named = part.filename === undefined ? {} : { filename: part.filename };
  // A file id means something only to the provider that gave it.
  if (source.kind === "id" && flavour.fileIds && fromOpenai) {
    return [{ type: "file", file: { file_id: source.id, ...named }, ...fields }];
  }
  if (source.kind === "url" && flavour.fileUrls) {
    return [{ type: "file", file: { file_data: source.url, ...named }, ...fields }];
  }
  omissions.add("file");
  return [];
}

function writeData(
  { mediaType, data }: Extract<MediaSource, { kind: "base64" }>,
  givenName: string | undefined,
  fields: ProviderData,
  { flavour, omissions }: ContentContext,
): WirePart[] {
  if (mediaType.startsWith("image/")) {
    return [{ type: "image_url", image_url: { url: dataUrl(mediaType, data) }, ...fields }];
  }
  if (mediaType.startsWith("audio/")) {
    const format = audioFormats[mediaType] ?? mediaType.slice("audio/".length);
    if (flavour.audioFormats?.has(format) ?? true)
      return [{ type: "input_audio", input_audio: { data, format }, ...fields }];
    omissions.add("audio");
    return [];
  }
  const text = mediaType.startsWith("text/") ? decodeBase64Text(data) : undefined;
  if (text !== undefined) {
    if (givenName !== undefined) omissions.add("fileName");
    return [{ type: "text", text, ...fields }];
  }
  const filename = givenName ?? `document.${mediaType.split("/").at(-1)}`;
  return [{ type: "file", file: { filename, file_data: dataUrl(mediaType, data) }, ...fields }];
}
