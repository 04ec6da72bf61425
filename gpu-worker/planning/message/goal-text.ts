/** How a goal's text is cut into parts that may each ask for something. Pure. */
import { sentenceEnd } from "../../world-model/text-templates.ts";

/** Verbs that say after "without" how an action is done: "without asking me", "without changing its behaviour". */
const ways =
  "ask|be|hav|us|need|know|go|mak|do|los|break|chang|touch|modify|alter|affect|edit|rewrit|leav|wait|say|see|look";
/** Names an action that is not to be done: "close it without sending a mail". */
export const withoutAction = String.raw`without\s+(?!(?:${ways})ing\b)\p{L}+ing\b`;
/** Names an action that is not wanted, behind the one that is: "archive it instead of deleting it". */
const insteadOfAction = String.raw`(?:instead\s+of|rather\s+than)\s+(?!(?:any|every|some|no)thing\b)\p{L}+ing\b`;
/** Beginning of what is left out: "no push". Not of what only tells ("no reply", "no idea"). */
export const excludedThing = String.raw`no\s+(?!(?:more|less|longer|later|earlier|one|need|idea|problem|worr(?:y|ies)|rush|hurry|matter|thanks?|doubt|way|answer|reply|response|news|luck|success|joke|kidding|wait|change)\b)`;
/** "But" begins another part, unless it excepts a thing: "all but the hall light", "nothing but the news". */
const butNot = String.raw`(?:(?<!\b(?:everything|anything|all|nothing|nobody) )|(?!but\s+(?:the|an?|my|your|our|his|her|their|this|that|these|those|one|two)\b))but`;
/** How a goal is cut into parts; training/texts/goal_parts.py has the same rule. */
const sequel = String.raw`\s*,?\s*\b(?:and then|then|after that|afterwards|finally)\b,?\s*`;
const joint = String.raw`\s*[,;:]\s+(?:and\s+|but\s+|or\s+)?|\s+(?:and|${butNot}|(?<!\bif )so)\s+|\s+[-\u2013\u2014]+\s+|\s*&\s*|\s+(?=${withoutAction})|\s+(?=${insteadOfAction})`;
const cut = new RegExp(`${sentenceEnd.source}|${sequel}|${joint}`, "giu");
const minWordsOfPart = 3;
/** A short part that is read by itself: "book it", "tell Bob", "don't send", "no push.", "call nobody", "without sending". "Don't worry" is none. */
const shortRequest = new RegExp(
  String.raw`^(?:\S+\s+(?:it|them|this|that|these|those|him|her|me|us|both|everybody|everything)\b|(?:tell|notify|inform|warn|ping)\s+\p{L}+[.!]?$|don['\u2019]?t\s+(?!worry|panic|mind|forget|hesitate|know|care)\p{L}|${excludedThing}\p{L}+[.!]?$|(?!(?:if|otherwise|or)\b)\p{L}+\s+(?:nothing|nobody)\b|${withoutAction})`,
  "iu",
);
/** "Message Bob", "text Dad", "call mum": names and kin tell them from things ("phone numbers", "call lists"). */
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

const countWords = (text: string): number => text.match(/\S+/g)?.length ?? 0;

/** Whether a goal is shorter than any part: the networks were hardly trained on such texts. */
export const isBrief = (goal: string): boolean => countWords(goal.trim()) < minWordsOfPart;

/** Whether a goal may ask for several things, even if its parts are too short to be split off ("find it and book it"). */
export const mayAskSeveral = (goal: string): boolean => shortenSpaces(goal.trim()).search(cut) > 0;

/**
 * The parts in order, each a span that may ask for something; empty for a goal of one part. If there are more than eight, the
 * first four and the last four are kept. An unnecessary cut only costs time in the encoder: the models attend to the parts that
 * they need.
 */
export function splitGoal(text: string): string[] {
  const goal = shortenSpaces(text.slice(0, charactersCut));
  const spans: { begin: number; end: number }[] = [];
  let begin = 0;
  const keep = (end: number) => {
    const part = goal.slice(begin, end).trim();
    const before = spans.at(-1);
    if (part === "") return;
    // Any other part of one or two words means nothing alone, and stays with the part before it ("salt and pepper").
    const isAlone = countWords(part) >= minWordsOfPart || shortRequest.test(part) || contact.test(part);
    if (before && !isAlone) before.end = end;
    else spans.push({ begin, end });
  };
  for (const { 0: match, index } of goal.matchAll(cut)) {
    if (match === "") continue;
    keep(index);
    begin = index + match.length;
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
/** Also behind a quotation that ends otherwise, with a capital: in the line after "she asks 'Is it free?'", "Never answer her". */
export const opensSentence = (parts: readonly string[], at: number): boolean =>
  at === 0 ||
  endsSentence(parts[at - 1]!) ||
  (/[!?]["'”’)]$/.test(parts[at - 1]!) && /^\p{Lu}/u.test(parts[at]!));

/** Words in small letters, as they are written. */
export const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];
