/**
 * What a session's calls and results name: ids by the key they stand under. No model reads them, since a result is one vector and a
 * call is its tool's name. Pure.
 */
import { wordsOfName } from "../world-model/lexicon.ts";
import type { SessionEvent } from "./session-events.ts";

/** `turn`: where it stands. `isGiven`: by a result; else a call was made with it. */
export type NamedValue = { value: string; turn: number; isGiven: boolean };

export type SessionValues = {
  /** The values that a tool's parameter may be called with, as their keys say. */
  valuesFor(parameter: string, toolName: string): readonly NamedValue[];
  isUsed(value: string): boolean;
  /** Whether something with a number in it, as ids have, was said by the user or stands in a result: a value without a key. */
  hasLoose: boolean;
};

type Kept = NamedValue & { about: ReadonlySet<string> };

const idWords: ReadonlySet<string> = new Set(
  "id no nr num number ref reference uuid guid sku pid slug code key".split(" "),
);
/** Alone these are a program, a key of the keyboard, an amount. */
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

/** Whether a parameter takes something that only a result, or the user, can give: `orderId`, `booking_ref`. */
export function takesId(parameter: string): boolean {
  const words = readName(parameter);
  return words.length > 1 ? idWords.has(words.at(-1)!) : wholeNames.has(words[0] ?? "");
}

/** Keys with a value, lists and objects under a key, values of lists; `ref=e14` in plain text. A result may be cut anywhere. */
const scanned =
  /"([A-Za-z_][\w-]{0,40})"\s*:\s*(?:([[{])|"([^"]{0,80})"?|(-?[\d.]{1,40}))|"([^"\s]{1,40})"(?!\s*:)|\b([A-Za-z_]\w{0,24})=([\w.:/@-]{1,60})/g;
const loose = /\b(?=[\w-]*\d)[A-Za-z]{0,6}[-#]?\d[\w-]+\b/;

/** `parent`: the key of the object or list that it stands in. */
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

const nothing: ReadonlySet<string> = new Set();

export function readValues(turns: readonly SessionEvent[]): SessionValues {
  const known = new Map<string, Kept[]>();
  const used = new Set<string>();
  const names = new Map<string, string>();
  const nameOf = (key: string) => {
    const name = names.get(key) ?? readName(key).join(" ");
    names.set(key, name);
    return name;
  };
  let hasLoose = false;
  let called: string[] = [];
  for (const [turn, { kind, text, args = "" }] of turns.entries()) {
    if (kind === "user" || kind === "result") hasLoose ||= loose.test(text);
    if (kind !== "call" && kind !== "result") continue;
    const isGiven = kind === "result";
    if (!isGiven) called = readName(text);
    const ofParents = new Map<string, ReadonlySet<string>>();
    const aboutOf = (parent: string) => {
      const about = ofParents.get(parent) ?? new Set([...called, ...readName(parent)]);
      ofParents.set(parent, about);
      return about;
    };
    for (const { key, value, parent } of readPairs(isGiven ? text : args)) {
      const name = nameOf(key);
      const about = isGiven ? aboutOf(parent) : nothing;
      if (!isGiven) used.add(value);
      const values = known.get(name) ?? [];
      values.push({ value, turn, isGiven, about });
      known.set(name, values);
    }
  }
  const remembered = new Map<string, readonly NamedValue[]>();
  return {
    hasLoose,
    isUsed: (value) => used.has(value),
    valuesFor(parameter, toolName) {
      const words = readName(parameter);
      // Alone an `id` is one of what the tool is named after.
      const place = words.length > 1 ? parameter : `${parameter} ${toolName}`;
      const found = remembered.get(place) ?? findValues(known, words, toolName);
      remembered.set(place, found);
      return found;
    },
  };
}

const bareKeys = ["id", "number", "code", "key", "ref"];

function findValues(
  known: ReadonlyMap<string, readonly Kept[]>,
  words: readonly string[],
  toolName: string,
): readonly NamedValue[] {
  const own = known.get(words.join(" ")) ?? [];
  const owner = words.slice(0, -1);
  if (owner.length > 0) {
    // A result's `id` is one of what its call, or the list that it stands in, is named after.
    const bare = bareKeys.flatMap((key) => known.get(key) ?? []);
    return [...own, ...bare.filter(({ about }) => owner.every((word) => about.has(word)))];
  }
  const named = new Set(readName(toolName));
  const longer = [...known].flatMap(([name, values]) => {
    const others = name.split(" ");
    const last = others.pop()!;
    return others.length > 0 && idWords.has(last) && others.every((word) => named.has(word)) ? values : [];
  });
  return longer.length === 0 ? own : [...own, ...longer];
}
