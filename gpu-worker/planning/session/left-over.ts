/**
 * What the last message still asks for once a call has served a part of it: the next thing of a list ("milk, eggs and bread"), its own or
 * the assistant's ("refund them"), the second of two ("cancel both"), to tell somebody, and what a tool is named after ("and close 19"). Pure.
 */
import type { PlanningConfig } from "../../world-model/planning-config.ts";
import { nameWords } from "../../world-model/text-templates.ts";
import { isFailure } from "./after-failures.ts";
import { checks, edits, effectsOfCalls, isShell, type NamedTool } from "./call-effects.ts";
import { type Due, nothingDue, readWork } from "./due.ts";
import { escaped } from "./escaped.ts";
import { lastGoal, type SessionEvent } from "./events.ts";
import { readSecond } from "./follow-ups.ts";
import { showsPassed } from "./test-results.ts";

type Weights = Pick<PlanningConfig["session"]["evidence"], "nextItem" | "tells">;

const texts = /"(?:[^"\\]|\\.){1,80}"(?=\s*[,}\]])|(?<=:\s?)-?\d{1,12}(?=\s*[,}\]])/gu;
/** Behind a thing of a list: the others, with an "and" before the last one, or with commas alone up to the end of the sentence. */
const item = String.raw`(?:(?:the|my)\s+)?[^\s,;?!]+?`;
const behind = new RegExp(
  String.raw`^((?:\s*,\s*(?!and\b)${item}){0,9}?)(?:,?\s+(?:and|&)\s+(${item})(?=\.?$|[\s,;?!]|\.\s)|(?=\.?$|[;?!]|\.\s))`,
  "iu",
);
/** The same kind of word: a mail address, a number, a file, a name, an abbreviation. */
const kinds = [
  /^\S+@\S+$/u,
  /^[#\w-]*\d[\w.-]*$/u,
  /^[\w/.-]+\.\p{L}\w{0,5}$/u,
  /^\p{Lu}[\p{Ll}'’-][\p{L}'’-]*$/u,
  /^(?!B?CC$)\p{Lu}{2,}$/u,
];
/** With commas alone "Rome, Italy" is one place, and "groceries, urgent" one thing. */
const plainKinds = kinds.slice(0, 3);
/** Behind plain words: where the list ends, so that "lunch, thursday, and keep it short" is none. */
const endsList = /^\W*(?:$|[.;!?]|(?:to|on|in|from|for|at|with|as|please|off|now)\b)/iu;
/** "From 10 to 12", "between 10 and 12" are one thing; so are "5 days". */
const spans = /\b(?:between|from)\s+$/iu;
const units =
  /^\s*(?:%|(?:days?|weeks?|months?|years?|hours?|minutes?|times|people|nights?|euros?|dollars?|percent)\b)/iu;
/** Two things of a kind are similarly long: "9120 and 9130", not "order 9120 and 3 lamps". */
const maxUnlike = 12;

/** Bounds on what is compared: each value is looked for in each text. */
const maxLooked = 16;

/** Asks to tell somebody other than the user, whatever comes. Not "tell Karl if it fails", "tell the difference". */
const telling =
  /(?:^|[,.;!]\s*|\b(?:and|then|also|please)\s+)(?:(?:tell|notify|inform|message|ping|text|e-?mail|mail|write(?:\s+to)?)\s+(?:[#@]\w|(?:him|her|them|every(?:one|body))\b|(?:my|our|the)\s+(?!difference|time|truth)\p{L}+|(?-i:\p{Lu}\p{L}))|let\s+(?!me\b|us\b|you\b|it\b)[#@]?\S+\s+know\b)(?![^.;!]{0,200}\b(?:if|unless|when|once|in\s+case)\b)/iu;
const tells = /\b(?:send|post|reply|e?mail|message|notify|sms|slack)\b/u;
const drafts = /\b(?:draft|read|search|list|get|delete|update)\b/u;

/** `turns`: oldest first, without the system prompt. */
export function readLeftOver(
  turns: readonly SessionEvent[],
  tools: readonly NamedTool[],
  weights: Weights,
): Due {
  const calls = readWork(turns);
  const last = calls.at(-1);
  const effectOf = effectsOfCalls(tools);
  const changes = ({ call }: (typeof calls)[number]) => effectOf(call) !== "look";
  if (last === undefined || last.result === undefined || last.result !== turns.at(-1)) return nothingDue;
  if (isShell(last.name) || isFailure(last, changes(last))) return nothingDue;
  const goal = lastGoal(turns);
  const { text } = turns[goal]!;
  const argsOf = (of: typeof calls) => of.map(({ call }) => call.args ?? "").join("\n");
  // Assigning both tickets moves neither. But what was looked up may not have been meant to be paid.
  const isCommitted = effectOf(last.call) === "commit";
  const done = argsOf(isCommitted ? calls : calls.filter(({ name }) => name === last.name));
  const listed =
    ordersForAll.test(text) && turns[goal - 1]?.kind === "assistant" ? turns[goal - 1]!.text : "";
  const isListed = [text, listed].some((said) => hasNextNamed(said, last.call.args ?? "", { done, tools }));
  const isChanged = changes(last);
  const isHalf = isChanged && isHalfDone(text, last, calls.filter(({ name }) => name === last.name).length);
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
      ((isListed || isHalf) && tool === last.name ? weights.nextItem : 0) +
      (isTelling && tells.test(nameWords(tool)) && !drafts.test(nameWords(tool)) ? weights.tells : 0) +
      (named.has(tool) && isDue(tool) ? weights.tells : 0),
    isOpen: isListed || isHalf || [...named].some(isDue),
  };
}

/**
 * Orders something for all things that the assistant has just named: "901 and 902" before "mark them as sent". Not "refund the cheaper of
 * them", "refund 901, that's all", "tell them", "compare both and refund the dearer one".
 */
const ordersForAll =
  /^\W*(?:(?:ok(?:ay)?|yes|great|thanks|good|then|now|and|please|so|oh|wait|hm+)[\s,.!]+){0,4}(?!(?:not|no|that|let|tell|ask|give|show|thank|compare|check)\b)\p{L}{2,}\s+(?:(?:all|both)\s+(?:of\s+)?)?(?:them|these|those|both|all)\b(?!.*\b(?:one|first|second|third|last|either|only|just|except|but|not)\b)/isu;
/** "Cancel both", "share it with both of them". Not "yes both" or "do both", which are of two kinds, nor "both said yes". */
const both =
  /\b(?!(?:yes|yep|yeah|do|try|are|for|from|but|and|the|says?|said)\b)\p{L}{3,}\s+both(?:\s+(?:of\s+(?:them|those|these)|please|now|then|too|as\s+well))*(?=\W*$|[.,;!]|\s+and\b)/iu;

/** Then both are only looked at or spoken of: "compare both and save the better one", "I need both". */
const weighs =
  /\b(?:compare|check|review|read|look|see|show|like|love|want|need|have|know|consider|between)\b[^.,;!?]{0,40}\sboth\b/iu;

/** Whether one call was made of the two that "both" or "and Emma too" takes: none of files, and none that took a list. */
function isHalfDone(
  text: string,
  { name, call }: ReturnType<typeof readWork>[number],
  count: number,
): boolean {
  const { args = "" } = call;
  const second = readSecond(text);
  return (
    count === 1 &&
    ((both.test(text) && !weighs.test(text)) || (second !== undefined && !isUsed(args, second))) &&
    !edits.test(nameWords(name)) &&
    !/\[[^\]]{0,200},|@[^\s"]{1,200},|"[^",]{1,200},\s?[^"]{0,200}"/u.test(args)
  );
}

/** Words that open an order: "merge it and close 19". */
const orders =
  /(?:^|[,.;!]\s*|\b(?:and|then|also|please)\s+)(?:(?:and|then|also|please)\s+)*(\p{L}{3,})\b(?=(?<rest>.{0,30}))/gisu;
/** Behind a verb, and not behind a noun: "refund it", "close 19"; not "refund status". */
const ordered =
  /^(?:[.,;!?]|$|\s+(?:it|them|that|this|the|an?|my|our|your|his|her|their|all|each|every|to|on|in|for|with|as|into|and|then|please|["'`#@\d]|(?-i:\p{Lu})|\p{L}+(?<![iu])s(?=[.,;!?]|$|\s+and\b)))/iu;
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
  const words = [...text.matchAll(orders)].flatMap(({ 1: word, index, groups }) =>
    index === 0 || ordered.test(groups!.rest!) ? [word!.toLowerCase()] : [],
  );
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

type Made = { done: string; tools: readonly NamedTool[] };

/**
 * Whether the message names, behind what the last call was for, another thing of its kind for which there is no call. `done`: the
 * arguments of the calls that count. "Rename it to draft and archive" names an order, after which a tool is named.
 */
function hasNextNamed(text: string, last: string, { done, tools }: Made): boolean {
  const orders = new Set(tools.flatMap(({ name }) => nameWords(name).split(" ")));
  return valuesOf(last)
    .slice(0, maxLooked)
    .some((value) => {
      // A call that takes a list has taken what it could.
      if (new RegExp(String.raw`\[[^\]]*"${escaped(value)}"[^\]]*\]`).exec(last)?.[0].includes(","))
        return false;
      const whole = new RegExp(String.raw`(?<![\w.-])${escaped(value)}(?![\w-])`, "iu");
      const at = text.search(whole);
      if (at === -1 || spans.test(text.slice(Math.max(0, at - 16), at))) return false;
      const end = at + value.length;
      const [item] = readList(text.slice(at, end), text.slice(end));
      return item !== undefined && !orders.has(item.toLowerCase()) && !isUsed(done, item);
    });
}

/** The other things of a list that begins or goes on with `own`; none if what stands behind it is no list of its kind. */
function readList(own: string, rest: string): string[] {
  const found = behind.exec(rest);
  if (found === null) return [];
  const [list, commas = "", final] = found;
  const items = [...commas.split(",").slice(1), ...(final === undefined ? [] : [final])].map((item) =>
    item.trim().replace(/^(?:the|my)\s+/iu, ""),
  );
  const end = rest.slice(list.length);
  if (units.test(end)) return [];
  const isAlike = (item: string, kind: RegExp) =>
    kind.test(item) && Math.abs(own.length - item.length) < maxUnlike;
  const known = final === undefined ? plainKinds : kinds;
  if (known.some((kind) => kind.test(own) && items.every((item) => isAlike(item, kind)))) return items;
  const isOfWords = final !== undefined && endsList.test(end);
  return isOfWords && [own, ...items].every((item) => /^\p{L}+$/u.test(item)) ? items : [];
}

/** Whether any call's arguments have a word or a number. */
const isUsed = (args: string, item: string): boolean =>
  new RegExp(String.raw`(?<![\w-])${escaped(item)}(?![\w-])`, "iu").test(args);
