/**
 * What the last message still asks for once a call has served a part of it: the next thing of a list ("milk, eggs and bread"), the next
 * entry of a result that is worked through ("approve all of them"), to tell somebody, and what a tool is named after ("and close 19"). Pure.
 */
import type { PlanningConfig } from "../../world-model/planning-config.ts";
import { nameWords } from "../../world-model/text-templates.ts";
import { isFailure } from "./after-failures.ts";
import { effectsOfCalls, isShell, keepsNotes, type NamedTool } from "./call-effects.ts";
import { escaped } from "./escaped.ts";
import { lastGoal, readCalls, type SessionEvent } from "./events.ts";
import { checks, edits } from "./file-tools.ts";
import { showsPassed } from "./test-results.ts";

type Weights = Pick<PlanningConfig["session"]["evidence"], "nextItem" | "tells">;

/** What is added to a tool's log odds, and whether a tool is still to be called. */
export type LeftOver = { score: (tool: string) => number; isOpen: boolean };

const texts = /"(?:[^"\\]|\\.){1,80}"(?=\s*[,}\]])|(?<=:\s?)-?\d{1,12}(?=\s*[,}\]])/gu;
/** Asks for several things at once, each of which may take a call. */
const several = /\b(?:all|each|every|them|these|those)\b|\bthe\s+(?:\p{L}+\s+){0,2}\p{L}{2,}(?<!s)s\b/iu;
/** Behind a thing of a list: the next one. */
const next = /^(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)([^\s,;?!]+?)(?=\.?$|[\s,;?!]|\.\s)/iu;
/** The same kind of word: a mail address, a number, a name, a file. */
const kinds = [/^\S+@\S+$/u, /^[#\w-]*\d[\w.-]*$/u, /^\p{Lu}[\p{L}'’-]*$/u, /^[\w/.-]+\.\p{L}\w{0,5}$/u];

/** Behind the first thing of three: "eggs and bread" behind "milk". */
const oneOfMany = /^\s*,\s*\p{L}+(?:,|,?\s+and\s)/u;
/** Two things of a kind are similarly long: "9120 and 9130", not "order 9120 and 3 lamps". */
const maxUnlike = 12;

/** Bounds on what is compared: each value is looked for in each text. */
const maxLooked = 16;
const maxResults = 8;

/** Asks to tell somebody other than the user. */
const telling =
  /(?:^|[,.;!]\s*|\b(?:and|then|also|please)\s+)(?:(?:tell|notify|inform|message|ping|text|e-?mail|mail|write(?:\s+to)?)\s+(?:[#@]\w|(?:him|her|them|every(?:one|body))\b|(?:my|our|the)\s+\p{L}+|(?-i:\p{Lu}\p{L}))|let\s+(?!me\b|us\b|you\b|it\b)[#@]?\S+\s+know\b)/iu;
const tells = /\b(?:send|post|reply|e?mail|message|notify|sms|slack)\b/u;
const drafts = /\b(?:draft|read|search|list|get|delete|update)\b/u;

/** `turns`: oldest first, without the system prompt. */
export function readLeftOver(
  turns: readonly SessionEvent[],
  tools: readonly NamedTool[],
  weights: Weights,
): LeftOver {
  const goal = lastGoal(turns);
  const calls = readCalls(turns).filter(({ name, turn }) => turn > goal && !keepsNotes(name));
  const last = calls.at(-1);
  const effectOf = effectsOfCalls(tools);
  const changes = (call: (typeof calls)[number]) => effectOf(call.call) !== "look";
  const none = { score: () => 0, isOpen: false };
  if (last === undefined || last.result === undefined || last.result !== turns.at(-1)) return none;
  if (isShell(last.name) || isFailure(last, changes(last))) return none;
  const { text } = turns[goal]!;
  const args = calls.map(({ call }) => call.args ?? "").join("\n");
  const own = last.call.args ?? "";
  const isListed = hasNextNamed(text, own, args);
  const isChanged = changes(last);
  // Which entries are meant is not known ("the orders of November"), so none is paid, sent or deleted for being listed.
  const isWorked =
    effectOf(last.call) === "write" &&
    several.test(text) &&
    hasNextEntry(turns.slice(0, last.turn), own, args);
  const isTold = calls.some(({ name }) => tells.test(nameWords(name)));
  const isTelling = isChanged && !isTold && telling.test(text);
  const named = findNamed(
    text,
    tools,
    calls.map(({ name }) => name),
    calls.some(changes),
  );
  const isDue = (tool: string) =>
    checks.test(nameWords(tool))
      ? edits.test(nameWords(last.name))
      : isChanged || showsPassed(last.result!.text);
  return {
    score: (tool) =>
      ((isListed || isWorked) && tool === last.name ? weights.nextItem : 0) +
      (isTelling && tells.test(nameWords(tool)) && !drafts.test(nameWords(tool)) ? weights.tells : 0) +
      (named.has(tool) && isDue(tool) ? weights.tells : 0),
    isOpen: isListed || named.size > 0,
  };
}

/** Words that open an order: "merge it and close 19". */
const orders =
  /(?:^|[,.;!]\s*|\b(?:and|then|also|please)\s+)(?:(?:and|then|also|please)\s+)*(\p{L}{3,})\b/giu;
/** Verbs that say nothing of the tool by themselves: "make it red" is not `chart_make`. */
const light = /^(?:make|get|set|put|take|give|have|use|run|let)$/u;
/** Then it is not known before a change whether the orders behind it hold. */
const conditions =
  /\b(?:if|unless|otherwise|else|when(?:ever)?|once|until|maybe|don['’]?t|do\s+not|never|without|instead)\b/iu;

/** Tools that are named after the first order of the message for which no tool of its name has been called. */
function findNamed(
  text: string,
  tools: readonly NamedTool[],
  called: readonly string[],
  isChanged: boolean,
): ReadonlySet<string> {
  if (conditions.test(text) && !isChanged) return new Set();
  const wordsOf = (name: string) => nameWords(name).split(" ");
  const served = new Set(called.flatMap(wordsOf));
  const words = [...text.matchAll(orders)].map(([, word]) => word!.toLowerCase());
  // What stands before it is done first: in "go to the shop and take a picture" the picture waits for the shop.
  const open = words.find((word) => !served.has(word));
  if (open === undefined || open === words[0] || light.test(open)) return new Set();
  return new Set(tools.flatMap(({ name }) => (wordsOf(name).includes(open) ? [name] : [])));
}

const valuesOf = (args: string): string[] =>
  [...args.matchAll(texts)]
    .map(([value]) => value.replace(/^"|"$/gu, ""))
    .flatMap((value) => {
      const file = /^\/\S*\/([^\s/]+)$/u.exec(value)?.[1];
      return file === undefined ? [value] : [value, file];
    });

/** Whether the message names, behind what the last call was for, another thing of its kind for which there is no call. */
function hasNextNamed(text: string, last: string, all: string): boolean {
  return valuesOf(last)
    .slice(0, maxLooked)
    .some((value) => {
      const whole = new RegExp(String.raw`(?<![\w.-])${escaped(value)}(?![\w-])`, "iu");
      const at = text.search(whole);
      if (at === -1) return false;
      const rest = text.slice(at + value.length);
      const item = next.exec(rest)?.[1];
      if (item === undefined || isUsed(all, item)) return false;
      const own = text.slice(at, at + value.length);
      if (oneOfMany.test(rest) && /^\p{L}+$/u.test(own)) return true;
      return (
        kinds.some((kind) => kind.test(own) && kind.test(item)) &&
        Math.abs(own.length - item.length) < maxUnlike
      );
    });
}

/** Whether any call's arguments have a word or a number. */
const isUsed = (args: string, item: string): boolean =>
  new RegExp(String.raw`(?<![\w-])${escaped(item)}(?![\w-])`, "iu").test(args);

/** Whether a result listed what the last call was for beside another entry for which there is no call. */
function hasNextEntry(before: readonly SessionEvent[], last: string, all: string): boolean {
  const used = new Set(valuesOf(all));
  const results = before
    .filter(({ kind }) => kind === "result")
    .slice(-maxResults)
    .map(({ text }) => text);
  return valuesOf(last)
    .slice(0, maxLooked)
    .some((value) =>
      results.some((result) => {
        const key = new RegExp(String.raw`"(\w{1,40})"\s*:\s*"?${escaped(value)}(?=["\s,}\]])`).exec(
          result,
        )?.[1];
        if (key === undefined) return false;
        const entries = result.matchAll(new RegExp(String.raw`"${key}"\s*:\s*"?([^"\s,}\]]{1,80})`, "g"));
        return [...entries].some(([, entry]) => !used.has(entry!));
      }),
    );
}
