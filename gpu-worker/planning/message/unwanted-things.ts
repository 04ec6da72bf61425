/**
 * What a part of a goal does not want, where it denies no action: "I don't need a refund", "no push". Apart from it, what makes such a part say
 * less than that. Pure.
 */
import { tells } from "./asking.ts";
import { leadOfDenial } from "./denial-forms.ts";
import { endsSentence, excludedThing } from "./goal-text.ts";

/**
 * Things that are not wanted: "I don't need a refund", "never mind the deployment", "not to the archive", "no tests needed". "Not a peep" asks
 * for silence.
 */
const unwantedThing = new RegExp(
  String.raw`^${leadOfDenial}(?:(?:i|we)\s+(?:do\s*not|don['’]?t)\s+(?:need|want)\s+(?!(?:to|you|it|him|her|them|any(?:one|body)|people)\b)|` +
    String.raw`never\s*mind\s+(?:about\s+)?(?=(?:the|this|that|my)\s+\p{L})|no\s+need\s+for\s+(?!you\b)|no\s+(?!longer\b)(?=[^?]*\b(?:needed|required|necessary)\W*$)|` +
    String.raw`not\s+(?!an?\s+(?:single|sound|peep|word|noise|cent|penny)\b|that\s+(?:i|we)\b)(?=(?:an?|any|the|this|that|these|those|my|your|to|as|in|into|by|via|with|for|from)\b))`,
  "iu",
);
/** Alone, too: "I don't need the room" alone may ask to cancel it, "never mind the room" asks for nothing. */
const unminded = new RegExp(String.raw`^${leadOfDenial}never\s*mind\b`, "iu");
/** "Forget the meeting, just write to him". Alone, "forget the order" asks to cancel it. */
const dropped = new RegExp(
  String.raw`^${leadOfDenial}forget\s+(?:about\s+)?(?=(?:the|this|that|my)\s+\p{L})`,
  "iu",
);
/**
 * "Rename it and commit. No push.": after a request, one or two things. Before a request they tell a fact ("no power, send somebody"),
 * unless it begins with "just" ("no refund, just another one"). Behind another fact they tell one, too ("we have no staples, no toner",
 * "we get views but no orders"). "No alerts tonight" asks to silence them.
 */
const excluded = new RegExp(
  String.raw`^${leadOfDenial}(?:absolutely\s+)?${excludedThing}(?!(?:alerts|alarms|notifications|calls|reminders|pages|pings|disturbances|interruptions)\b)(?=\p{L}+(?:\s+(?:or|and)\s+\p{L}+)?(?:\s+(?:please|pls|yet|now|for\s+now|today|this\s+time|at\s+all|either|(?:to|for|with|in)\s+\S+(?:\s+\p{L}+)?))*\W*$)`,
  "iu",
);
const lacking = /(?:\b(?:have|has|had|got|is|are|was|were|with)|['’](?:ve|s))\s+no\s/iu;
const isTold = (before: string): boolean => tells(before) && !endsSentence(before);
/** Asks for what an earlier part names, wanted or not: "I don't need the light, turn it off". Not "never mind the light, it's day". */
const meansEarlier = (part: string): boolean => /\b(?:it|them|that|those)\b/iu.test(part) && !tells(part);
/** What is not to become of the thing: "I don't want the file deleted, move it". */
const ofState = /^(?!.*\s(?:i|we|you|he|she|they)\s).*\s(?:to\s+\p{L}|\p{L}+ed\W*$)/iu;
export const onlyThis = /^(?:please\s+)?(?:just|only|simply)\b|\binstead\b/iu;
/** "Don't send the paper any more": asks for something to be stopped, so an action is needed. */
const standing = /\b(?:any\s?more|any\s+longer|again)\b/iu;
const exception = /\b(?:except|besides|apart|other\s+than|but\s+(?:to|for|with|in|on|at|by|from))\b/iu;
/**
 * These say how an action is to be done ("don't deliver before noon", "don't pay more than 300"), except "not after all", "not before I have seen
 * it" and "not before the item is back".
 */
const bound =
  /\b(?:more\s+than|less\s+than|too)\b|\b(?:before|after|until|till|without)\b(?!\s+(?:all\b|(?:i|me|my|we|asking|approval)\b|(?:the|it|he|she|they)\s(?:.*\s)?(?:is|are|has|have)\s))/iu;

export const isLimited = (text: string): boolean =>
  [standing, exception, bound].some((rule) => rule.test(text));

/**
 * The thing that a part does not want, unless a later part means it. It denies no verb: what the thing is wanted for, another part may still
 * ask for.
 */
export function readThing(parts: readonly string[], at: number): string | undefined {
  const part = parts[at]!;
  if (parts.length === 1 && !unminded.test(part)) return undefined;
  const forms = [
    unwantedThing,
    ...(onlyThis.test(parts[at + 1] ?? "") ? [dropped, excluded] : []),
    ...(at > 0 &&
    (!isTold(parts[at - 1]!) || /\bpl(?:ease|s)\b/iu.test(part)) &&
    !parts.slice(0, at).some((one) => lacking.test(one))
      ? [excluded]
      : []),
  ];
  const said = forms.flatMap((form) => form.exec(part)?.[0] ?? [])[0];
  const text = said === undefined ? "" : part.slice(said.length);
  const isMeant = !ofState.test(text) && parts.slice(at + 1).some(meansEarlier);
  return text === "" || isMeant || isLimited(text) ? undefined : text;
}
