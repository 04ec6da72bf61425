/** Tools that do the opposite of what is asked for: "lock the door" rules out `unlock_door`. Pure. */
import { nameWords } from "../../world-model/text-templates.ts";
import { stemsOf } from "../../world-model/tool-ranking.ts";
import { wordsOf } from "../message/goal-text.ts";
import type { NamedTool } from "../session/call-effects.ts";
import { escaped } from "../session/escaped.ts";

const negative = /^(?:un|dis|de)(?=\p{L}{2})/u;
const positive = /^(?:en|in)(?=\p{L}{2})/u;
/**
 * A word without the prefix that makes it the opposite of another: "uninstall" and "install", "disable" and "enable"; "off"
 * becomes "on".
 */
export const rootOf = (word: string): string =>
  word === "off" ? "on" : word.replace(negative, "").replace(positive, "");

/** Uses of "off" that ask for nothing: "the wifi is off" (a state), "20% off" (a price), "I am off to work". */
const idleOff =
  /(?:\b(?:is|are|am|was|were|be|been|went|goes|got|still|already)|['’](?:s|m|re)|%|\bpercent)\s+off\b|\boff\s+(?:to|of|from|work)\b/giu;

/**
 * Among tools whose names differ only in a word and its opposite ("lock_door", "unlock_door"), those whose word is not in the
 * goal while the opposite is.
 */
export function findOpposites(goal: string, tools: readonly NamedTool[]): Set<number> {
  // Words as written, not stems: "the door is unlocked" asks for neither tool.
  const asked = new Set(wordsOf(goal.replace(idleOff, " ")));
  const said = new Set([...wordsOf(goal), ...stemsOf(goal)]);
  const named = tools.map(({ name }) => nameWords(name).split(" "));
  const alike = Map.groupBy(named.keys(), (row) => named[row]!.map(rootOf).join(" "));
  const refused = new Set<number>();
  for (const rows of alike.values()) {
    for (const row of rows) {
      const isOther = (one: number) => {
        const differ = named[one]!.flatMap((word, at) => (word === named[row]![at] ? [] : [at]));
        const [at] = differ;
        if (at === undefined || differ.length > 1) return false;
        const [word, own] = [named[one]![at]!, named[row]![at]!];
        // "On" is too frequent a word to ask for anything ("kill the lights on the terrace").
        const opposite = word === "off" || (word !== "on" && negative.test(word) !== negative.test(own));
        return opposite && asked.has(word) && !said.has(own);
      };
      if (rows.some(isOther)) refused.add(row);
    }
  }
  return refused;
}

const makes = new Set(["create", "add", "make", "new"]);
const removes = new Set(["delete", "remove"]);
/** Says that a thing is to be made, in front of it: "take a snapshot of i-9". */
const making = String.raw`\b(?:create|add|make|take|write|generate|draw|open|need|want|get)\s+(?:me\s+|us\s+)?(?:an?|another|one\s+more|a\s+new)\s+(?:\p{L}+\s+){0,2}?`;
/** Then a thing may have to go: also "take an item out of my cart", "I don't need a booking". */
const removing =
  /n['’]t\b|\b(?:not|never|no\s+longer|vanish|gone)\b|\b(?:take|get)\b.{0,80}\b(?:off|out|away|from)\b|\b(?:delet|remov|eras|clear|clean|drop|discard|get(?:ting)?\s+rid|replac|swap|instead|prun|wip|trash|purg|undo|old|expired?|cancel|redo|recreat)\p{L}*/iu;

/** Tools that remove a thing, where the message only asks to make one, and a tool does: "take a snapshot" rules out `delete_snapshot`. */
export function findRemoving(goal: string, tools: readonly NamedTool[]): number[] {
  if (removing.test(goal)) return [];
  const named = tools.map(({ name }) => nameWords(name).split(" "));
  const thingOf = ([, ...thing]: readonly string[]) => thing.join(" ");
  const made = new Set(named.flatMap((words) => (makes.has(words[0]!) ? [thingOf(words)] : [])));
  return [...named.keys()].filter((row) => {
    const thing = thingOf(named[row]!);
    return (
      removes.has(named[row]![0]!) &&
      thing !== "" &&
      made.has(thing) &&
      new RegExp(making + escaped(thing), "iu").test(goal)
    );
  });
}

/**
 * Whether a tool of a verb is named after what a text asks for, and not after `things`. "Book a flight" has `book_flight`; for "delete the
 * logs, but not the file a.log" `delete_file` may be needed, where no tool is named after logs.
 */
export function serves(
  asked: string,
  verbs: readonly string[],
  things: readonly string[],
  tools: readonly NamedTool[],
): boolean {
  const said = new Set(wordsOf(asked).filter((word) => !verbs.includes(word)));
  const names = tools.map(({ name }) => nameWords(name).split(" "));
  const has = (words: readonly string[], some: readonly string[]) =>
    words.some((word) => some.includes(word));
  return names.some(
    (words) => has(words, verbs) && !has(words, things) && words.some((word) => said.has(word)),
  );
}
