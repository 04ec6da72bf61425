/**
 * Rough counts of an answer's tokens, for calls without a usage report, and an upper estimate that tells where such a count may be far
 * too low; and what its events take in memory. Pure.
 */
import type { ChatEvent, ProviderData } from "../../../shared/chat.ts";
import { readList, readObject } from "../../dialects/json.ts";

/**
 * A rough count of a text: four UTF-16 units a token, but at least one token for each delta it came in. Used only where no provider
 * reported. Rounded once for all deltas: most providers send a token in each, and rounding each up gave 1.4 times the tokens of English
 * and code, 1.7 times those of German (o200k).
 */
export const estimateTokens = (deltas: number, chars: number): number =>
  Math.max(deltas, Math.ceil(chars / 4));

/** Tokens of a picture in an answer without a report: Gemini's, the most common, have 1,290. */
export const pictureTokens = 1_290;

const isLetter = (unit: number): boolean => unit >= 97 && unit <= 122;
const isDigitOrCapital = (unit: number): boolean => (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90);

/**
 * An upper estimate of a text's tokens, in quarters of a token. A lower-case letter or space is one quarter, a sign two. A digit,
 * a capital (base64 is full of them) or a character of another script is four. For texts full of these `estimateTokens` counts only
 * a fraction of this.
 */
export function countQuarters(text: string): number {
  let quarters = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 126 || isDigitOrCapital(unit)) quarters += 4;
    else quarters += unit <= 32 || isLetter(unit) ? 1 : 2;
  }
  return quarters;
}

const noPictures: readonly string[] = [];

/** The pictures in an event of an answer, as base64 or URL: Gemini's in the event's `image`, the aggregator's in `images`. */
export function listPictures(event: ChatEvent): readonly string[] {
  if (event.type !== "opaque") return noPictures;
  if (event.image !== undefined) return [event.image.data];
  return readList(event.data.images).map((image) => {
    const url = readObject(readObject(image)?.image_url)?.url;
    return typeof url === "string" ? url : "";
  });
}

/** What a batch of events takes in memory, in characters: its texts, plus a fixed size for each event. */
export const countChars = (events: readonly ChatEvent[]): number =>
  events.reduce((sum, event) => sum + 64 + ("text" in event ? event.text.length : otherChars(event)), 0);

function otherChars(event: ChatEvent): number {
  if (event.type === "tool-call-delta") return event.arguments.length;
  if (event.type === "logprobs") return countLogprobs(event.data);
  if (event.type === "signature") return event.signature.length;
  if (event.type === "opaque")
    return 256 + (event.image?.data.length ?? 0) + JSON.stringify(event.data).length;
  return event.type === "redacted-reasoning" ? event.data.length : 0;
}

/** One log probability with its token, as text and as bytes. */
const logprobChars = 180;

function countLogprobs({ content, refusal }: ProviderData): number {
  const tokens = [...readList(content), ...readList(refusal)];
  return tokens.reduce<number>(
    (sum, token) => sum + logprobChars * (1 + readList(readObject(token)?.top_logprobs).length),
    0,
  );
}
