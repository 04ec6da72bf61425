/**
 * Reads the JSON of one stream's chunks, which say the same around a few values again and again: what is around
 * them is compared with the chunk before, only the values are read. Gives what JSON.parse gives, and saves most
 * of its time where a provider's envelope is much larger than the piece of text in it.
 */

export type JsonPath = readonly (string | number)[];

type Holder = Record<string | number, unknown>;
type Hole = { start: number; end: number; holder: Holder; key: string };
/** A text read before: its value, and what stands before, between and after the values at the holes. */
type Pattern = { value: unknown; holes: Hole[]; segments: string[] };

/** A longer text is mostly values, and rarely one of many alike. */
const longestChars = 4_096;
/** Texts learnt for nothing, one after the other, before no more are. */
const mostMisses = 4;

/**
 * `paths` are where the changing strings and numbers may be, each ending in a name; those a text has not are passed
 * over. What the reader gives is good until the next text is read: the same objects come again.
 */
export function createJsonReader(paths: readonly JsonPath[]): (text: string) => unknown {
  let pattern: Pattern | undefined;
  let misses = 0;
  return (text) => {
    if (pattern !== undefined && fill(pattern, text)) {
      misses = 0;
      return pattern.value;
    }
    const value: unknown = JSON.parse(text);
    if (misses < mostMisses && text.length <= longestChars) {
      misses += 1;
      pattern = learn(text, value, paths);
    }
    return value;
  };
}

/** Puts the text's values in the pattern's holes. False, and nothing changed, where it is another text. */
function fill({ holes, segments }: Pattern, text: string): boolean {
  const values: unknown[] = [];
  let at = 0;
  for (let index = 0; index < segments.length; index++) {
    const segment = segments[index] as string;
    const end = at + segment.length;
    if (text.slice(at, end) !== segment) return false;
    if (index === holes.length) return assign(holes, values, end === text.length);
    const next = segments[index + 1] as string;
    // Found too early, inside a value: then what is before it is no JSON.
    at = index === holes.length - 1 ? text.length - next.length : text.indexOf(next, end);
    if (at < end) return false;
    const value = readValue(text.slice(end, at));
    if (value === undefined) return false;
    values.push(value);
  }
  return false;
}

function assign(holes: readonly Hole[], values: readonly unknown[], whole: boolean): boolean {
  if (!whole) return false;
  for (let index = 0; index < holes.length; index++) {
    const { holder, key } = holes[index] as Hole;
    holder[key] = values[index];
  }
  return true;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has none in its strings
const plainString = /^"[^"\\\u0000-\u001f]*"$/;
const plainNumber = /^(?:0|[1-9]\d{0,14})$/;

/** Undefined for what is no JSON. */
function readValue(text: string): unknown {
  if (plainString.test(text)) return text.slice(1, -1);
  if (plainNumber.test(text)) return Number(text);
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Undefined where the text has none of the values, or they are not found. */
function learn(text: string, value: unknown, paths: readonly JsonPath[]): Pattern | undefined {
  const holes = paths.flatMap((path) => findHole(text, value, path));
  if (holes.length === 0) return undefined;
  holes.sort((left, right) => left.start - right.start);
  const starts = [0, ...holes.map(({ end }) => end)];
  const ends = [...holes.map(({ start }) => start), text.length];
  // By way of JSON: a slice would keep the whole read alive that the text was cut from.
  const segments = starts.map((start, index) => copy(text.slice(start, ends[index])));
  return provePattern(segments, paths, holes) ? { value, holes, segments } : undefined;
}

const copy = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

/** Where the value at a path is likely to be written: after its name, the only time that it has this value. */
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

/** With other values in the holes the text says other values at the paths: so that is what the holes are. */
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
