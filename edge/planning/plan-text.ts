/** The text of a message or a result, and of a long one its ends. Pure. */
import type { ContentPart } from "../../shared/chat.ts";

export const readText = (parts: readonly ContentPart[]): string =>
  parts.flatMap((part) => (part.type === "text" || part.type === "refusal" ? [part.text] : [])).join("\n");

/** Of a longer text the two halves of `maxChars` at its ends, as if they were lines of one text: there programs put their notes. */
export const readEnds = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${text.slice(0, maxChars / 2)}\n${text.slice(-maxChars / 2)}`;
