/**
 * Parts that only ask to tell somebody something, now or later: "let Bob know the invoice is paid", "remind me to pay it". What is told
 * has the words of other tools, so the mixer finds `pay_invoice` by far the likeliest for both. Pure.
 */
import { whenItIs } from "./asking.ts";
import { withoutPoliteness } from "./goal-text.ts";

/** Words for people who are told something. */
export const people =
  "team|group|others|crew|staff|boss|manager|wife|husband|partner|mum|mom|mother|dad|father|parents?|grandma|grandpa|gran|kids|son|daughter|" +
  "uncle|aunt|cousins?|family|friends?|sister|brother|flatmates?|colleagues?|co-?workers?|neighbou?rs?|clients?|customers?|guests?|host|landlord|" +
  "tenants?|authors?|owners?|reviewers?|suppliers?|vendors?|doctor|teachers?|coach|trainer|babysitter|cleaner|plumber|electrician|" +
  "driver|users?|subscribers?|attendees|participants|applicants?|candidates?|passengers?|patients?|nurses?|students?|players|members|volunteers?|class|testers?|developers?|residents?|choir";
/** Are told things, too, but by what they are told a tool may be meant: "tell the bank to block my card" (`handled`). */
const organisations =
  "airline|hotel|bank|insurer|insurance|school|office|practice|clinic|dentist|vet|garage|gym|club|restaurant|shop|store|pharmacy|venue|courier|council";
/** Behind a word for people these name a thing: "the customer database", "the office printer". */
const thing =
  "database|db|services?|server|api|endpoint|table|list|records?|queue|printer|lights?|heating|library|interface|agent|bot|app|account|system|page|data";
/** Who is told, by a pronoun or a word for people. */
const person = String.raw`(?:(?:him|her|them|every(?:one|body))\b|(?:my|our|his|her|their|the)\s+(?:\p{L}+\s+)?(?:${people}|${organisations})\b(?!(?:['’]s)?\s+(?:${thing})\b))`;
/** Programs and devices: "tell Alexa to stop" and "tell nginx to reload" inform no person. */
const machine =
  "alexa|siri|google|outlook|cortana|bixby|claude|(?:chat)?gpt|gemini|copilot|codex|cursor|jenkins|spotify|netflix|sonos|roomba|docker|git|github|gitlab|kubernetes|k8s|" +
  "nginx|apache|redis|postgres|mysql|systemd|localhost|servers?|databases?|clusters?|hosts?|robots?|bots?|agents?|subagents?|assistants?|models?|ai|thermostat|vacuum|" +
  "lights?|tv|printer|car|computer|browser|system|app";
/**
 * Words after the verb that are nobody who is told: "tell me", "tell it to stop", "tell whether it is open", "tell from the photo",
 * "inform yourself about it".
 */
const nobody = String.raw`(?:me|us|you|it|an?|the|my|our|your|this|that|these|those|some|about|apart|time|(?:my|your|our)sel(?:f|ves)|nothing|nobody|anything|something|from|by|at|on|in|with|of|for|to|${machine}|what|when|where|who|which|how|why|whether|if)\b`;
/** Any other word that may be a name: "Bob", "Ms Hart". */
const named = String.raw`(?!${nobody})(?:(?:mrs?|ms|miss|dr|prof|uncle|aunt|coach)\.?\s+)?\p{L}+`;
const forms = [
  // A name counts only at the end or before what is told: many leave out "me" ("can you tell time", "tell what it costs").
  new RegExp(
    String.raw`^(?:tell|notify|inform|warn|remind)\s+(?:${person}|${named}(?:\W*$|\s+(?:that|about|to|i|we|it|he|she|they|the|my|our|his|her|their|what|when|where|who|how|why|whether|if)\b))`,
    "iu",
  ),
  new RegExp(String.raw`^let\s+(?:${person}|${named})\s+know\b`, "iu"),
  new RegExp(
    String.raw`^ask\s+(?:(?:${person}|${named})\s+(?:if|whether|what|when|where|who|how|why|to)|(?:if|whether)\s+(?:he|she|they))\b`,
    "iu",
  ),
  // These may also be nouns: "email templates", "Text Extraction". Hosts are pinged too.
  new RegExp(String.raw`^(?:text|e-?mail|message|ping(?!.*\bhost\b))\s+${person}`, "iu"),
  /^(?:[Tt]ext|[Ee]-?mail|[Mm]essage|[Pp]ing)\s+(?!(?:Google|Redis|Postgres|Github|Gitlab|Docker)\b)\p{Lu}\p{Ll}+(?:\W*$|\s+(?:that|about|to|I|we|it|he|she|they|when|if)\b)/u,
];

