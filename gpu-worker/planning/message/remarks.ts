/**
 * Reads from the words which parts of a message only tell something, and which messages only thank, make small talk, or take back what
 * was asked for. Pure.
 */
import { isAside } from "./asides.ts";
import { isEvent } from "./told-events.ts";

/** Interjections: "ok", "hi there", "oh no", "good morning", "perfect, thanks". */
const interjection =
  /^(?:(?:ok(?:ay)?|yes|yep|yeah|no|nope|oh|hi|hey|hello|there|good|morning|evening|afternoon|lovely|great|perfect|nice|cool|fine|right|sure|well|thanks?|you|cheers|sorry|please|alright|excellent|brilliant|awesome|wow|phew|hm+|ah|quick\s+(?:one|question))\b[\s,.!]*)+$/iu;
/** No subjects: they ask, command, or begin a clause ("close the ticket that was opened"). */
const noSubject = String.raw`(?:(?:what|which|who)(?:ever)?|how|where|when|why|if|please|can|could|would|will|make|let|have|get|see|check|tell|show|find)\b|(?<=\s)that\b`;
const statingVerb =
  "(?:is|are|was|were|has|had)(?:n['’]t)?|can['’]t|won['’]t|do(?:es)?n['’]t|didn['’]t|says?|wants?|fails";
