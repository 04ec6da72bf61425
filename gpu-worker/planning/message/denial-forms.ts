/**
 * The forms in which a part of a goal may deny a verb. denials.ts reads the verb behind the form, and decides whether it is denied.
 * Pure.
 */
import { withoutAction } from "./goal-text.ts";

/** Words that may stand before what is denied. */
export const leadOfDenial = String.raw`(?:(?:and|but|so|please|pls|just|yet|actually|also|oh|well|hey|ok|okay|whatever\s+(?:you\s+do|happens))[\s,]+)*`;
/** Behind the denial, a request too short for a part of its own: "can we skip the tests? Just deploy", "not ready to cook, order in". */
const shortRequest = String.raw`.*[.!?,;]\s+(?:just\s+)?(?!(?:thanks?|thx|please|pls|cheers|sorry|yet|though|ok|okay|what|why|how|when|where|right|now|today|again)\b)\p{L}+(?:\s+\p{L}+)?\W*$`;
/** "I'd never post that", but not "I'd never been there", which tells. */
const wouldNever = String.raw`never(?!\s+(?:\p{L}+ed|been|had|seen|heard|done|gone|met|known|made|paid|sent|bought|flown|driven|eaten|thought|say)\b)`;
/** "I'd rather not", "we would prefer you didn't". */
const wouldRather = String.raw`(?:rather|prefer)\s+(?:not(?:\s+to)?|you\s+(?:did\s*not|didn['’]?t))`;
/** "I didn't mean to close it". */
const neverMeant = String.raw`(?:(?:did\s*not|didn['’]?t)\s+(?:want|mean|intend|ask)|never\s+(?:wanted|meant|intended|asked))\s+(?:you\s+)?to`;
/** "I don't want to cancel it". */
const notWanting = String.raw`(?:do\s*not|don['’]?t)\s+(?:want|wish|need|plan|intend|mean)\s+(?:you\s+)?to`;
/** "I don't feel like cooking". */
const notInclined = String.raw`(?:do\s*not|don['’]?t)\s+feel\s+like(?=\s+\p{L}+ing\b)(?!${shortRequest})`;
/** "We are not looking to buy anything", "not going to pay it", but not "not going to work". */
const notGoing = String.raw`(?:(?:i['’]?m|i\s+am|we['’]?re|we\s+are)\s+)?not\s+(?:looking|trying|going|planning|asking|here|ready)\s+(?:(?:for\s+)?you\s+)?to(?!\s+(?:the|an?|my|our|his|her|their|this|that|work|school|bed)\b)(?!${shortRequest})`;
/** What the user says not to want. */
const unwished = String.raw`(?:i|we)(?:['’]d|\s+would)\s+(?:${wouldNever}|${wouldRather})|(?:i|we)\s+${neverMeant}|(?:i|we)\s+${notWanting}|(?:i|we)\s+${notInclined}|${notGoing}`;
/** "No need to book a hotel", "you don't have to print it", "you needn't", "feel free not to", "let's not order yet". */
const unneeded =
  /(?:there(?:['’]?s|\s+is)\s+)?no\s+need\s+(?:for\s+you\s+)?to|you\s+(?:do\s*not|don['’]?t)\s+(?:have|need)\s+to|you\s+need(?:n['’]?t|\s+not)|(?:you\s+(?:are|['’]re)\s+|feel\s+)free\s+not\s+to|let['’]?s\s+not/;
/** "Under no circumstances refund it", "make sure you don't post it", "be careful not to delete it". */
const strict = String.raw`(?:(?:under\s+no\s+circumstances|on\s+no\s+account|by\s+no\s+means)(?:\s+(?:should\s+|must\s+|may\s+)?you)?|(?:make\s+sure|be\s+(?:sure|careful)|take\s+care|remember)\s+(?:that\s+)?(?:not\s+to|you\s+(?:do\s*not|don['’]?t)))(?!${shortRequest})`;
/**
 * "Don't bother sending it", "hold off on merging", "instead of deleting it, archive it": the verb that follows ends in "ing". Not
 * "avoid": its words in "ing" are as often things ("avoid parking garages").
 */
const avoided = String.raw`(?:(?:do\s*not|don['’]?t)\s+bother(?:\s+with)?|hold\s+off(?:\s+(?:on|with))?|refrain\s+from|(?:(?:can|could)\s+(?:we|you)\s+|let['’]?s\s+)?skip(?!${shortRequest})|instead\s+of|rather\s+than)(?=\s+(?!(?:any|every|some|no)thing\b)\p{L}+ing\b)`;
/**
 * What the user does or has done: "I'll send it myself", "I already paid the invoice". "I'll go by myself" says that the user is alone.
 * After a comma there may be a request too short for a part of its own: "we already backed up, deploy".
 */
const own =
  /(?:i|we)(?:['’](?:ll|d|m\s+going\s+to)|\s+(?:will|can|could|would|want\s+to|prefer\s+to|am\s+going\s+to))(?:\s+(?:just|rather|then|like\s+to|prefer\s+to)){0,3}(?=\s+(?!(?:be|come|drive|eat|fly|go|live|stay|travel|walk)\b|.*\bhow\b).*(?<!\b(?:for|to|of|about|on|at|with)\s)\b(?:myself|ourselves)\W*$)/u;
const done =
  /(?:i|we)(?:['’]ve|\s+have)?\s+already(?!\s+(?:told|asked|said|tried|know|checked|looked)\b)(?!.*,\s)/;
/** A part that says what the user has done already. The verb of the part behind it may be done, too. */
export const doneBefore = new RegExp(`^${leadOfDenial}${done.source}`, "iu");
/** A part that begins with a denial, up to the denied verb. */
export const denial = new RegExp(
  String.raw`^${leadOfDenial}(?:${unneeded.source}|${avoided}|(?=${withoutAction})without|${own.source}|${done.source}|do\s*not|don['’]?t|never(?!\s*mind\b)|you\s+(?:must|should|may|can)\s*(?:not|n['’]t|never)|(?:can|could)\s+(?:you|u)\s+(?:pl(?:ease|[sz])\s+)?not(?!\s+rather\b)|${strict}|${unwished})\s+(?:(?:yet|ever|even|actually|please)\s+)?(?:(?:try|attempt|start|begin|dare)\s+to\s+|go\s+ahead\s+and\s+)?`,
  "iu",
);
/** "Let me see it before you post it" denies the posting, for now. */
export const preview =
  /\b(?:(?:let|show|send|give|tell|ask|check\s+with)\s+(?:me|us)|show\s+it|wait\s+for\s+(?:me|my))\b.*\bbefore\s+you\s+(?=\p{L})/iu;
/** "Call nobody", "post nothing". Not "he paid nothing". */
export const none = new RegExp(
  String.raw`^${leadOfDenial}((?!(?:if|otherwise|still|now|almost|nearly|absolutely|literally|basically|apparently|currently|with|for|to|do|have|had|got|get|did|is|know|knew|said|saw|heard|found|paid|cost|own|feel|felt|eat|ate|it|there)\b)\p{L}+(?<!s|ed))\s+(?:nothing|nobody|no[ -]?one)(?:\s+(?:else|yet|please|pls|today))*\W*$`,
  "iu",
);
/** "Before sending show it to me", "before you book it, let me see it": denies the verb, for now. */
export const beforeShowing = new RegExp(
  String.raw`^${leadOfDenial}before\s+(?:you\s+)?((?!(?:they|he|she|it|we|i|the|an?|my|our|this|that)\b)\p{L}+(?:\s+(?:it|them|that|anything))?)\b`,
  "iu",
);
/** Asks to see something: what is left of a part that `beforeShowing` begins, or else the next part. */
export const shows =
  /^(?:please\s+)?(?:let\s+(?:me|us)\s+(?:see|check|know|look|read|approve|confirm)|(?:show|send|ask|check\s+with|run\s+(?:it|them)\s+by)\s+(?:it\s+to\s+|them\s+to\s+)?(?:me|us)|show\s+(?:it|them))\b/iu;
/** "Print it once I have approved it": until then the verb before it is denied. */
export const approved =
  /\s+(?:(?:but\s+)?only\s+)?(?:once|after|when|as\s+soon\s+as)\s+(?:i|we)(?:['’]ve|\s+have)?\s+(?:approved?|confirm(?:ed)?|agreed?|ok(?:ay)?(?:['’]?ed)?|reviewed|checked|sign(?:ed)?\s+off|(?:say|said|give|given)\s+(?:\p{L}+\s+){0,2}(?:ok|okay|so|yes|go))\b.*$/iu;
/**
 * "Nothing should be deleted", "nobody should push today". Not "nothing should be left out", which asks for more. Said of one thing it is a
 * request: "that box shouldn't be ticked".
 */
export const passive = new RegExp(
  String.raw`^${leadOfDenial}(?:(?:nothing|nobody|no[ -]?one|none\s+of\s.{1,40}?)\s+(?:should|must|may|shall|is\s+to)\s+be\s+(?!(?:able|missing|missed|left|lost|forgotten|skipped|overlooked|ignored|omitted|excluded|wasted)\b)|` +
    String.raw`(?:nobody|no[ -]?one|none\s+of\s+(?:us|you|them))\s+(?:should|must|may|shall|is\s+to)\s+(?!(?:be|have|know|need|notice|miss|wait|see|feel)\b))(?!${shortRequest})(?=\p{L})`,
  "iu",
);
