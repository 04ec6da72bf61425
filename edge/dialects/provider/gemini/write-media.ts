/**
 * Images, documents and audio as Gemini parts. A URL is passed on for the provider to fetch (public
 * https, since Gemini 2.5; an older model answers 400 with its reason): the gateway fetches nothing.
 * ai.google.dev/gemini-api/docs/file-input-methods
 */
import { createTable } from "../../../../shared/lookup-table.ts";
import type { MediaSource } from "../../inline-media.ts";
import type { Omissions } from "../omissions.ts";

const mediaTypesByExtension = createTable<string>({
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
  heic: "image/heic",
  heif: "image/heif",
  pdf: "application/pdf",
  txt: "text/plain",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  mp4: "video/mp4",
});

/** No part for a file id, which is named as left out: another provider's ids mean nothing here. */
export function writeMedia(source: MediaSource, omissions: Omissions): Record<string, unknown>[] {
  if (source.kind === "base64") return [{ inlineData: { mimeType: source.mediaType, data: source.data } }];
  if (source.kind === "url") {
    const mimeType = guessMediaType(source.url);
    return [{ fileData: { ...(mimeType === undefined ? {} : { mimeType }), fileUri: source.url } }];
  }
  omissions.add("file");
  return [];
}

function guessMediaType(url: string): string | undefined {
  const path = url.split(/[?#]/, 1)[0] ?? "";
  return mediaTypesByExtension[/\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ""];
}
