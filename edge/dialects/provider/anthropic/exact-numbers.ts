/**
 * Reads JSON with integers that no number holds exactly: ids of Discord and X have 19 digits, and a rounded id names nothing. A model that
 * reads its own call rounded makes it again and again (github.com/earendil-works/pi/issues/8943). In the value such an integer is what
 * `JSON.stringify` writes with the same digits.
 */
import { parseJson, readObject, readToolArguments } from "../../json.ts";

/** `JSON.rawJSON` (tc39.es/proposal-json-parse-with-source), which TypeScript's library does not know yet. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/** 2^53 has 16 digits. */
export const mayHoldLongIntegers = (text: string): boolean => /\d{16}/.test(text);
const longInteger = /(?<![\w.+-])-?\d{16,}(?![\d.eE])/g;
/** Begins the text in whose place an integer is parsed. A text that has this character itself is read as usual. */
const mark = "\0";
const escapedMark = "\\u0000";

/** Undefined for what is no JSON. */
export function parseExactly(text: string): unknown {
  if (!mayHoldLongIntegers(text) || text.includes(escapedMark)) return parseJson(text);
  const marked = markIntegers(text);
  return marked === text ? parseJson(text) : unmark(parseJson(marked));
}

/** As readToolArguments. */
export function readExactArguments(text: string): ReturnType<typeof readToolArguments> {
  const read = readToolArguments(text);
  const exactly = read.exact && mayHoldLongIntegers(text) ? readObject(parseExactly(text)) : undefined;
  return exactly === undefined ? read : { value: exactly, exact: true };
}

/** In one pass: a function that JSON.parse calls for each value takes a second for 4 MB. */
function markIntegers(text: string): string {
  let marked = "";
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const outside = text.slice(at, quote === -1 ? text.length : quote);
    marked += outside.replace(longInteger, `"${escapedMark}$&"`);
    if (quote === -1) break;
    at = endString(text, quote + 1);
    marked += text.slice(quote, at);
  }
  return marked;
}

/** Where the string whose content begins at a place has ended. */
function endString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = end;
    while (text[escapes - 1] === "\\") escapes -= 1;
    if ((end - escapes) % 2 === 0) return end + 1;
  }
  return text.length;
}

function unmark(value: unknown): unknown {
  if (typeof value === "string") return value.startsWith(mark) ? rawJSON(value.slice(mark.length)) : value;
  if (typeof value !== "object" || value === null) return value;
  const holder = value as Record<string, unknown>;
  for (const name in holder) holder[name] = unmark(holder[name]);
  return value;
}
