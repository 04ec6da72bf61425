/**
 * Rules tools out by the words of a message. Vectors cannot do that: those of "lock" and "unlock", or of "change it" and "change
 * nothing", are nearly the same. Pure.
 */
import type { PlanRequest } from "../../shared/planning.ts";
import { actionText, nameWords } from "../world-model/text-templates.ts";
import { stemsOf } from "../world-model/tool-choice.ts";
import { type Asking, readAskings } from "./asking.ts";
import { findChanges } from "./call-effects.ts";
import { type Denial, readDenials, verbsOf } from "./denials.ts";
import { withoutPoliteness } from "./goal-text.ts";
import { isOnlyQuestions } from "./only-questions.ts";
import { type AskedWords, findWaiting, looks, mayChange, type Offered } from "./premature-tools.ts";

export type Refused = {
  /** The message's parts that say what not to do (denials.ts), or what is to stay as it is ("leave the others alone"). */
  denied: readonly Denial[];
  /** Rows of tools that are ruled out, whatever probability the mixer gives them. */
  always: ReadonlySet<number>;
  /** `always`, and the tools that must not be the first call for the goal. */
  untilCalled: ReadonlySet<number>;
};

export function readRefused(
  { mustCall, changesNothing: isPlanMode }: Pick<PlanRequest, "mustCall" | "changesNothing">,
  { goal, parts, bestParts }: AskedWords,
  tools: readonly Offered[],
): Refused {
  const said = readDenials(goal);
  const askings = readAskings(goal, said);
  const silent = findSilent(parts, askings, said);
  const denied = [...said, ...silent];
  // `tool_choice` takes precedence over the message's words.
  if (mustCall) return { denied, always: new Set(), untilCalled: new Set() };
  const always = new Set([
    ...findOpposites(goal, tools),
    ...findDenied(said, tools),
    ...findTold(parts, askings, tools),
    ...findUnwanted(denied, parts, tools),
    ...(isPlanMode ? findChanges(tools) : []),
  ]);
  const texts = parts.length > 0 ? parts : [goal];
  const isQuestion = isOnlyQuestions(texts, askings);
  const mayAnswer = tools.some((tool) => looks(tool)) || tools.every(({ effect }) => effect === "commit");
  const isOut = changesNothing(texts, askings) ? mayChange : isQuestion && mayAnswer && changesByName;
  if (isOut) for (const [row, tool] of tools.entries()) if (isOut(tool)) always.add(row);
  const isPreview = denied.some((one) => one.isPreview);
  const waiting = findWaiting({ goal, parts, bestParts }, tools, isPreview);
  return { denied, always, untilCalled: new Set([...always, ...waiting]) };
}

/** Parts that ask for nothing, though they deny no action: "leave the blinds open". A message of that alone may ask for it. */
const findSilent = (
  parts: readonly string[],
  askings: readonly Asking[],
  denied: readonly Denial[],
): Denial[] =>
  parts.flatMap((text, part) =>
    askings[part] === "nothing" && denied.every((one) => one.part !== part)
      ? [{ part, text, verbs: [], isOpen: false }]
      : [],
  );

/**
 * Tools that change something and have the denied verb in their names: "instead of paying it now, file the invoice" rules out `pay_invoice`.
 * The mixer finds that tool likely for "file the invoice" too, so its probabilities do not rule it out (tool-chances.ts).
 */
const findDenied = (denied: readonly Denial[], tools: readonly Offered[]): number[] => {
  const verbs = denied.filter(({ isWhole, isPreview }) => isWhole && !isPreview).flatMap((one) => one.verbs);
  const hasVerb = ({ name }: Offered) =>
    nameWords(name)
      .split(" ")
      .some((word) => verbs.includes(word));
  return [...tools.keys()].filter((row) => mayChange(tools[row]!) && hasVerb(tools[row]!));
};

