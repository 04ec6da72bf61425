/**
 * Reads JSON with integers that no number holds exactly: ids of Discord and X have 19 digits, and a rounded id names nothing. A model that
 * reads its own call rounded makes it again and again (github.com/earendil-works/pi/issues/8943). Such an integer is read as an object of
 * the runtime's, which `JSON.stringify` writes as the same digits.
 */
import { parseJson, readList, readObject, readToolArguments } from "./json.ts";
import { endString } from "./json-scan.ts";

/** `JSON.rawJSON` (tc39.es/proposal-json-parse-with-source), which TypeScript's library does not know yet. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/** 2^53 has 16 digits. */
const longFrom = 16;
const longInteger = /(?<![\w.+-])-?[1-9]\d{15,}(?![\d.eE])/g;
/**
 * While the text is parsed, a string that begins with this stands for an integer. A text that holds this character itself is read as usual.
 */
const mark = "\0";
const escapedMark = "\\u0000";

/** Undefined for what is no JSON. */
export function parseExactly(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? undefined : (parseLongIntegers(text) ?? value);
}

/** As readToolArguments. */
export function readExactArguments(text: string): ReturnType<typeof readToolArguments> {
  const read = readToolArguments(text);
  const value = read.exact ? readObject(parseLongIntegers(text)) : undefined;
  return value === undefined ? read : { value, exact: true };
}

/** A request's body, in which the inputs of Claude's calls keep their digits. Throws what JSON.parse throws. */
export function parseBody(text: string): unknown {
  const body: unknown = JSON.parse(text);
  const exact = text.includes('"input"') ? listCalls(parseLongIntegers(text)) : [];
  if (exact.length > 0)
    for (const [at, call] of listCalls(body).entries()) call.input = (exact[at] as Call).input;
  return body;
}

type Call = Record<string, unknown>;

/** Blocks with an input: in messages of Anthropic's format, and in the turns of Claude that OpenAI's callers send back. */
function listCalls(body: unknown): Call[] {
  return readList(readObject(body)?.messages)
    .map((message) => readObject(message) ?? {})
    .flatMap(({ content, extra_content: extra }) => [
      ...readList(content),
      ...readList(readObject(readObject(extra)?.anthropic)?.content),
    ])
    .filter((block): block is Call => readObject(block)?.input !== undefined);
}

/** The value of JSON that holds such integers; undefined where none is found. A text that is no JSON must not be given. */
export function parseLongIntegers(text: string): unknown {
  if (!hasLongDigits(text) || text.includes(escapedMark)) return undefined;
  const marked = markIntegers(text);
  return marked === text ? undefined : unmark(JSON.parse(marked));
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Looks at every sixteenth character: a regular expression takes as long as JSON.parse does. */
function hasLongDigits(text: string): boolean {
  for (let at = longFrom - 1; at < text.length; at += longFrom) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let from = at;
    while (isDigit(text.charCodeAt(from - 1))) from -= 1;
    let end = at + 1;
    while (isDigit(text.charCodeAt(end))) end += 1;
    if (end - from >= longFrom) return true;
  }
  return false;
}

const markLossy = (digits: string): string =>
  String(Number(digits)) === digits ? digits : `"${escapedMark}${digits}"`;

/** In one pass: a function that JSON.parse calls for each value takes a second for 4 MB. */
function markIntegers(text: string): string {
  const pieces: string[] = [];
  let kept = 0;
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const end = quote === -1 ? text.length : quote;
    const outside = end - at < longFrom ? "" : text.slice(at, end);
    const marked = outside.replace(longInteger, markLossy);
    if (marked !== outside) {
      pieces.push(text.slice(kept, at), marked);
      kept = end;
    }
    at = quote === -1 ? end : endString(text, quote + 1) + 1;
  }
  return pieces.join("") + text.slice(kept);
}

function unmark(value: unknown): unknown {
  if (typeof value === "string") return value.startsWith(mark) ? rawJSON(value.slice(mark.length)) : value;
  if (Array.isArray(value)) return value.map(unmark);
  if (typeof value !== "object" || value === null) return value;
  const holder = value as Record<string, unknown>;
  for (const name in holder) holder[name] = unmark(holder[name]);
  return value;
}
