/** The pictures in an event of an answer, wherever its provider's wire has them: Gemini's as data, the aggregator's as `images`. */
import type { ChatEvent } from "../../shared/chat.ts";
import { readList, readObject } from "../dialects/json.ts";

const none: readonly string[] = [];

/** Each as its base64 or its URL. */
export function listPictures(event: ChatEvent): readonly string[] {
  if (event.type !== "opaque") return none;
  if (event.image !== undefined) return [event.image.data];
  return readList(event.data.images).map((image) => {
    const url = readObject(readObject(image)?.image_url)?.url;
    return typeof url === "string" ? url : "";
  });
}
