/**
 * Tools that do the opposite of what is asked for: "lock the door" rules out `unlock_door`, "take a snapshot" `delete_snapshot`, and "cancel
 * the transfer" `transfer_money`. Pure.
 */
import { actionVerb, nameWords } from "../../world-model/text-templates.ts";
import { stemsOf } from "../../world-model/tool-ranking.ts";
import { wordsOf } from "../message/goal-text.ts";
import { changesByName, edits, type NamedTool } from "../session/call-effects.ts";
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

/** What is to end, named as what was done: "cancel the transfer to Ana", "stop my booking", "take down the job post". */
const ended =
  /\b(?:cancel|stop|undo|revert|reverse|revoke|abort|withdraw|retract|call\s+off|take\s+down)\s+(?:(?:the|my|our|his|her|their|that|this|a|an|all)\s+)?(?:(?!of\b|and\b|to\b)\p{L}+\s+)?(\p{L}{4,})/giu;
/** "Damn. Stop it", "abort that": what begins or makes something does not end it. Not beside "and reserve a seat to Milan" (`wants`). */
const endsIt =
  /\b(?:stop|abort|cancel|kill|undo)\s+(?:it|that|this|them|those|everything)(?=\s*(?:$|[.,;!?]|\b(?:please|pls|now|and|immediately|right)\b))/iu;
const wants = /\b(?:reserve|arrange|organi[sz]e|get|put|find|rent|buy|hire|plan|want|need)\b/iu;
/** Verbs of tools whose thing is what is to end: `start_vacuum` in "stop the vacuum", `request_refund` in "stop the refund". */
const begins = new Set(
  "start launch begin resume request create make add book schedule post order".split(" "),
);
/** "Undo the move of a.pdf" moves it back. Not "stop the update". */
const undoes = /\b(?:undo|revert|reverse)\b/iu;
const setsBack = /^(?:move|rename|change|update|modify|adjust|scale|resize|switch|swap|toggle|reschedule)\b/u;
/** Verbs that say otherwise what a prefix says in "unshare": "reopen the issue" rules out `close_issue`. */
const undoers = new Map([
  ["reopen", ["close"]],
  ["reinstate", ["cancel", "remove", "suspend"]],
  ["restore", ["delete", "remove", "archive"]],
  ["recover", ["delete", "remove"]],
]);
/** Words that undo no "play", "sign", "charge", "count", "patch" or "close". */
const noUndoing = /^(?:display|design|discharge|discount|dispatch|disclos)/u;
/** Then the same may be wanted once more, otherwise. */
const anew = /\b(?:new|another|other|instead|again|one|redo|rebook|resend|reschedule|replace)\b/iu;

/**
 * Tools that do what is to end: "cancel the transfer" rules out `transfer_money`, "stop the vacuum" `start_vacuum`, "stop the refund"
 * `request_refund`, "unshare it" `share_file`, unless the message names it once more.
 */
export function findEnded(goal: string, tools: readonly NamedTool[]): number[] {
  const words = wordsOf(goal);
  const isAnew = anew.test(goal);
  const stems = (isAnew ? [] : [...goal.matchAll(ended)]).flatMap(([, word]) => stemsOf(word!));
  const isEndOnly = endsIt.test(goal) && !isAnew && !wants.test(goal);
  const said = words.flatMap(stemsOf);
  const isEnded = (word: string) => stems.includes(word) && said.filter((one) => one === word).length === 1;
  const undoing = words.filter((word) => negative.test(word) && !noUndoing.test(word));
  const undone = new Set([
    ...undoing.map((word) => word.replace(negative, "")),
    ...words.flatMap((word) => undoers.get(word) ?? []),
  ]);
  return [...tools.keys()].filter((row) => {
    const name = nameWords(tools[row]!.name);
    const isGit = name.startsWith("git ");
    const verb = isGit ? name.split(" ")[1]! : actionVerb(tools[row]!.name);
    const isUnsaid = !words.includes(verb);
    const isBeginning = begins.has(verb) && isUnsaid;
    const names = isBeginning ? name.split(" ").filter((word) => word !== verb) : [verb];
    const isOut =
      names.flatMap(stemsOf).some(isEnded) || (undone.has(verb) && isUnsaid) || (isBeginning && isEndOnly);
    // "Undo the edit in parser.ts" is done by an edit.
    const isBack = edits.test(name) || (undoes.test(goal) && setsBack.test(name));
    return isOut && (isGit || changesByName(tools[row]!)) && !isBack;
  });
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
