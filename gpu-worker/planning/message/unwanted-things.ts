/**
 * Things that a part of a goal does not want, where it denies no action: "I don't need a refund", "no push"; or for which it denies an
 * action that another part asks for. Also the words that limit a denial of either kind: "don't deliver before noon". Pure.
 */
import { asksQuestion, tells } from "./asking.ts";
import { leadOfDenial } from "./denial-forms.ts";
import { endsSentence, excludedThing, wordsOf } from "./goal-text.ts";

/**
 * Things that are not wanted: "I don't need a refund", "never mind the deployment", "not to the archive", "no tests needed". Not "not a
 * peep", which asks for silence.
 */
const unwantedThing = new RegExp(
  String.raw`^${leadOfDenial}(?:(?:i|we)\s+(?:do\s*not|don['’]?t)\s+(?:need|want)\s+(?!(?:to|you|it|him|her|them|any(?:one|body)|people)\b)|` +
    String.raw`never\s*mind\s+(?:about\s+)?(?=(?:the|this|that|my)\s+\p{L})|no\s+need\s+for\s+(?!you\b)|no\s+(?!longer\b)(?=[^?]*\b(?:needed|required|necessary)\W*$)|` +
    String.raw`not\s+(?!an?\s+(?:single|sound|peep|word|noise|cent|penny)\b|that\s+(?:i|we)\b)(?=(?:an?|any|the|this|that|these|those|my|your|to|as|in|into|by|via|with|for|from)\b))`,
  "iu",
);
/** Counts as a whole goal, too: "never mind the room" asks for nothing, where "I don't need the room" may ask to cancel it. */
const unminded = new RegExp(String.raw`^${leadOfDenial}never\s*mind\b`, "iu");
/** Counts before what is wanted instead: "forget the meeting, just write to him". Otherwise "forget the order" asks to cancel it. */
const dropped = new RegExp(
  String.raw`^${leadOfDenial}forget\s+(?:about\s+)?(?=(?:the|this|that|my)\s+\p{L})`,
  "iu",
);
/** "No alerts tonight" is a request to silence them. */
const silenced =
  "sounds?|noise|alerts|alarms|notifications|calls|reminders|pages|pings|disturbances|interruptions";
/** What may follow a thing that is left out: "no push for now", "no mail to Ann". */
const detail = String.raw`please|pls|yet|now|for\s+now|today|tonight|tomorrow|this\s+(?:time|week|month|year)|at\s+all|either|(?:to|for|with|in)\s+\S+(?:\s+\p{L}+)?`;
/**
 * One or two things behind a request: "Rename it and commit. No push.". Before a request they tell a fact ("no power, send somebody"),
 * unless that begins with "just" ("no refund, just another one") or the part asks with "please" ("no taxi please"). Behind another fact
 * they tell one, too ("we have no staples, no toner", "we get views but no orders").
 */
