/**
 * Reads from the words which parts of a message only tell something, and which messages only thank, make small talk, or take back what
 * was asked for. Pure.
 */

/** Past tenses: "I booked it and paid the deposit". Words that only end like one are excluded: "embed the video", "red shoes". */
export const past = String.raw`(?!(?:\p{L}*eed|embed|shred|shed|red|used|bed|wed)\b)\p{L}+ed|bought|sold|sent|went|took|gave|said|told|made|found|came|saw|wrote|paid|left|lost|kept|got|broke|rang|stole`;
/** Verbs that pass a wish on: "the customer asked for a refund", "my boss wanted a copy". */
const requesting =
  "(?:ask|request|want|need|like|demand|suggest|recommend|decid|agree|plann|hop|wish|expect|requir|preferr|promis|remind|invit|offer|mention|claim)(?:e?d)";
/** What follows a verb, as an object or otherwise, and no noun that the verb describes ("the recently deleted files"); or "got cancelled". */
const behindVerb = String.raw`(?<=\bgot)\s+(?:${past})\b|\W*$|[,;:.!](?!\S)|\s+(?:an?|the|my|our|his|her|their|its|your|it|them|this|that|these|those|him|me|us|you|all|both|every\p{L}*|some\p{L}*|any\p{L}*|no\p{L}*|one|two|three|at|in|on|to|from|for|by|with|out|off|up|down|over|back|into|about|again|already|last|yesterday|today|tonight|this|before|after|when|while|because|so|but|and|without|\p{L}+ly|\p{L}+\s+#?\d\S*|\d\S*|[^\s.]+\.\p{L}+|(?-i:\p{Lu})\p{L}+)(?!\p{L})`;
/** "The lady who ordered", "our team shall be named", "the invite the trainee wrote". */
const noNounOfDoer = String.raw`(?:${past}|who|that|which|shall|will|should|must|can|to|be|is|are|was|were|a|an|the|my|our|i|we|you|he|she|they|it)\b`;
/** Who did something: "my wife", "the cleaner", "somebody", "Dr Berg", "Anna". */
const doer = String.raw`(?:i|we|he|she|they|it|some(?:one|body)|every(?:one|body)|one\s+of\s+(?:us|them|my\s+\p{L}+|our\s+\p{L}+|the\s+\p{L}+)|(?:my|our|his|her|their|the|an?)\s+(?:(?!${noNounOfDoer})[\p{L}-]+\s+){0,2}(?!${noNounOfDoer})[\p{L}-]+)`;
const nameOfDoer = String.raw`(?:(?:mrs?|ms|miss|dr|prof|uncle|aunt)\.?\s+)?(?!(?:you|please|who|what|get|have|keep|let|make|want|need|change|set|put)\s)(?-i:\p{Lu}[\p{Ll}-]+(?:\s+\p{Lu}[\p{Ll}-]+)?)`;
const once = String.raw`(?:(?:yesterday|earlier(?:\s+today)?|last\s+\p{L}+|this\s+(?:morning|week|month)|and|but|so|well|ok(?:ay)?|hi|hey|hello|sorry|apparently|unfortunately)[\s,]+)*`;
const lately = "(?:just|already|also|finally|now|only|accidentally)";
/** With these before it, a past form is the verb, whatever follows: "has refunded order 7120". */
const helping = String.raw`(?:['’]ve\s+(?:${lately}\s+)?|(?:['’]s)?\s+${lately}\s+|\s+(?:has|have|had)\s+(?:${lately}\s+)?)`;
/** "I've got a file" tells what is there, and nothing done. */
const has = String.raw`(?<=(?:['’]ve|\bha(?:ve|s))\s+)got\b`;
const deed = String.raw`(?!${requesting}\b|got\s+to\b|${has})(?=(?-i:\p{Ll}))(?:${past})`;
/** What somebody did, up to the verb: "Sam merged the PR", "my wife has already locked the door". */
export const event = new RegExp(
  String.raw`^${once}(?:${doer}|${nameOfDoer})(?:${helping}(?=${deed}\b)|\s+(?=${deed}(?:${behindVerb})))`,
  "iu",
);
/** More words may hold a request that no comma sets off: "the app crashed again when I opened it tell the makers". */
const maxFactWords = 10;
/** A request too short for a part of its own: "check if the room is free and book", "I fixed the typo, commit". */
const shortRequest =
  /(?:[.!?,;]|\b(?:and|then))\s+(?:(?:and|then)\s+)?(?!(?:and|then|what|why|how|when|where|who|which|is|are|was|were|do(?!\s+(?:it|that|so|them)\b)|does|did|has|have|any|thanks?|thx|please|pls|cheers|sorry|right|ok)\b)\p{L}(?:[^\s.,!?;]|\.\b)*(?:\s+(?:[^\s.,!?;]|\.\b)+)?\W*$/iu;
export const endsInRequest = (part: string): boolean => shortRequest.test(part);
export const isShort = (part: string): boolean => (part.match(/\S+/gu)?.length ?? 0) <= maxFactWords;
export const isEvent = (part: string): boolean => event.test(part) && isShort(part) && !endsInRequest(part);

/** Interjections: "ok", "hi there", "oh no", "good morning", "perfect, thanks". */
const interjection =
  /^(?:(?:ok(?:ay)?|yes|yep|yeah|no|nope|oh|hi|hey|hello|there|good|morning|evening|afternoon|lovely|great|perfect|nice|cool|fine|right|sure|well|thanks?|you|cheers|sorry|please|alright|excellent|brilliant|awesome|wow|phew|hm+|ah)\b[\s,.!]*)+$/iu;
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
/** A remark on what happened. What is so now may be what is asked for: "She wants a single", "my new address is 8 Elm Row". */
export const tellsEvent = (part: string): boolean => isRemark(part) && (isEvent(part) || happened.test(part));

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

const precedes = "oh|ah|hm+|ok(?:ay)?|no|wait|actually|well|sorry|alright|fine|just|please|you know what";
const follows = String.raw`then|that|it|about|thanks?|thank\s+you|cheers|sorry|bye|please|for\s+now|all\s+good|it['’]?s\s+(?:ok(?:ay)?|fine)|that['’]?s\s+all`;
/** A message that takes back what was asked for, and asks for nothing else: "ok never mind then, bye". */
const takenBack = new RegExp(
  String.raw`^\W*(?:(?:${precedes})\b[\s,.!…]*){0,5}` +
    String.raw`(?:never\s*mind|forget\s+(?:about\s+)?(?:it|that)|scratch\s+that)` +
    String.raw`(?:[\s,.!…]+(?:${follows})\b){0,6}\W*$`,
  "iu",
);
/** A longer message asks for something besides. */
const maxTakenBackChars = 80;

export const takesBack = (message: string): boolean =>
  message.length <= maxTakenBackChars && takenBack.test(message);
