/** The text of a message or a result, and what is kept of a long one. Pure. */
import type { ContentPart } from "../../shared/chat.ts";

export const readText = (parts: readonly ContentPart[]): string =>
  parts.flatMap((part) => (part.type === "text" || part.type === "refusal" ? [part.text] : [])).join("\n");

/**
 * A longer text becomes its beginning and its end, half of `maxChars` each, on lines of their own: programs put their notes at the ends.
 */
export const readEnds = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${text.slice(0, maxChars / 2)}\n${text.slice(-maxChars / 2)}`;

/** The end of a longer text. */
export const newest = (text: string, chars: number): string =>
  text.length <= chars ? text : text.slice(-chars);

const gap = "\n…\n";

/** Of a longer text both ends and `gap` between them: at most `chars` UTF-16 units in all. */
export function bothEnds(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const end = Math.floor((chars - gap.length) / 2);
  return text.slice(0, end) + gap + text.slice(-end);
}

/**
 * The first `length` UTF-16 units, one less where the cut would halve a surrogate pair. Half a pair has no UTF-8, and in JSON it makes
 * strict parsers (Python's orjson) refuse the whole answer.
 */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const isHalf = (text.charCodeAt(length - 1) & 0xfc00) === 0xd800;
  return text.slice(0, isHalf ? length - 1 : length);
}
