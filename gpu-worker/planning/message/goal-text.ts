/** How a goal's text is cut into parts that may each ask for something, and the words of a part. Pure. */
import { sentenceEnd } from "../../world-model/text-templates.ts";
import { purpose } from "./asides.ts";

/**
 * Stems of verbs that say after "without" how an action is done, and deny none: "without asking me", "without changing its behaviour".
 */
const mannerStems =
  "ask|be|hav|us|need|know|go|mak|do|los|break|chang|touch|modify|alter|affect|edit|rewrit|leav|wait|say|see|look|wak|disturb|bother|annoy|interrupt|spend|exceed";
/** Begins what names an action that is not to be done: "close it without sending a mail". */
export const withoutAction = String.raw`without\s+(?!(?:${mannerStems})ing\b)\p{L}+ing\b`;
/** Begins what names an action that is not wanted, behind the one that is: "archive it instead of deleting it". */
const insteadOfAction = String.raw`(?:instead\s+of|rather\s+than)\s+(?!(?:any|every|some|no)thing\b)\p{L}+ing\b`;
/** Begins what names a thing that is to be left out: "no push". Not what only tells ("no reply", "no idea"). */
export const excludedThing = String.raw`no\s+(?!(?:more|less|longer|later|earlier|one|need|idea|problem|worr(?:y|ies)|rush|hurry|matter|thanks?|doubt|way|answer|reply|response|news|luck|success|joke|kidding|wait|change)\b)`;
/** "But" begins another part, unless it excepts a thing: "all but the hall light", "nothing but the news". */
const separatingBut = String.raw`(?:(?<!\b(?:everything|anything|all|nothing|nobody) )|(?!but\s+(?:the|an?|my|your|our|his|her|their|this|that|these|those|one|two)\b))but`;
/** What tools do, in "before deploying". Other forms in "ing" mostly name what people do themselves: "before leaving", "before meeting Ann". */
const doneByTools =
  "deploy|releas|publish|merg|commit|push|restart|reboot|roll|scal|delet|remov|dropp|eras|clear|truncat|empty|archiv|cancell?|clos|lock|unlock|arm|disarm|transferr|pay|send|submitt|book|order|buy|edit|chang|updat|sav|renam|overwrit|creat|add|insert|runn|stopp|turn|switch|shutt|activat|deactivat|enabl|disabl|approv|refund|charg|reserv|export|import|upload|upgrad|migrat|invit|post|grad";