const excluded = new RegExp(
  String.raw`^${leadOfDenial}(?:absolutely\s+)?${excludedThing}(?!(?:${silenced})\b)(?=\p{L}+(?:\s+(?:or|and)\s+\p{L}+)?(?:\s+(?:${detail}))*(?:,\s+(?:i|we)['’]ll\s+\p{L}+)?\W*$)`,
  "iu",
);
/** "No taxi please", "no taxi, we'll walk". */
const asks = /\bpl(?:ease|[sz])\b|,\s+(?:i|we)['’]ll\s/iu;
/** "No taxi. I'd rather take the bus". */
const ownWay = /^(?:i|we)(?:['’](?:ll|d\s+rather)|\s+will)\b/iu;
/** Tells a lack: "we have no staples". */
const lacking = /(?:\b(?:have|has|had|got|is|are|was|were|with)|['’](?:ve|s))\s+no\s/iu;
/** Whether the part before only tells something, in the same sentence. */
const isTold = (before: string): boolean => tells(before) && !endsSentence(before);
/**
 * Asks for what an earlier part names, wanted or not: "I don't need the light, turn it off". Not "never mind the light, it's day", nor
 * "I don't want a refund, I only want to know when it arrives".
 */
const meansEarlier = (part: string): boolean =>
  /\b(?:it|them|that|those)\b/iu.test(part) && !tells(part) && !asksQuestion(part);
/** Names what is not to become of a thing that is wanted: "I don't want the file deleted, move it". */
const ofState = /^(?!.*\s(?:i|we|you|he|she|they)\s).*\s(?:to\s+\p{L}|\p{L}+ed\W*$)/iu;
/** Says what is wanted instead: "just write to him". */
export const onlyThis = /^(?:please\s+)?(?:just|only|simply)\b|\binstead\b/iu;
/** "Don't send the paper any more": asks for something to be stopped, so an action is needed. */
const standing = /\b(?:any\s?more|any\s+longer|again)\b/iu;
const exception = /\b(?:except|besides|apart|other\s+than|but\s+(?:to|for|with|in|on|at|by|from))\b/iu;
/**
 * These say how an action is to be done ("don't deliver before noon", "don't pay more than 300"). Not "not after all", "not before I have
 * seen it" and "not before the item is back".
 */
const bound =
  /\b(?:more\s+than|less\s+than|too)\b|\b(?:before|after|until|till|without)\b(?!\s+(?:all\b|(?:i|me|my|we|asking|approval)\b|(?:the|it|he|she|they)\s(?:.*\s)?(?:is|are|has|have)\s))/iu;

/** Whether a denial only limits what is denied, which is wanted otherwise: it is then read as none. */
export const isLimited = (text: string): boolean =>
  [standing, exception, bound].some((rule) => rule.test(text));

/**
 * The thing that a part does not want, unless a later part refers to it ("turn it off"). No verb is denied, so another part may still ask
 * for any action.
 */
export function readThing(parts: readonly string[], at: number): string | undefined {
  const part = parts[at]!;
  if (parts.length === 1 && !unminded.test(part)) return undefined;
  const next = parts[at + 1] ?? "";
  const isBehindRequest =
    at > 0 && !isTold(parts[at - 1]!) && !parts.slice(0, at).some((one) => lacking.test(one));
  const forms = [
    unwantedThing,
    ...(onlyThis.test(next) ? [dropped] : []),
    ...(onlyThis.test(next) || ownWay.test(next) || isBehindRequest || asks.test(part) ? [excluded] : []),
  ];
  const said = forms.flatMap((form) => form.exec(part)?.[0] ?? [])[0];
  const text = said === undefined ? "" : part.slice(said.length);
  const isMeant = !ofState.test(text) && parts.slice(at + 1).some(meansEarlier);
  return text === "" || isMeant || isLimited(text) ? undefined : text;
}

const article = /^(?:the|an?|my|our|your|his|her|their|this|that|these|those|any|some)$/u;
/** Behind a thing: where, when or for whom it is. */
const circumstance = /\s(?:on|in|at|to|from|for|with|of|by|until|till|yet|now|before|after)\b.*$/isu;
/** Means a thing of the same kind: "don't pay the invoice of Acme, pay the other one". */
const another = ["one", "ones", "other", "others", "another"];

/**
 * The things of a denied verb that other parts ask for, if no such part has a word of them: the hotel in "book a flight, but don't book
 * the hotel". `asked`: the words of the parts that are not denied.
 */
export function readThings(
  { text, verbs }: { text: string; verbs: readonly string[] },
  asked: readonly ReadonlySet<string>[],
): string[] {
  const things = wordsOf(text.replace(circumstance, ""))
    .slice(1)
    .filter((word) => !article.test(word));
  const isOf = (words: ReadonlySet<string>) => verbs.some((verb) => words.has(verb));
  const isSame = asked.some(
    (words) => isOf(words) && [...things, ...another].some((word) => words.has(word)),
  );
  return isSame ? [] : things;
}
