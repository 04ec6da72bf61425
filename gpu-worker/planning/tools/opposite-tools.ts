/** Tools that do the opposite of what is asked for: "lock the door" rules out `unlock_door`. Pure. */
import { nameWords } from "../../world-model/text-templates.ts";
import { stemsOf } from "../../world-model/tool-ranking.ts";
import { wordsOf } from "../message/goal-text.ts";
import type { NamedTool } from "../session/call-effects.ts";

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
