/**
 * Reads from the words which parts of a message tell what somebody did: a subject, then a verb in the past; or what somebody else will do. A
 * part that ends in a request of a word or two tells no event alone. Pure.
 */

/** Past tenses: "I booked it and paid the deposit". Words that only end like one are excluded: "embed the video", "red shoes". */
export const past = String.raw`(?!(?:\p{L}*eed|embed|shred|shed|red|used|bed|wed)\b)\p{L}+ed|bought|sold|sent|went|took|gave|said|told|made|found|came|saw|wrote|paid|left|lost|kept|got|broke|rang|stole`;
/** Verbs that pass a wish on: "the customer asked for a refund", "my boss wanted a copy". */
const requesting =
  "(?:ask|request|want|need|like|demand|suggest|recommend|decid|agree|plann|hop|wish|expect|requir|preferr|promis|remind|invit|offer|mention|claim)(?:e?d)";
/** What follows a verb, as an object or otherwise, and no noun that the verb describes ("the recently deleted files"); or "got cancelled". */
const behindVerb = String.raw`(?<=\bgot)\s+(?:${past})\b|\W*$|[,;:.!](?!\S)|\s+(?:an?|the|my|our|his|her|their|its|your|it|them|this|that|these|those|him|me|us|you|all|both|every\p{L}*|some\p{L}*|any\p{L}*|no\p{L}*|one|two|three|at|in|on|to|from|for|by|with|out|off|up|down|over|back|care|into|about|again|already|last|yesterday|today|tonight|this|before|after|when|while|because|so|but|and|without|\p{L}+ly|\p{L}+\s+#?\d\S*|\d\S*|[^\s.]+\.\p{L}+|(?-i:\p{Lu})\p{L}+)(?!\p{L})`;
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
const possession = String.raw`(?<=(?:['’]ve|\bha(?:ve|s))\s+)got\b`;
/** With these as the subject a past form is the verb, whatever follows: "someone restarted search". */
const pronoun = "(?:he|she|they|some(?:one|body))";
const deed = String.raw`(?!${requesting}\b|got\s+to\b|${possession})(?=(?-i:\p{Ll}))(?:${past})`;
/** What somebody did, up to the verb: "Sam merged the PR", "my wife has already locked the door". */
export const event = new RegExp(
  String.raw`^${once}(?:(?:${doer}|${nameOfDoer})(?:${helping}(?=${deed}\b)|\s+(?=${deed}(?:${behindVerb})))|${pronoun}\s+(?=${deed}\b))`,
  "iu",
);
/** What somebody else will do, up to the verb: "my wife will lock the door", "she'll pay it". Not "Alexa will you stop". */
export const promised = new RegExp(
  String.raw`^${once}(?!(?:i|we|it)\b)(?:${doer}|${nameOfDoer})(?:\s+will|['’]ll)\s+(?!you\b)(?:${lately}\s+)?(?=\p{Ll})`,
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
export const isPromise = (part: string): boolean =>
  promised.test(part) && isShort(part) && !endsInRequest(part);