/** Begins a part that tells what the speaker did. Its verb follows. */
const did =
  /^(?:(?:and|but|so|well|ok(?:ay)?|hi|hey|sorry)[\s,]+)*(?:i|we)(?:['’]ve|\s+have)?\s+(?:(?:already|just)\s+)?/iu;
/** The same may be to be done once more, or otherwise. */
const onceMore =
  /\b(?:again|another|same|once\s+more|wrong|mistake|instead|fail(?:ed|s)?|second|too|more)\b/iu;
/** What they did may be what is asked for: "I set a limit of 500, raise it", "I completed the task, mark it". */
const adjusts = /^(?:set|change|update|adjust|edit|complete|finish)$/u;
const byMistake = /\bby\s+(?:mistake|accident)\b|\baccidentally\b/iu;

/**
 * Tools for what the speaker did: "I paid the gas bill. Did it go through?" rules out `pay_bill`, named after verb and thing. Not if another part has
 * the verb.
 */
function findTold(parts: readonly string[], askings: readonly Asking[], tools: readonly Offered[]): number[] {
  return parts.flatMap((part, at) => {
    const [begun] = did.exec(part) ?? [];
    if (askings[at] !== "little" || begun === undefined) return [];
    if (!byMistake.test(part) && parts.some((one) => onceMore.test(one))) return [];
    const verbs = verbsOf(part.slice(begun.length));
    const things = new Set(stemsOf(part.slice(begun.length).replace(/^\S+/u, "")));
    const others = new Set(stemsOf(parts.filter((_, other) => other !== at).join(" ")));
    if (verbs.some((verb) => others.has(verb) || adjusts.test(verb))) return [];
    return [...tools.keys()].filter((row) => {
      const [verb = ""] = actionText(tools[row]!.name).split(" ");
      const thing = nameWords(tools[row]!.name)
        .split(" ")
        .filter((word) => word !== verb);
      return (
        changesByName(tools[row]!) &&
        verbs.includes(verb) &&
        thing.some((word) => stemsOf(word).some((stem) => things.has(stem)))
      );
    });
  });
}

/** Shorter words of a tool's name are no things: "turn_on_light". */
const minThing = 4;
const pronoun = /\b(?:it|them|this|these|those)\b/iu;

/**
 * Tools for a thing that only parts name which do not want it, or want it left alone: after "leave the blinds open" neither `open_blinds` nor
 * `close_blinds`, after "I don't need a refund" not `refund_order`. None if another part may mean the thing ("rename it"), and no tool that
 * alone has a word of another part: "leave the issue open and leave a comment" wants `comment_issue`.
 */
function findUnwanted(
  denied: readonly Denial[],
  parts: readonly string[],
  tools: readonly Offered[],
): number[] {
  const isOfThing = ({ part, verbs }: Denial) => verbs.length === 0 || /^without\b/iu.test(parts[part] ?? "");
  const things = denied.filter(isOfThing);
  const others = parts.filter((_, at) => things.every(({ part }) => part !== at));
  if (things.length === 0 || others.some((part) => pronoun.test(part))) return [];
  const wordsOf = (texts: readonly string[]) => new Set(texts.flatMap((text) => stemsOf(text)));
  const unwanted = wordsOf(
    things.map(({ text, verbs }) => (verbs.length === 0 ? text : text.replace(/^\S+/u, ""))),
  );
  const wanted = wordsOf(others);
  const isUnwanted = (word: string) =>
    word.length >= minThing && stemsOf(word).some((stem) => unwanted.has(stem) && !wanted.has(stem));
  const named = tools.map(({ name }) => nameWords(name).split(" "));
  const isOut = tools.map(({ effect }, row) => effect !== "look" && named[row]!.some(isUnwanted));
  const served = new Set(named.flatMap((words, row) => (isOut[row] ? [] : words)));
  const isNeeded = (word: string) => !served.has(word) && stemsOf(word).some((stem) => wanted.has(stem));
  return [...tools.keys()].filter((row) => isOut[row] && !named[row]!.some(isNeeded));
}

/** Names of tools whose verb changes something, and which may still serve a question. */
const serves = [
  // What is run may only look: a query, a test, a command.
  /\b(?:run|runs|exec|execute|invoke|perform|process|test|tests|build|export|generate|type|login)\b/u,
  // So may what is sent: "send_request", "http_post", "submit_query".
  /\b(?:api|http|query|sql|search|filter)\b|\b(?:call|send|make|submit)\b.*\b(?:functions?|requests?|commands?|input|keys?)\b/u,
  // What computes or shows: "add" is a sum's, where "add_comment" is none, and "text_to_speech" sends no text.
  /^add$|^text to (?:speech|audio|voice)\b|\b(?:numbers|aggregate|charts?|plots?|graphs?|print)\b/u,
  // What answers, or lets another answer: "final_answer", "transfer_to_billing_agent".
  /\b(?:answer|reply|respond|response)\b|\bto\b.*\b(?:user|agent|human|support)\b/u,
];
/** Verbs of names that change something too, and that mean nothing of the kind in the checkpoint's table. */
const settles = /^(?:complete|finali[sz]e|finish|mark|resolve|skip)\b/u;
/** "How does the retry work?" is answered without `edit_file`, and also without `send_email`. */
const changesByName = (tool: Offered): boolean =>
  (mayChange(tool) || settles.test(nameWords(tool.name))) &&
  !serves.some((rule) => rule.test(nameWords(tool.name)));

const not = String.raw`(?:do\s*not|don['’]?t|never|without|(?:must|should|may|can)\s*(?:not|n['’]t))`;
const change = "(?:chang(?:e|ing)|modify(?:ing)?|edit(?:ing)?|alter(?:ing)?|touch(?:ing)?|overwrit(?:e|ing))";
/** Parts that forbid every change. "Don't change any tests in src" and "no changes to the API" leave other changes possible. */
const nothing = [
  new RegExp(
    String.raw`\b${not}\s+(?:\p{L}+\s+)?(?:${change}|do(?:ing)?(?=\s+anything))\s+(?:anything|any\s+\p{L}+|(?:the\s+)?code)(?:\s+(?:yet|now|please))?\s*(?:[.,;:!?)]|$)`,
    "iu",
  ),
  /^(?:(?:and|but|so|please|yet)[\s,]+)*no\s+(?:\p{L}+\s+){0,2}(?:changes|edits|modifications)(?:\s+(?:yet|now|please))?\s*(?:[.,;:!?)]|$)/iu,
];
const looking =
  /^(?:explain|tell|show|describe|find|list|summari[sz]e|review|check|analy[sz]e|investigate|inspect|look|read|search|compare|count|diagnose|identify|locate|verify|audit|trace|estimate|suggest|propose|recommend|report|explore|study|walk|figure|understand|know|see|think|outline)\b/iu;
/** Beginnings of parts that continue the part before ("explain the queue, its retries, and the limits") or deny something. */
const noCommand = new RegExp(
  String.raw`^(?:(?:and|but|so|or|please|yet)[\s,]+)*(?:${not}|no|the|its|their|this|that|these|those|any|all|each|how|what|which|who|why|where|when|whether)\b`,
  "iu",
);

/**
 * Whether one part forbids every change and all others only ask to look. Verbs that look are listed, since those that change
 * something are too many: "speed it up without changing any behaviour" begins with a verb that the checkpoint's table does not
 * have.
 */
function changesNothing(parts: readonly string[], askings: readonly Asking[]): boolean {
  if (!parts.some((part) => nothing.some((rule) => rule.test(part)))) return false;
  return parts.every(
    (part, at) =>
      !["anything", "text"].includes(askings[at]!) ||
      noCommand.test(part) ||
      looking.test(withoutPoliteness(part)),
  );
}

const negative = /^(?:un|dis|de)(?=\p{L}{2})/u;
const positive = /^(?:en|in)(?=\p{L}{2})/u;
/**
 * A word without the prefix that makes it the opposite of another: "uninstall" and "install", "disable" and "enable"; "off"
 * becomes "on".
 */
const rootOf = (word: string): string =>
  word === "off" ? "on" : word.replace(negative, "").replace(positive, "");

/** Uses of "off" that ask for nothing: "the wifi is off" (a state), "20% off" (a price), "I am off to work". */
const isOff =
  /(?:\b(?:is|are|am|was|were|be|been|went|goes|got|still|already)|['’](?:s|m|re)|%|\bpercent)\s+off\b|\boff\s+(?:to|of|from|work)\b/giu;

/**
 * Among tools whose names differ only in a word and its opposite ("lock_door", "unlock_door"), those whose word is not in the
 * goal while the opposite is.
 */
function findOpposites(goal: string, tools: readonly Offered[]): Set<number> {
  const wordsOf = (text: string) => text.toLowerCase().match(/\p{L}+/gu) ?? [];
  // Words as written, not stems: "the door is unlocked" asks for neither tool.
  const asked = new Set(wordsOf(goal.replace(isOff, " ")));
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
