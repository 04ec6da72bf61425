/** Images and files of the hub as Anthropic's content blocks, with the fields that callers put on parts. */
import type { FilePart, ImagePart, ProviderData } from "../../../../shared/chat.ts";
import { decodeBase64Text } from "../../base64.ts";
import { type MediaSource, resolveMediaSource } from "../../inline-media.ts";
import { nameMarks, type Omissions } from "../omissions.ts";

export type Block = Record<string, unknown> & { type: string };
export type Context = { fromAnthropic: boolean; omissions: Omissions };

/** Fields of parts that are sent on, or that have no meaning for this provider, so that leaving them out is not named. */
const silentFields: ReadonlySet<string> = new Set(["cache_control", "thoughtSignature"]);

/** Fields of an Anthropic caller are sent back unchanged; of other callers only the cache mark is known here. */
export function keepFields(
  providerData: ProviderData | undefined,
  { fromAnthropic, omissions }: Context,
): Record<string, unknown> {
  if (providerData === undefined) return {};
  // The signature of another provider whose part this was.
  const { thoughtSignature: _signature, ...own } = providerData;
  if (fromAnthropic) return own;
  nameMarks({ providerData }, silentFields, omissions);
  const cacheControl = providerData.cache_control;
  return cacheControl === undefined ? {} : { cache_control: cacheControl };
}

export function writeImage(part: ImagePart, context: Context): Block[] {
  if (part.detail !== undefined && part.detail !== "auto") context.omissions.add("imageDetail");
  const source = resolveMediaSource(part.source);
  return [{ type: "image", source: writeSource(source), ...keepFields(part.providerData, context) }];
}

export function writeFile(part: FilePart, context: Context): Block[] {
  const source = resolveMediaSource(part.source);
  const document = (body: Record<string, unknown>): Block[] => [
    {
      type: "document",
      source: body,
      ...(part.filename ? { title: part.filename } : {}),
      ...keepFields(part.providerData, context),
    },
  ];
  if (source.kind === "url" || (source.kind === "id" && context.fromAnthropic))
    return document(writeSource(source));
  if (source.kind === "base64") {
    if (source.mediaType.startsWith("image/")) {
      if (part.filename) context.omissions.add("fileName");
      return [{ type: "image", source: writeSource(source), ...keepFields(part.providerData, context) }];
    }
    if (source.mediaType === "application/pdf") return document(writeSource(source));
    const text = source.mediaType.startsWith("text/") ? decodeBase64Text(source.data) : undefined;
    if (text !== undefined) return document({ type: "text", media_type: "text/plain", data: text });
    context.omissions.add(source.mediaType.startsWith("audio/") ? "audio" : "file");
  } else context.omissions.add("file");
  return [];
}

function writeSource(source: MediaSource): Record<string, unknown> {
  if (source.kind === "url") return { type: "url", url: source.url };
  if (source.kind === "id") return { type: "file", file_id: source.id };
  return { type: "base64", media_type: source.mediaType, data: source.data };
}
