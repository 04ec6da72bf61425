/**
 * How a part of a goal begins that denies the verb behind it. Each form has a verb after it ("send it"), which denials.ts reads. Pure.
 */
import { withoutAction } from "./goal-text.ts";
import { leadOfDenial } from "./unwanted-things.ts";

/** A request too short for a part of its own: "can we skip running the tests? Just deploy", "not ready to cook, order in". */
export const tail = String.raw`.*[.!?,;]\s+(?:just\s+)?(?!(?:thanks?|thx|please|pls|cheers|sorry|yet|though|ok|okay|what|why|how|when|where|right|now|today|again)\b)\p{L}+(?:\s+\p{L}+)?\W*$`;
/** "I don't want to cancel it", "we are not looking to buy anything", "I didn't mean to close it", "I'd never post that". */
const unwished = String.raw`(?:i|we)(?:['’]d|\s+would)\s+(?:never(?!\s+(?:\p{L}+ed|been|had|seen|heard|done|gone|met|known|made|paid|sent|bought|flown|driven|eaten|thought|say)\b)|(?:rather|prefer)\s+(?:not(?:\s+to)?|you\s+(?:did\s*not|didn['’]?t)))|(?:i|we)\s+(?:(?:did\s*not|didn['’]?t)\s+(?:want|mean|intend|ask)|never\s+(?:wanted|meant|intended|asked))\s+(?:you\s+)?to|(?:i|we)\s+(?:do\s*not|don['’]?t)\s+(?:want|wish|need|plan|intend|mean)\s+(?:you\s+)?to|(?:i|we)\s+(?:do\s*not|don['’]?t)\s+feel\s+like(?=\s+\p{L}+ing\b)(?!${tail})|(?:(?:i['’]?m|i\s+am|we['’]?re|we\s+are)\s+)?not\s+(?:looking|trying|going|planning|asking|here|ready)\s+(?:(?:for\s+)?you\s+)?to(?!\s+(?:the|an?|my|our|his|her|their|this|that|work|school|bed)\b)(?!${tail})`;
/** "No need to book a hotel", "you don't have to print it", "you needn't", "feel free not to", "let's not order yet". */
const unneeded =
  /(?:there(?:['’]?s|\s+is)\s+)?no\s+need\s+(?:for\s+you\s+)?to|you\s+(?:do\s*not|don['’]?t)\s+(?:have|need)\s+to|you\s+need(?:n['’]?t|\s+not)|(?:you\s+(?:are|['’]re)\s+|feel\s+)free\s+not\s+to|let['’]?s\s+not/;
/** "Under no circumstances refund it", "make sure you don't post it", "be careful not to delete it". */
const strict = String.raw`(?:(?:under\s+no\s+circumstances|on\s+no\s+account|by\s+no\s+means)(?:\s+(?:should\s+|must\s+|may\s+)?you)?|(?:make\s+sure|be\s+(?:sure|careful)|take\s+care|remember)\s+(?:that\s+)?(?:not\s+to|you\s+(?:do\s*not|don['’]?t)))(?!${tail})`;
/**
 * "Don't bother sending it", "hold off on merging", "instead of deleting it, archive it": the verb that follows ends in "ing". Not "avoid":
 * its words in "ing" are as often things ("avoid parking garages").
 */
const avoided = String.raw`(?:(?:do\s*not|don['’]?t)\s+bother(?:\s+with)?|hold\s+off(?:\s+(?:on|with))?|refrain\s+from|(?:(?:can|could)\s+(?:we|you)\s+|let['’]?s\s+)?skip(?!${tail})|instead\s+of|rather\s+than)(?=\s+(?!(?:any|every|some|no)thing\b)\p{L}+ing\b)`;
/**
 * What the user does or has done: "I'll send it myself", "I already paid the invoice". "I'll go by myself" says that the user is alone.
 * After a comma there may be a request too short for a part of its own: "we already backed up, deploy".
 */
const own =
  /(?:i|we)(?:['’](?:ll|d|m\s+going\s+to)|\s+(?:will|can|could|would|want\s+to|prefer\s+to|am\s+going\s+to))(?:\s+(?:just|rather|then|like\s+to|prefer\s+to)){0,3}(?=\s+(?!(?:be|come|drive|eat|fly|go|live|stay|travel|walk)\b|.*\bhow\b).*(?<!\b(?:for|to|of|about|on|at|with)\s)\b(?:myself|ourselves)\W*$)/u;
const done =
  /(?:i|we)(?:['’]ve|\s+have)?\s+already(?!\s+(?:told|asked|said|tried|know|checked|looked)\b)(?!.*,\s)/;
export const isDone = new RegExp(`^${leadOfDenial}${done.source}`, "iu");
export const denial = new RegExp(
  String.raw`^${leadOfDenial}(?:${unneeded.source}|${avoided}|(?=${withoutAction})without|${own.source}|${done.source}|do\s*not|don['’]?t|never(?!\s*mind\b)|you\s+(?:must|should|may|can)\s*(?:not|n['’]t|never)|(?:can|could)\s+(?:you|u)\s+(?:pl(?:ease|[sz])\s+)?not(?!\s+rather\b)|${strict}|${unwished})\s+(?:(?:yet|ever|even|actually|please)\s+)?(?:(?:try|attempt|start|begin|dare)\s+to\s+|go\s+ahead\s+and\s+)?`,
  "iu",
);