/**
 * How somebody is to be told something. `statement`: it is told as it is said, and may also be a question to ask or an order to pass
 * on. `other`: it may have to be looked up first ("tell Anna the weather", "tell her when it arrives"). `reminder`: the speaker is told
 * later. `news`: the speaker is told once it has happened ("let me know when it is booked").
 */
export type Told = "statement" | "other" | "reminder" | "news";
/** What an organisation is told that a tool may do itself: "tell the bank to block my card", "tell the vet we're not coming". */
const handled = new RegExp(
  String.raw`^\S+\s+(?:my|our|his|her|their|the)\s+(?:\p{L}+\s+)?(?:${organisations})\b(?:(?:\s+know)?\s+to\b|.*(?:\b(?:not(?!.*\buntil\b)|no\s+longer|off|cancel\p{L}*|lost|stolen)\b|n['’]?t\b))`,
  "iu",
);
/**
 * "Remind me what a median is", "remind me when it is", "remind me the wifi password" are questions, "remind me the day before" is
 * none.
 */
const asksBack = String.raw`(?:again|of|what|how|why|who|where|which|if|whether)\b|when\b(?!.*\bto\b)|(?:the|my|our)\s+(?!(?:day|night|evening|morning|week|hour)\b)`;
const reminder = new RegExp(String.raw`^remind\s+(?:me|us)\b(?![\s,:]*(?:$|${asksBack}))`, "iu");
/**
 * "Let me know when it is booked". Not "let me know if you can move it" and "let me know if it is green, then push", which are
 * requests, nor "tell me when it leaves" and "let me know when the meeting is", which are questions.
 */
const news = new RegExp(
  String.raw`^(?:let\s+(?:me|us)\s+know\s+(?!${whenItIs})(?:when|if|once|as\s+soon\s+as)|(?:tell|notify|alert|ping)\s+(?:me|us)\s+(?:once|as\s+soon\s+as))\s+(?!(?:you|there|i|we)\b|.*\bthen\b)`,
  "iu",
);
const statement =
  /\b(?:to|i|we|it|he|she|they|that|is|are|was|were|has|have|had|will|won['’]?t|can['’]?t)\b|['’](?:s|re|ll|ve|m)\s/iu;
/**
 * A thing with words that say which: "the total that is due", "the date we agreed on", "the way to the hall". These have words of a
 * statement, but the thing may have to be looked up.
 */
const clauseOfThing =
  /^(?:the|an?|my|our|his|her|their|its|your)\s(?:(?!\b(?:is|are|was|were|has|have|had|will)\b|n['’]t\b|['’](?:s|re)\b).)*\s(?:that|to|i|we|it|he|she|they)\b/iu;
const indirectQuestion =
  /\b(?:what(?:ever)?|when|where|who(?:ever)?|which(?:ever)?|how|whether|if|why|or\s+not)\b/iu;
/** The speaker tells it, and asks for nothing: "I will tell Bob", "can I let them know it's paid". */
const tellsOneself =
  /^(?:(?:and|so|but|then|can|could|would|will|now|also|first)[\s,]+)*(?:i|we)\s+(?:(?:will|can|could|would|then|also|now|just|first)\s+)*(?:tell|notify|inform|warn|ping|let|text|e-?mail|message)\b/iu;
/** Asks for more than telling, which is to be done first: "let Jonas know once you've called it off". */
const asksMore =
  /\b(?:once|when|after|before|until|while|as\s+soon\s+as)\s+you\b|\b(?:after|before|by)\s+(?!(?:even|morn)ing\b)\p{L}+ing\b/iu;
/** The verb and who is told, up to what is told. */
const recipient = new RegExp(
  String.raw`^(?:let\s+(?:${person}|${named})\s+know|[\p{L}-]+\s+(?:${person}|${named}))\s*`,
  "iu",
);

/** How somebody is to be told something, if that is all that the part asks for; else undefined. */
export function readTold(part: string): Told | undefined {
  const said = withoutPoliteness(part.replace(/^(?:and\s+)?if\s+(?:so|yes|not)[\s,]+/iu, ""));
  if (reminder.test(said)) return "reminder";
  if (news.test(said)) return "news";
  if (
    tellsOneself.test(part) ||
    asksMore.test(part) ||
    handled.test(said) ||
    !forms.some((form) => form.test(said))
  )
    return undefined;
  if (/^ask\s/iu.test(said)) return "statement";
  const what = said.replace(recipient, "");
  return statement.test(what) && !clauseOfThing.test(what) && !indirectQuestion.test(what)
    ? "statement"
    : "other";
}