/** "Disarm the alarm before you open the door", "run the tests before deploying it": two requests, in this order. Not "before you go". */
const thenAfter = String.raw`\s+before\s+(?:you\s+(?!(?:leave|go|do|start|begin|continue|answer|ask|know|see|get|are|have|were|can|could)\b)(?=\p{L}+(?<!ed)\s)|(?=(?:${doneByTools})ing\s+(?!times?\b|hours\b)))`;
/** In these it is one request: "show it to me before you send it", "don't merge before you have tested it", "what do I need before flying". */
const limitsBefore =
  /\b(?:me|us|not|never|without|wait|show\s+it|dont|cant|wont)\b|n['’]t\b|^\W*(?:what|how|when|where|why|who|which|is|are|am|was|were|does|did|has|should|may)\b/iu;
/** Between two parts: words of order, or a joint (a comma, "and", a dash, what begins a denial). */
const sequel = String.raw`\s*,?\s*\b(?:and then|then|after that|afterwards|finally)\b,?\s*`;
const joint = String.raw`\s*[,;:]\s+(?:and\s+|but\s+|or\s+)?|\s+(?:and|${separatingBut}|(?<!\bif )so)\s+|\s+[-\u2013\u2014]+\s+|\s*&\s*|\s+(?=${withoutAction})|\s+(?=${insteadOfAction})|${thenAfter}`;
/** "1) buy milk 2) call Ann": a list in one line. With full stops only behind a "1.": "cancel order 2. Then call Ann" is none. */
const nextItem = String.raw`\s+(?=[2-9]\)\s+\p{L})|\s+(?=[2-9]\.\s+\p{L})(?<=(?:^|[\n:(]\s{0,3})1\.\s[^\n]{1,300})`;
/**
 * Where a goal may be cut into parts. training/texts/goal_parts.py has the same rule, but for `nextItem`, `thenAfter` and what `holds`, `bullet` and
 * `behindRequest` change.
 */
const cut = new RegExp(`${sentenceEnd.source}|${sequel}|${joint}|${nextItem}`, "giu");
/** Behind these a full stop ends no sentence: "Mrs. Brandt called", "order no. 7", "at 5 p.m. on Monday". */
const title = /\b(?:mr|mrs|(?<!\d\s)ms|dr|prof|approx|e\.g|i\.e)\.$/iu;
const ofNumber = /[\p{L}(]\s?no\.$/iu;
const ofTime = /\b[ap]\.m\.$/iu;
/** Begins what belongs to the words before it. A degree: "be so kind as to", "so many". A way: "play jazz, but without waking the kids". */
const continuation = new RegExp(
  String.raw`^(?:\s+so\s+(?:\p{L}+\s+as\s+to|kind|good|much|many|far|long)\b|(?:,\s+|,?\s+but\s+)without\s+(?:${mannerStems})ing\b)`,
  "iu",
);
const behindRequest = new RegExp(String.raw`^\s+(?=${purpose})`, "iu");
/** Behind a statement or a condition "so" tells what follows from it, which may be a request: "it broke, so we can cancel the visit". */
const toldFirst =
  /^(?:(?:and|but|only)\s+)?(?:(?:if|when|once|unless)\b|(?:i|we|he|she|they|it|there|the|my|our)(?:['’]\p{L}+|s|m)?\s)/iu;
/** What marks an item of a list, or the whole of it: "- ", "2. ", "b) ". */
const bullet = /^(?:[-*\u2022\u2013\u2014]|\(?(?:\d{1,2}|[a-h])[.)])(?:\s+|$)/iu;
const minWordsOfPart = 3;
/** "Book it", "tell Bob", "don't send" (but not "don't worry"), "call nobody". */
const verbWithPronoun = String.raw`\S+\s+(?:it|them|this|that|these|those|him|her|me|us|both|everybody|everything)\b`;
const tellsSomebody = String.raw`(?:tell|notify|inform|warn|ping)\s+\p{L}+[.!]?$`;
const shortDenial = String.raw`don['\u2019]?t\s+(?!worry|panic|mind|forget|hesitate|know|care)\p{L}`;
const actsOnNone = String.raw`(?!(?:if|otherwise|or)\b)\p{L}+\s+(?:nothing|nobody)\b`;
/** A part of one or two words that is read by itself all the same; also "no push.", "without sending". */
const shortRequest = new RegExp(
  String.raw`^(?:${verbWithPronoun}|${tellsSomebody}|${shortDenial}|${excludedThing}\p{L}+[.!]?$|${actsOnNone}|${withoutAction})`,
  "iu",
);
/** "Message Bob", "text Dad": only before a name or a word for kin, since these verbs are nouns too ("phone numbers", "call lists"). */
const contact =
  /^(?:[Tt]ext|[Ee]-?mail|[Mm]essage|[Cc]all|[Pp]hone|[Rr]ing)\s+(?:\p{Lu}\p{Ll}+|mum|mom|dad|gran(?:ny|dma|dpa)?)[.!]?$/u;
/** Words before the verb of a request: "could you please first". */
const politeness =
  /^(?:(?:please|pls|can|could|would|will|you|i|we|want|need|like|to|now|then|and|also|so|but|first|just|let['’]?s|go|ahead|help|me|us)[\s,]+)*/iu;
/** A part of a goal from its verb on. */
export const withoutPoliteness = (part: string): string => part.replace(politeness, "");

export const maxParts = 8;
/** Only this much of a goal is searched for parts. */
const charactersCut = 2_000;
/**
 * `cut` backtracks over every split of a run of spaces, which takes seconds for two thousand. The encoder reads a run as one
 * space.
 */
const longSpace = /\s{33,}/gu;

const shortenSpaces = (text: string): string =>
  text.replace(longSpace, (run) => (run.includes("\n") ? "\n" : " "));

/** As much of a goal as its rules read. */
export const boundGoal = (goal: string): string => shortenSpaces(goal.slice(0, charactersCut));

const countWords = (text: string): number => text.match(/\S+/g)?.length ?? 0;

/** Whether a goal has one or two words, fewer than most parts: the networks were hardly trained on such texts. */
export const isBrief = (goal: string): boolean => countWords(goal.trim()) < minWordsOfPart;

/** Whether a goal may ask for several things, even if its parts are too short to be split off ("find it and book it"). */
export const mayAskSeveral = (goal: string): boolean => shortenSpaces(goal.trim()).search(cut) > 0;

/** Whether a possible cut is none. `before`: from the last cut to this one. `behind`: from this one on, so that is all a regex may read. */
const holds = (before: string, behind: string): boolean =>
  title.test(before) ||
  (ofNumber.test(before) && /^\s+\d/u.test(behind)) ||
  (ofTime.test(before) && /^\s+\p{Ll}/u.test(behind)) ||
  continuation.test(behind);

/**
 * The parts in order, each a span that may ask for something; empty for a goal of one part. If there are more than eight, the
 * first four and the last four are kept. An unnecessary cut only costs time in the encoder: the models attend to the parts that
 * they need.
 */
export function splitGoal(text: string): string[] {
  const goal = boundGoal(text);
  const spans: { begin: number; end: number }[] = [];
  let begin = 0;
  const keep = (end: number) => {
    begin += bullet.exec(goal.slice(begin, end))?.[0].length ?? 0;
    const part = goal.slice(begin, end).trim();
    const before = spans.at(-1);
    if (part === "") return;
    // A part of one or two words that is no request means nothing alone, and stays with the part before it ("salt and pepper").
    const isAlone = countWords(part) >= minWordsOfPart || shortRequest.test(part) || contact.test(part);
    if (before && !isAlone) before.end = end;
    else spans.push({ begin, end });
  };
  for (const { 0: match, index } of goal.matchAll(cut)) {
    const [before, behind] = [goal.slice(begin, index), goal.slice(index)];
    const isLimit = /^\s+before\s/iu.test(match) && limitsBefore.test(before);
    if (match === "" || index < begin || isLimit || holds(before, behind)) continue;
    const kept = toldFirst.test(before.trimStart()) ? null : behindRequest.exec(behind);
    keep(index);
    begin = index + (kept?.[0] ?? match).length;
  }
  keep(goal.length);
  const parts = spans.map((span) => goal.slice(span.begin, span.end).trim());
  if (parts.length < 2) return [];
  const half = maxParts / 2;
  return parts.length <= maxParts ? parts : [...parts.slice(0, half), ...parts.slice(-half)];
}

/** The parts of a goal, or the goal itself if it is one part. */
export function partsOf(goal: string): string[] {
  const parts = splitGoal(goal);
  return parts.length > 0 ? parts : [goal.trim()];
}

/**
 * Whether a part ends a sentence. "Mrs." does not, "300 ms." does. Of what is quoted or in brackets only a full stop ends one: "set it to
 * 'Back soon!', if it is not set" goes on.
 */
export const endsSentence = (part: string): boolean =>
  /(?<!\b(?:mr|mrs|(?<!\d\s)ms|dr|prof|st|vs))(?:[.!?]|\.["'”’)])$/i.test(part);
/**
 * Whether a part begins a sentence. Behind a quotation that closes with "!" or "?" it must begin with a capital: "she asks 'Is it free?'",
 * and in the next line "Never answer her".
 */
export const opensSentence = (parts: readonly string[], at: number): boolean =>
  at === 0 ||
  endsSentence(parts[at - 1]!) ||
  (/[!?]["'”’)]$/.test(parts[at - 1]!) && /^\p{Lu}/u.test(parts[at]!));

/** A text's words in lower case, not stemmed. */
export const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];

/** Past tenses of verbs that name tools. */
const irregular = new Map([
  ["bought", "buy"],
  ["paid", "pay"],
  ["sent", "send"],
  ["sold", "sell"],
  ["written", "write"],
]);

/** The verbs of which a text's first word may be a form: "cancelling" of "cancel" or "cancell", "deleted" of "delet" or "delete". */
export function verbsOf(text: string): string[] {
  const [word = ""] = wordsOf(text);
  const present = irregular.get(word);
  if (present !== undefined) return [present, word];
  if (word.endsWith("ied")) return [`${word.slice(0, -3)}y`, word];
  const stem = /^(.{2,}?)(?:ing|ed)$/u.exec(word)?.[1];
  if (stem === undefined) return [word];
  const single = stem.replace(/(.)\1$/u, "$1");
  return [stem, `${stem}e`, ...(single === stem ? [] : [single]), word];
}
