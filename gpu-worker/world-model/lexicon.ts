/**
 * Reads a tool's or action's name: its words, its canonical verb, the class of its object. The tables (verbs.json, objects.json,
 * name-verbs.json) are the checkpoint's; training/actions/mapping.py has the same rule.
 */
import { z } from "zod";
import { Effect } from "./manifest.ts";

export const VerbTable = z.record(z.string(), z.object({ effect: Effect, synonyms: z.array(z.string()) }));
export const ObjectTable = z.record(z.string(), z.array(z.string()));
/** Verb -> words that mean it in a name only, such as "math" or "status_of", in addition to its synonyms. */
export const NameVerbTable = z.record(z.string(), z.array(z.string()));

export type NameReading = {
  words: readonly string[];
  verb: string | undefined;
  object: string | undefined;
};

export type Lexicon = {
  readName(name: string): NameReading;
};

const prepositions = new Set("by for of from in with to on at and or via within since".split(" "));

const pluralEndings = [
  ["ies", "y"],
  ["sses", "ss"],
  ["shes", "sh"],
  ["ches", "ch"],
  ["xes", "x"],
  ["ss", "ss"],
  ["us", "us"],
  ["is", "is"],
  ["s", ""],
] as const;

/** "flights" -> "flight": removes the ending, without a dictionary. */
export function singular(word: string): string {
  for (const [ending, replacement] of pluralEndings) {
    if (word.endsWith(ending) && word.length > ending.length + 1)
      return word.slice(0, -ending.length) + replacement;
  }
  return word;
}

/**
 * "getHCFValue" -> "get HCF Value". The expression looks only at neighbouring characters: one that matches whole runs of capitals
 * takes hours for a million.
 */
export const splitCase = (name: string): string =>
  name.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ");

/** "mcp__mail.sendEmail" -> ["mcp", "mail", "send", "email"]: every word of a name, service prefix included. */
export const wordsOfName = (name: string): string[] =>
  splitCase(name)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

/** Words of a name -> the class of the thing it is about: of the last span of up to three words that has one. */
type FindObject = (words: readonly string[]) => string | undefined;

const createFindObject =
  (objects: ReadonlyMap<string, string>): FindObject =>
  (words) => {
    for (let end = words.length; end > 0; end--) {
      for (const size of [3, 2, 1]) {
        if (size > end) continue;
        const parts = words.slice(end - size, end);
        const kind =
          objects.get(parts.join("_")) ??
          objects.get([...parts.slice(0, -1), singular(parts.at(-1)!)].join("_"));
        if (kind !== undefined) return kind;
      }
    }
    return undefined;
  };

export function createLexicon(
  verbTable: z.infer<typeof VerbTable>,
  objectTable: z.infer<typeof ObjectTable>,
  nameVerbTable: z.infer<typeof NameVerbTable>,
): Lexicon {
  const nameVerbs = new Map<string, string>();
  for (const [verb, { synonyms }] of Object.entries(verbTable)) {
    for (const word of [...synonyms, verb]) nameVerbs.set(word, verb);
  }
  for (const [verb, words] of Object.entries(nameVerbTable)) {
    for (const word of [...words, verb]) nameVerbs.set(word, verb);
  }
  const objects = new Map<string, string>();
  for (const [kind, members] of Object.entries(objectTable)) {
    for (const word of members) if (!objects.has(word)) objects.set(word, kind);
  }
  for (const kind of Object.keys(objectTable)) objects.set(kind, kind);

  const findObject = createFindObject(objects);
  return {
    readName(name) {
      // The last part after a dot names the function; the parts before it name the service.
      const words = wordsOfName(
        name
          .split(/[./:]|__/)
          .filter((part) => part !== "")
          .at(-1) ?? name,
      );
      const spans = [2, 1].flatMap((size) =>
        words.flatMap((_, at) =>
          nameVerbs.has(words.slice(at, at + size).join("_")) && at + size <= words.length
            ? [{ at, size }]
            : [],
        ),
      );
      const plain = spans.filter(({ at, size }) => size === 2 || !objects.has(singular(words[at]!)));
      // A word that is also a noun ("order", "book") is the verb only if the name has no other verb.
      const [chosen] = (plain.length > 0 ? plain : spans).sort((a, b) => a.at - b.at || b.size - a.size);
      if (!chosen) return { words, verb: undefined, object: findObject(words) };
      const verb = nameVerbs.get(words.slice(chosen.at, chosen.at + chosen.size).join("_"))!;
      const after = words.slice(chosen.at + chosen.size);
      const stop = after.findIndex((word) => prepositions.has(word));
      const direct = stop === -1 ? after : after.slice(0, stop);
      const object =
        findObject(direct) ?? findObject(words.slice(0, chosen.at)) ?? findObject(after.slice(direct.length));
      return { words, verb, object };
    },
  };
}
