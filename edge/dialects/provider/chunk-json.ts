/**
 * Parses the JSON of a stream's chunks. Consecutive chunks usually differ in a few values only, so each text is compared
 * with the one before, and only those values are parsed; a text that differs elsewhere goes to JSON.parse. The result is
 * the same. With JSON.parse alone, translating streams of 500 chunks takes 1.8 to 2.2 times as long, and Gemini or OpenAI to
 * an Anthropic caller then costs more than the allowed 1.3 times of Anthropic itself (docs/performance.md). The price: the
 * returned object is reused for the next chunk.
 */

import { endString } from "../json-scan.ts";

export type JsonPath = readonly (string | number)[];

type Holder = Record<string | number, unknown>;
type Hole = { start: number; end: number; holder: Holder; key: string };
/** A text read before: its value, and the text segments before, between and after the holes, which are the values that may change. */
type Pattern<Value> = { value: Value; holes: Hole[]; segments: string[] };

/** A longer text is mostly values, and rarely resembles the one before it. */
const maxChars = 4_096;
/** After this many texts in a row that did not match the pattern learnt before them, no more patterns are learnt. */
const maxMisses = 4;

/**
 * `paths`: where strings and numbers may change from text to text; each ends in a name, and a path that a text lacks is
 * skipped. The returned value is valid until the next text is read: its objects are reused. Throws what JSON.parse and
 * `check` throw.
 *
 * `check` validates or converts a parsed text. It is skipped for a text that differs from a checked one only at `paths`, a
 * string for a string or a count for a number: so it must accept any such value, and leave it as it is.
 */
export function createJsonReader(paths: readonly JsonPath[]): (text: string) => unknown;
export function createJsonReader<Value>(
  paths: readonly JsonPath[],
  check: (parsed: unknown) => Value,
): (text: string) => Value;
export function createJsonReader(
  paths: readonly JsonPath[],
  check: (parsed: unknown) => unknown = (parsed) => parsed,
): (text: string) => unknown {
  let pattern: Pattern<unknown> | undefined;
  let misses = 0;
  return (text) => {
    if (pattern !== undefined && fill(pattern, text)) {
      misses = 0;
      return pattern.value;
    }
    const value = check(JSON.parse(text));
    if (misses < maxMisses && text.length <= maxChars) {
      misses += 1;
      pattern = learn(text, value, paths);
    }
    return value;
  };
}

/** Writes the text's values into the pattern's value. False if the text does not match; then that value is unusable. */
function fill({ holes, segments }: Pattern<unknown>, text: string): boolean {
  let at = 0;
  for (let index = 0; index < holes.length; index++) {
    const start = skip(text, at, segments[index] as string);
    const hole = holes[index] as Hole;
    if (start < 0) return false;
    at =
      typeof hole.holder[hole.key] === "string"
        ? fillString(hole, text, start)
        : fillCount(hole, text, start);
    if (at < 0) return false;
  }
  return skip(text, at, segments[holes.length] as string) === text.length;
}

/** The end of the segment at a place, or -1 if it is not there. */
function skip(text: string, at: number, segment: string): number {
  const end = at + segment.length;
  return text.slice(at, end) === segment ? end : -1;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has none in its strings
const special = /[\\\u0000-\u001f]/;

/** The end of the string that starts at a place, or -1 if there is none. */
function fillString({ holder, key }: Hole, text: string, start: number): number {
  if (text[start] !== '"') return -1;
  const quote = text.indexOf('"', start + 1);
  const content = text.slice(start + 1, quote);
  if (quote > 0 && !special.test(content)) {
    holder[key] = content;
    return quote + 1;
  }
  const end = endString(text, start + 1);
  if (end === text.length) return -1;
  try {
    holder[key] = JSON.parse(text.slice(start, end + 1));
    return end + 1;
  } catch {
    return -1;
  }
}

const zero = 48;
/** The most digits that a number holds exactly. */
const maxDigits = 15;

/** The end of the non-negative integer that starts at a place, or -1 if there is none: any other number is parsed. */
function fillCount({ holder, key }: Hole, text: string, start: number): number {
  let end = start;
  let count = 0;
  for (;;) {
    const digit = text.charCodeAt(end) - zero;
    if (!(digit >= 0 && digit <= 9)) break;
    count = count * 10 + digit;
    end += 1;
  }
  const digits = end - start;
  if (digits === 0 || digits > maxDigits || (digits > 1 && text.charCodeAt(start) === zero)) return -1;
  holder[key] = count;
  return end;
}

/** Undefined if the text has none of the values, or their places are not found. */
function learn<Value>(text: string, value: Value, paths: readonly JsonPath[]): Pattern<Value> | undefined {
  const holes = paths.flatMap((path) => findHole(text, value, path));
  if (holes.length === 0) return undefined;
  holes.sort((left, right) => left.start - right.start);
  const starts = [0, ...holes.map(({ end }) => end)];
  const ends = [...holes.map(({ start }) => start), text.length];
  // Copied through JSON: V8 makes a slice a view of the text it was cut from, so the whole chunk would stay in memory with the pattern.
  const segments = starts.map((start, index) => copy(text.slice(start, ends[index])));
  return provePattern(segments, paths, holes) ? { value, holes, segments } : undefined;
}

const copy = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

/** Where the value at a path is probably written: after its name, the only occurrence of the name with this value. */
function findHole(text: string, root: unknown, path: JsonPath): Hole[] {
  const key = String(path.at(-1));
  const holder = path.slice(0, -1).reduce(readMember, root) as Holder | undefined;
  const value = readMember(holder, key);
  if (typeof value !== "string" && typeof value !== "number") return [];
  const literal = JSON.stringify(value);
  const name = `"${key}":`;
  const at = text.indexOf(name) + name.length;
  const start = text[at] === " " ? at + 1 : at;
  const found = at >= name.length && text.startsWith(literal, start);
  return found ? [{ start, end: start + literal.length, holder: holder as Holder, key }] : [];
}

const readMember = (holder: unknown, key: string | number): unknown =>
  typeof holder === "object" && holder !== null && Object.hasOwn(holder, key)
    ? (holder as Holder)[key]
    : undefined;

/** Verifies the holes: writes other values into them, parses the text, and compares the values at the paths. */
function provePattern(
  segments: readonly string[],
  paths: readonly JsonPath[],
  holes: readonly Hole[],
): boolean {
  try {
    const mark = (index: number) => `hole ${index}`;
    const marked = segments.map((segment, index) =>
      index === holes.length ? segment : `${segment}${JSON.stringify(mark(index))}`,
    );
    const value: unknown = JSON.parse(marked.join(""));
    const marks = new Set(paths.map((path) => path.reduce(readMember, value)));
    return holes.every((_hole, index) => marks.has(mark(index)));
  } catch {
    return false;
  }
}
