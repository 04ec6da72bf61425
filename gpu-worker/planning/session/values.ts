/**
 * The ids in a session's calls and results, by the key under which they stand. No model reads them, since a result is one vector
 * and a call only its tool's name. Pure.
 */
import { maxNeedLetters } from "../../../shared/planning.ts";
import { wordsOfName } from "../../world-model/lexicon.ts";
import type { SessionEvent } from "./events.ts";

/** `turn`: index of its turn. `isGiven`: it comes from a result; otherwise from a call's arguments. */
export type NamedValue = { value: string; turn: number; isGiven: boolean };

export type SessionValues = {
  /** The values that fit a tool's parameter, judged by their keys; undefined beyond the bound on comparisons. */
  valuesFor(parameter: string, toolName: string): readonly NamedValue[] | undefined;
  isUsed(value: string): boolean;
  /** Whether the user, or a result without keys, mentions something with a number in it, as ids have. */
  hasLoose: boolean;
};

/** `about`: the words that say what a bare "id" is an id of, those of the call's name and of the key around it. */
type Kept = NamedValue & { about: ReadonlySet<string> };
/** The values by their key's words, joined by spaces. */
type Known = ReadonlyMap<string, { words: readonly string[]; values: readonly Kept[] }>;

/**
 * Bounds on the values and on the different parameters of a session, since each parameter is compared with every value that stands
 * under a bare key. Unbounded, 2,048 parameters and 5,000 values took 4 s of a thread; within these bounds (and those of a name,
 * `maxNeedLetters` and `maxWords`) it takes 10 ms.
 */
const maxValues = 1_024;
const maxParameters = 128;
const maxWords = 8;

const idWords: ReadonlySet<string> = new Set(
  "id no nr num number ref reference uuid guid sku pid slug code key".split(" "),
);
/** Id words that count as a whole name. The other id words alone may mean a program, a key of the keyboard or an amount. */
const wholeNames: ReadonlySet<string> = new Set([
  "id",
  "ref",
  "reference",
  "uuid",
  "guid",
  "sku",
  "pid",
  "slug",
]);

const singular = (word: string): string => {
  if (word.length <= 2 || /(?:ss|us|is)$/.test(word)) return word;
  return word
    .replace(/ies$/, "y")
    .replace(/(ch|sh|x|ss)es$/, "$1")
    .replace(/s$/, "");
};
const readName = (name: string): string[] => wordsOfName(name).map(singular);

/** Whether a parameter takes an id, which only a result or the user can give: `orderId`, `booking_ref`. */
export function takesId(parameter: string): boolean {
  if (parameter.length > maxNeedLetters) return false;
  const words = readName(parameter);
  if (words.length > maxWords) return false;
  return words.length > 1 ? idWords.has(words.at(-1)!) : wholeNames.has(words[0] ?? "");
}

