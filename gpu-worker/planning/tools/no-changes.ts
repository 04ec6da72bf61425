/** Whether a message wants nothing changed: it only asks questions, or forbids every change. Read from the words of its parts. Pure. */
import { type Asking, asksOnlyQuestions, tells } from "../message/asking.ts";
import { isSupposed } from "../message/conditions.ts";
import { withoutPoliteness } from "../message/goal-text.ts";
import type { Message } from "../message/read-message.ts";
import { isInterjection, isRemark } from "../message/remarks.ts";
import { endsInRequest, isShort } from "../message/told-events.ts";

/**
 * Questions that may be requests as well: "Can the meeting be moved to 4?", "could the list go up tonight". Of 430 authored requests of
 * this form that count as questions, 310 ask for a change, of 3,700 others 47.
 */
const ambiguous =
  /^(?:(?:and|but|so|then)[\s,]+)?(?:(?:can|could)\s+(?!(?:i|you|it\s+be\s+that)\b)|will\s+(?!(?:i|you|it|this|that|there|they)\b(?!.*\bplease\b))|would\s+(?=some(?:one|body)\b|any(?:one|body)\b|.*\b(?:please|possible|ok|okay|alright|available|like|mind|me|us|able)\b)|is\s+it\s+possible\b|might\s+i\b)/iu;
/**
 * "Check whether there is a backup" only looks. Not with what hints at a request: "check if you can move it", "check it before you send
 * it".
 */
const checking =
  /^(?:(?:and|but|so|please|just|also)[\s,]+)*(?:(?:check|verify|find\s+out)\s+(?:whether|if)|(?:check|verify|find\s+out|figure\s+out|see|look\s+into)\s+(?:what|why|when|where|which|who|how))\b(?!.*\b(?:(?:you|we|i|be)\s+(?:can|could)|before\s+(?:you|\p{L}+ing))\b)/iu;
/**
 * "Show me order 300", "let me see my tasks", "look up ticket 12". Not "show me as away", "show my post to all", nor "let me see if you can move
 * it". What a program is to show is a change to it: "show us a spinner while it loads", "show all errors in red".
 */
const showing =
  /^(?:show\s+(?:(?:me|us)\b(?!\s+an?\s+(?!list|overview|summary))|(?:my|our|all)\b(?!.*\b(?:in|at|with|for|instead)\b))(?!.*\b(?:as|to|on|when|while|whenever|next)\b)|let\s+(?:me|us)\s+see\b(?!\s+if\b)|look\s+up\b|give\s+(?:me|us)\s+(?:the|an?)\s+(?:details|list|overview|status|logs)\b)/iu;
/** A part that ends in a question too short for a part of its own: "You refunded me the wrong amount. What happened?" */
const shortQuestion = /^(.*[.!])\s+(?:what|why|how|when|where|who)\b[^.!?]*\?\W*$/isu;
/** The same of a check: "job failed again, see why", "I was refunded twice, please check". */
const shortCheck =
  /^(.*)[.!,;]\s+(?:please\s+|just\s+)?(?:(?:see|check|(?:find|figure)\s+out)\s+(?:why|what|how)|check(?:\s+please)?)\W*$/isu;
/** Asks about the text before it, which asks for nothing: "DROP TABLE users; what does this statement do?" */
const aboutText =
  /\bwhat\s+(?:does|would|will)\s+(?:this|that)(?:\s+(?:statement|command|line|query|sql|script|code|snippet|message|mail|sentence))?\s+(?:do|mean)\b/iu;
/** Tells a failure without an article: "job failed again", "tests fail on main", "deploy broke prod". Not "rerun what failed". */
const failure =
  /^(?:(?!(?:what(?:ever)?|which|that|who|why|how|all|every|each|any)\s)[^\s,.?!]+\s+){1,4}?(?:(?:fails?|failed|crash(?:es|ed))(?:\s+(?:again|today|yesterday|now|(?:on|in|at)\s+\S+))?|broke\s+\S+)\W*$/iu;
const isFact = (text: string): boolean =>
  isInterjection(text) || failure.test(text) || (isRemark(text) && isShort(text));

type Said = Pick<Message, "parts" | "askings">;

/** What the parts ask for where it is to be decided whether a message only asks questions: checks do, and remarks ask for little. */
function readQuestions({ parts, askings }: Said): Asking[] {
  const about = parts.findIndex((part) => aboutText.test(part));
  return askings.map((asking, at) => {
    const part = parts[at]!;
    if (asking !== "anything") return asking;
    const told = (shortQuestion.exec(part) ?? shortCheck.exec(part))?.[1];
    if (
      at === about ||
      checking.test(part) ||
      showing.test(withoutPoliteness(part)) ||
      (told !== undefined && (isFact(told) || tells(told)))
    )
      return "answer";
    return at < about || isFact(part) ? "little" : asking;
  });
}

/** Whether a message only asks questions, and none that may be a request as well. */
export function isOnlyQuestions(said: Said): boolean {
  if (said.parts.some((part, at) => ambiguous.test(part) && !isSupposed(said.parts, at))) return false;
  if (asksOnlyQuestions(said.askings)) return true;
  return (
    asksOnlyQuestions(readQuestions(said)) &&
    !said.parts.some((part) => endsInRequest(part) && !shortCheck.test(part))
  );
}

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
export function forbidsChanges({ parts, askings }: Said): boolean {
  if (!parts.some((part) => nothing.some((rule) => rule.test(part)))) return false;
  return parts.every(
    (part, at) =>
      !["anything", "text"].includes(askings[at]!) ||
      noCommand.test(part) ||
      looking.test(withoutPoliteness(part)),
  );
}