/** A subject of one to four words with a verb that states: "the files are in now", "Tom can't", "Dr Feld called in sick". */
const stated = new RegExp(
  String.raw`^(?:(?!${noSubject})[^\s,.?!]+\s+){1,4}(?:${statingVerb})\b(?!.*\?)`,
  "iu",
);
/** A statement of what the assistant did: "You refunded me the wrong amount". */
const toldOfYou =
  /^you(?:['’]ve|\s+have)?\s+(?:(?!\p{L}*eed\b)\p{L}{2,}ed|sent|took|gave|said|told|made|sold|paid|lost|kept|wrote)\b(?!.*\?|.*[.!]\s+\S)/iu;
/** With these a statement may ask for something: "she needs a room", "so that it fits". */
const wishing = /\b(?:want|need|like|please|help|should|must|(?:has|have)\s+to|so\s+that|and)\b/iu;

export const isInterjection = (part: string): boolean => interjection.test(part);

/** Whether a part of a message only tells something. */
export const isRemark = (part: string): boolean =>
  isInterjection(part) ||
  ((stated.test(part) || isEvent(part) || toldOfYou.test(part)) && !wishing.test(part));

const happened = /\b(?:was|were|had)\b/iu;
/**
 * A remark on what happened, a reason, a purpose or a limit. What is so now may be what is asked for: "She wants a single", "my new address
 * is 8 Elm Row".
 */
export const tellsEvent = (part: string): boolean =>
  isAside(part) || (isRemark(part) && (isEvent(part) || happened.test(part)));

const thankful =
  "thanks|thank\\s+you|thx|cheers|bye|great|perfect|awesome|excellent|brilliant|lovely|phew|ha(?:ha)?";
/** Words that may stand before thanks: "ok, that's perfect", "no, looks great". */
const before =
  "(?:ok(?:ay)?|yes|yep|yeah|no|nope|oh|ah|wow|well|so|and|alright|right|cool|nice|good|fine|hey|super|that['’]?s|that|this|it|it['’]?s|you['’]?re|is|was|are|all|looks?|sounds?|works?|very|really|just|much|many|i)";
/** As the message's first or last words. "Show a thank you page" and "make it look great" are requests. */
const thanks = [
  new RegExp(
    `^\\W*(?:${before}[\\s,.!]+){0,6}(?:${thankful})\\b(?!\\s+(?:notes?|cards?|messages?|pages?|e?-?mails?|letters?|gifts?|texts?|to\\s+the\\b))`,
    "iu",
  ),
  new RegExp(
    `(?<!\\b(?:an?|the|my|our|your|some|more|look|be|feel|sound|say|says|saying|and|is|are|called|named)\\s+)\\b(?:${thankful})(?:\\s+(?:again|so\\s+much|very\\s+much|a\\s+lot|for\\s+.{1,40}))?\\W*$`,
    "iu",
  ),
  /^\W*(?:(?:ok(?:ay)?|ah|oh|aha|alright|well|yes|yeah)\b[\s,.!]*)*(?:good|got\s+it|i\s+see|understood|makes\s+sense|fair\s+enough|noted|alright)\W*$/iu,
];
/** A longer message may ask for something besides. */
const maxThanksChars = 80;

export const isThanks = (message: string): boolean =>
  message.length < maxThanksChars && thanks.some((form) => form.test(message));

/** A message of nothing but a greeting, thanks or a farewell: "hi there!", "thanks, that's all". "Good night" may ask for the lights. */
const courtesy =
  "hi|hiya|hello|hey|howdy|good (?:morning|afternoon|evening|day)|how are you|how['’]?s it going|(?:many )?thanks|thank you|thx|ty|cheers|bye|goodbye|see you|that['’]?s (?:all|it)|(?:that was|that['’]?s) (?:great|perfect)";
const closing = "there|all|team|everyone|again|today|a lot|so much|very much|for (?:your|the|all your) help";
const smallTalk = new RegExp(`^(?:(?:${courtesy})(?: (?:${closing}))*(?: |$))+$`, "iu");
const maxSmallTalkChars = 80;

export const isSmallTalk = (message: string): boolean =>
  message.length <= maxSmallTalkChars && smallTalk.test(message.replace(/[^\p{L}'’]+/gu, " ").trim());

const precedes =
  "oh|ah|hm+|ok(?:ay)?|no|wait|actually|well|sorry|alright|fine|just|please|you know what|then|so|right|in\\s+that\\s+case";
const follows = String.raw`then|that|it|about|thanks?|thank\s+you|cheers|sorry|bye|please|for\s+now|all\s+good|it['’]?s\s+(?:ok(?:ay)?|fine)|that['’]?s\s+all`;
/** A message that takes back what was asked for, and asks for nothing else: "ok never mind then, bye". */
const takenBack = new RegExp(
  String.raw`^\W*(?:(?:${precedes})\b[\s,.!…]*){0,5}` +
    String.raw`(?:never\s*mind|forget\s+(?:about\s+)?(?:it|that)|scratch\s+that|leave\s+it(?:\s+(?:be|alone|as\s+it\s+is))?|don['’]?t\s+bother)` +
    String.raw`(?:[\s,.!…]+(?:${follows})\b){0,6}\W*$`,
  "iu",
);
/** A longer message asks for something besides. */
const maxTakenBackChars = 80;

/** Puts off or leaves to the user what was talked about: "fine, I'll wait", "let me think about it", "no, I'll do it later myself". */
const leaves = new RegExp(
  String.raw`^\W*(?:(?:${precedes}|no|hm+|thanks|thank\s+you|fine|great|good|cool|perfect)\b[\s,.!…]*){0,5}` +
    String.raw`(?:(?:i|we)(?:['’]ll|\s+will)\s+(?:just\s+)?(?:wait|(?:think|sleep)\s+(?:about|on|over)\s+(?:it|that)|get\s+back\s+to\s+you|let\s+you\s+know|(?:do|see|handle|sort|fix|finish|check)\s+(?:to\s+)?(?:it|that|this|the\s+rest)(?:\s+out)?(?:\s+(?:later|tomorrow|tonight|myself|ourselves|by\s+hand))+)|` +
    String.raw`let\s+me\s+(?:think|sleep)\s+(?:about|on|over)\s+(?:it|that)|(?:maybe|perhaps)\s+(?:later|another\s+time)|not\s+(?:now|today|yet)|no\s+(?:hurry|rush)|it\s+can\s+wait)` +
    String.raw`(?:[\s,.!…]+(?:${follows})\b){0,6}\W*$`,
  "iu",
);
const turn = /^\W*(?:(?:no|nope|oh|wait|sorry|hm+|actually)\b[\s,.!…]*)+(?=\S)/iu;
const sentencesOf = (message: string): string[] => message.trim().split(/(?<=[.!?…])\s+/u);

/** Whether a message asks for nothing more: it takes back, puts off or leaves to the user what was asked for. */
export function takesBack(message: string): boolean {
  if (message.length > maxTakenBackChars) return false;
  const ends = (one: string) => takenBack.test(one) || leaves.test(one);
  const sentences = sentencesOf(message);
  return (
    ends(message) ||
    (sentences.some(ends) &&
      sentences.every(
        (one) => ends(one) || isSmallTalk(one) || isRemark(one.replace(turn, "")) || asksOwnDeeds(one),
      ))
  );
}

const maxOwnDeedsChars = 120;
/** Asks for the assistant's own reasons or deeds, which the talk holds: "why did you close 42?", "what have you changed?" */
const ownDeeds =
  /^\W*(?:(?:ok(?:ay)?|hm+|but|and|wait|so|thanks|great|cool|nice)[\s,.!]+){0,3}(?:(?:why\s+(?:did|didn['’]t|have|haven['’]t|had|hadn['’]t|are|were|would)|how\s+come)\s+you|did(?:n['’]t)?\s+you\s+(?:tell|say|mention|write|ask|check|read|use|look)|how\s+would\s+you\s+(?:go\s+about|approach|do)|(?:what|(?:what|which)\s+\p{L}+)\s+(?:did|have)\s+you\s+(?:just\s+)?(?:done?|changed?|edit(?:ed)?))\b(?:[^?.!,;:–—-]|(?<=\S)-(?=\S)|,(?=\s+(?:it|that|they|he|she|there)\s)){0,80}\?*\W*$/iu;

export const asksOwnDeeds = (message: string): boolean =>
  message.length <= maxOwnDeedsChars && ownDeeds.test(message);
