/**
 * The bytes of images and files: turns `data:` URLs (RFC 2397) into base64, and media types into the plain form that providers
 * accept. Never fetches anything.
 */
import type { FilePart, ImagePart } from "../../shared/chat.ts";
import { createTable } from "../../shared/lookup-table.ts";
import { encodeBase64Text } from "./base64.ts";

export type MediaSource = FilePart["source"];

const mediaTypeAliases = createTable({
  "image/jpg": "image/jpeg",
  "audio/mp3": "audio/mpeg",
  "audio/x-wav": "audio/wav",
});

/** `image/png;charset=utf-8` -> `image/png`: providers refuse parameters and common misspellings. */
export function plainMediaType(mediaType: string): string {
  const plain = (mediaType.split(";", 1)[0] ?? "").trim().toLowerCase();
  return mediaTypeAliases[plain] ?? plain;
}

/** The first base64 characters of each picture format. */
const imageMarks: readonly (readonly [string, string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

/** Undefined for a picture of an unknown format. */
export const readImageType = (base64: string): string | undefined =>
  imageMarks.find(([mark]) => base64.startsWith(mark))?.[1];

/**
 * A picture's format is read from its bytes: Anthropic refuses a picture labelled with another format, as files with a wrong
 * extension are.
 */
const readMediaType = (mediaType: string, data: string): string =>
  (mediaType.startsWith("image/") ? readImageType(data) : undefined) ?? mediaType;

/** The same source with `data:` URLs turned to base64 and a plain media type. */
export function resolveMediaSource(source: ImagePart["source"]): ImagePart["source"];
export function resolveMediaSource(source: MediaSource): MediaSource;
export function resolveMediaSource(source: MediaSource): MediaSource {
  if (source.kind === "base64")
    return { ...source, mediaType: readMediaType(plainMediaType(source.mediaType), source.data) };
  if (source.kind !== "url") return source;
  const url = plainUrl(source.url);
  const comma = /^data:/i.test(url) ? url.indexOf(",") : -1;
  if (comma < 0) return { ...source, url };
  const head = url.slice("data:".length, comma);
  const data = url.slice(comma + 1);
  const mediaType = plainMediaType(head) || "text/plain";
  if (/;\s*base64\s*$/i.test(head))
    return { kind: "base64", mediaType: readMediaType(mediaType, data), data };
  return { kind: "base64", mediaType, data: encodeBase64Text(decodePercent(data)) };
}

/**
 * The URL as a URL parser reads it (url.spec.whatwg.org, "basic URL parser"): without leading spaces and control characters, tabs
 * and line breaks. Otherwise " data:application/pdf,..." would be a web address here, and a document at the provider.
 */
function plainUrl(url: string): string {
  let start = 0;
  while (url.charCodeAt(start) <= 0x20) start += 1;
  return url.slice(start).replace(/[\t\n\r]+/g, "");
}

/** The text as it is if what it encodes is not UTF-8. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
