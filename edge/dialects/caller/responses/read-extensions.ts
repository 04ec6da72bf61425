/** Other servers' additions to OpenAI's format, as far as a response has a place for them. */
import type { ProviderData } from "../../../../shared/chat.ts";
import { readIndex, readList, readObject, readText } from "../../json.ts";
import type { UrlCitation } from "./reply-types.ts";

/** Base64 of the pictures in OpenRouter's `images`. A picture given by URL has no place in an item. */
export const listImages = ({ images }: ProviderData): string[] =>
  readList(images).flatMap((image) => {
    const url = readText(readObject(readObject(image)?.image_url)?.url) ?? "";
    const data = /^data:[^,]*;base64,(.+)$/s.exec(url)?.[1];
    return data === undefined ? [] : [data];
  });

export const readCitations = ({ annotations }: ProviderData): UrlCitation[] =>
  readList(annotations).flatMap((annotation) => {
    const cited = readObject(readObject(annotation)?.url_citation);
    const url = readText(cited?.url);
    if (url === undefined) return [];
    return [
      {
        type: "url_citation",
        url,
        title: readText(cited?.title) ?? url,
        start_index: readIndex(cited?.start_index) ?? 0,
        end_index: readIndex(cited?.end_index) ?? 0,
      },
    ];
  });