/** A key of JSON, with the bracket of its list or object, its text or its number. The text's quote may be missing: results are cut. */
const keyWithValue = String.raw`"([A-Za-z_][\w-]{0,40})"\s*:\s*(?:([[{])|"([^"]{0,80})"?|(-?[\d.]{1,40}))`;
const listItem = String.raw`"([^"\s]{1,40})"(?!\s*:)`;
/** `ref=e14`. */
const plainPair = String.raw`\b([A-Za-z_]\w{0,24})=([\w.:/@-]{1,60})`;
const scanned = new RegExp(`${keyWithValue}|${listItem}|${plainPair}`, "g");
/** Something with a number in it, as ids have. */
const loose = /\b[A-Za-z]{0,6}[-#]?\d[\w-]+\b/;
/** The same in the words of a user, who also counts: "order 4711", but not "45 minutes". */
const looseInMessage = /#\w*\d|\b[A-Za-z]{1,6}[-#]?\d[\w-]+\b|\b\d{3,}\b/;

/** `parent`: the key of the object or list around the pair. */
type Pair = { key: string; value: string; parent: string };

function readPairs(text: string): Pair[] {
  const pairs: Pair[] = [];
  let parent = "";
  let list = "item";
  for (const [, key, opening, quoted, number, item, plainKey, plain] of text.matchAll(scanned)) {
    if (plainKey !== undefined) pairs.push({ key: plainKey, value: plain!, parent: "" });
    else if (item !== undefined) pairs.push({ key: list, value: item, parent: "" });
    else if (opening === undefined) pairs.push({ key: key!, value: quoted ?? number!, parent });
    else {
      parent = key!;
      if (opening === "[") list = key!;
    }
  }
  return pairs;
}

const noWords: ReadonlySet<string> = new Set();

/** The pairs of each turn; if there are too many, those of the newest turns. */
function readNewestPairs(turns: readonly SessionEvent[]): Pair[][] {
  let room = maxValues;
  return turns
    .toReversed()
    .map(({ kind, text, args = "" }) => {
      if (room === 0 || (kind !== "call" && kind !== "result")) return [];
      const pairs = readPairs(kind === "call" ? args : text).slice(0, room);
      room -= pairs.length;
      return pairs;
    })
    .reverse();
}

/** The values in a session's calls and results; if there are too many, the newest. `turns`: oldest first. */
export function readValues(turns: readonly SessionEvent[]): SessionValues {
  const known = new Map<string, { words: string[]; values: Kept[] }>();
  const used = new Set<string>();
  const byKey = new Map<string, Kept[]>();
  const valuesUnder = (key: string): Kept[] => {
    const words = readName(key);
    const name = words.join(" ");
    const entry = known.get(name) ?? { words, values: [] };
    known.set(name, entry);
    byKey.set(key, entry.values);
    return entry.values;
  };
  let called: string[] = [];
  let hasLoose = false;
  for (const [turn, pairs] of readNewestPairs(turns).entries()) {
    const { kind, text } = turns[turn]!;
    if (kind === "user") hasLoose ||= looseInMessage.test(text);
    else if (kind === "result" && pairs.length === 0) hasLoose ||= loose.test(text);
    const isGiven = kind === "result";
    if (kind === "call") called = readName(text);
    const ofParents = new Map<string, ReadonlySet<string>>();
    const aboutOf = (parent: string) => {
      const about = ofParents.get(parent) ?? new Set([...called, ...readName(parent)]);
      ofParents.set(parent, about);
      return about;
    };
    for (const { key, value, parent } of pairs) {
      if (!isGiven) used.add(value);
      const values = byKey.get(key) ?? valuesUnder(key);
      values.push({ value, turn, isGiven, about: isGiven ? aboutOf(parent) : noWords });
    }
  }
  const remembered = new Map<string, readonly NamedValue[]>();
  return {
    hasLoose,
    isUsed: (value) => used.has(value),
    valuesFor(parameter, toolName) {
      const words = readName(parameter);
      // A parameter that is only `id` is an id of the thing in the tool's name.
      const place = words.length > 1 ? parameter : `${parameter} ${toolName}`;
      if (!remembered.has(place) && remembered.size === maxParameters) return undefined;
      const found = remembered.get(place) ?? findValues(known, words, toolName);
      remembered.set(place, found);
      return found;
    },
  };
}

/** Keys that say of a value that it is an id, but not of what. */
const bareKeys = ["id", "number", "code", "key", "ref"];

function findValues(known: Known, words: readonly string[], toolName: string): readonly NamedValue[] {
  const own = known.get(words.join(" "))?.values ?? [];
  const owner = words.slice(0, -1);
  if (owner.length > 0) {
    // A bare `id` in a result is an id of the thing in the call's name, or in the key of the list around it.
    const bare = bareKeys.flatMap((key) => known.get(key)?.values ?? []);
    return [...own, ...bare.filter(({ about }) => owner.every((word) => about.has(word)))];
  }
  const named = new Set(readName(toolName));
  const longer = [...known.values()].flatMap(({ words: others, values }) => {
    const isId = others.length > 1 && idWords.has(others.at(-1)!);
    return isId && others.slice(0, -1).every((word) => named.has(word)) ? values : [];
  });
  return longer.length === 0 ? own : [...own, ...longer];
}
