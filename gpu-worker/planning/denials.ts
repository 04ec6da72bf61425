/**
 * The parts of a goal that say what not to do. Read from the words, since the vectors of "send it" and "don't send it" hardly differ.
 * Pure.
 */
import { splitGoal } from "./goal-text.ts";

/** "I don't want to cancel it", "we are not looking to buy anything". */
const unwished =
  /(?:i|we)\s+(?:do\s*not|don['’]?t)\s+(?:want|wish|need|plan|intend|mean)\s+(?:you\s+)?to|(?:i['’]?m|i\s+am|we['’]?re|we\s+are)\s+not\s+(?:looking|trying|going|planning|asking|here|ready)\s+(?:(?:for\s+)?you\s+)?to/;
/** "No need to book a hotel", "you don't have to print it", "let's not order yet". */
const unneeded =
  /(?:there(?:['’]?s|\s+is)\s+)?no\s+need\s+(?:for\s+you\s+)?to|you\s+(?:do\s*not|don['’]?t)\s+(?:have|need)\s+to|let['’]?s\s+not/;
/**
 * "Don't bother sending it", "hold off on merging", "instead of deleting it, archive it": the verb that follows ends in "ing". Not "avoid":
 * its words in "ing" are as often things ("avoid parking garages").
 */
const avoided =
  /(?:(?:do\s*not|don['’]?t)\s+bother(?:\s+with)?|hold\s+off(?:\s+(?:on|with))?|refrain\s+from|instead\s+of|rather\s+than)(?=\s+(?!(?:any|every|some|no)thing\b)\p{L}+ing\b)/u;
/**
 * What is wanted follows at once. In "instead of deleting the branch rename it" it stands in the same part, and to deny the part would deny
 * the renaming, too.
 */
const contrast = /^(?:and\s+|but\s+|so\s+|please\s+)*(?:instead|rather)\b/i;
const wantedNext = /^,\s+(?!(?:and|but|then|also)\b)/i;
const denial = new RegExp(
  String.raw`^(?:(?:and|but|so|please|pls|just|yet)[\s,]+)*(?:${unneeded.source}|${avoided.source}|do\s*not|don['’]?t|never|you\s+(?:must|should|may|can)\s*(?:not|n['’]t)|${unwished.source})\s+(?:(?:yet|ever|even|actually|please)\s+)?`,
  "iu",
);
/**
 * These deny no action ("don't forget to call", "never mind"), or ask for the opposite action ("don't lose my changes", "don't
 * leave me signed in").
 */
const idiom =
  /^(?:forget|hesitate|worry|mind|know|have|want|need|think|like|care|be|fail|miss|let|just|only|stop|understand|see|look|remember|wait|feel|expect|trust|give|leave|lose|make|break|go|get|keep|take|put|throw|tell|show|wake|waste|do|use|hang|skip|ignore|delay|exceed|sound|believe|neglect|overlook|disturb|preserve|retain)\b/iu;
/** "Don't send the paper any more": asks for something to be stopped, so an action is needed. */
const standing = /\b(?:any\s?more|any\s+longer|again)\b/iu;
/** What depends on a condition may still have to be done. "Nothing else" states none. */
const condition =
  /\b(?:if|unless|otherwise|(?<!\b(?:any|some|every|no)[ -]?(?:thing|one|body|where) |\b(?:what|who|where) )else)\b/iu;
/** No condition, and its verb is not asked for: "tell me if it is safe to merge". */
const indirectQuestion =
  /\b(?:know|see|check|ask(?:\s+\p{L}+)?|wonder(?:ing)?|sure|find\s+out|verify|say|(?:tell|show)\s+(?:me|us))\s+(?:if|whether)\b.*$/iu;
/** "Let me see it before you post it" denies the posting, for now. */
const preview =
  /\b(?:(?:let|show|send|give|tell|ask|check\s+with)\s+(?:me|us)|show\s+it|wait\s+for\s+(?:me|my))\b.*\bbefore\s+you\s+(?=\p{L})/iu;
const exception = /\b(?:except|besides|apart|other\s+than)\b/iu;
/**
 * These say how an action is to be done ("don't deliver before noon", "don't pay more than 300"), except "not before I have seen
 * it".
 */
const bound =
  /\b(?:more\s+than|less\s+than|too)\b|\b(?:before|after|until|till|without)\b(?!\s+(?:i|me|my|we|asking|approval)\b)/iu;
/** The next part says how the action is to be done instead: "Don't send it to Bob, just to Ana". */
const otherwise = /^(?:just|only|but|instead|rather)\s+(?:to|for|with|in|on|at|by|from)\b/iu;

/** Tells of the past: "Never been there", "never heard back". */
const telling =
  /^never\s+(?:\p{L}+ed|been|made|got|gotten|had|seen|saw|heard|told|said|found|came|went|took|gave|did|was|were)\b/iu;
const opensSentence = (parts: readonly string[], at: number): boolean =>
  at === 0 || /[.!?]["'”’)]?$/.test(parts[at - 1]!);

/** A verb without an object of its own: "send it yet", "book anything". */
const openObject =
  /^\p{L}+(?:\s+(?:it|them|this|that|these|those|him|her|any|anything|anybody|anyone|one|yet|now)\b|\W*$)/iu;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];

/** What the verb may be that a text begins with: "cancelling" is of "cancel" or "cancell", "deleting" of "delet" or "delete". */
function verbsOf(text: string): string[] {
  const [word = ""] = wordsOf(text);
  const stem = /^(.{2,})ing$/u.exec(word)?.[1];
  if (stem === undefined) return [word];
  const single = stem.replace(/(.)\1$/u, "$1");
  return [stem, `${stem}e`, ...(single === stem ? [] : [single]), word];
}

/**
 * A part of a goal that says what not to do. `part`: its index among the parts (0 in a goal of one part). `text`: the part without its
 * denial, so it begins with the denied verb. `verbs`: the verb, or those that its form in "ing" may be of. `isOpen`: the verb has no object of
 * its own ("don't buy it"), so every action of that verb is denied. `isPreview`: the part also asks to see something first.
 */
export type Denial = {
  part: number;
  text: string;
  verbs: readonly string[];
  isOpen: boolean;
  isPreview?: true;
};

/**
 * The denied parts of a goal, with the denial removed ("send it yet"). None if the goal states a condition, or if another part asks
 * for what is denied ("never call my ex, call my mum").
 */
export function readDenials(goal: string): Denial[] {
  const divided = splitGoal(goal);
  const parts = divided.length > 0 ? divided : [goal.trim()];
  const direct = parts.map((part) => part.replace(indirectQuestion, ""));
  if (direct.some((part) => condition.test(part))) return [];
  const found = parts.flatMap((part, at): Denial[] => {
    const isPreview = preview.test(part);
    const [said] = (isPreview ? preview : denial).exec(part) ?? [];
    const text = said === undefined ? "" : part.slice(said.length);
    // Tells about the speaker: "I drive all week and never write down a kilometre".
    const tells = /^never/i.test(said ?? "") && (telling.test(part) || !opensSentence(parts, at));
    if (text === "" || tells || otherwise.test(parts[at + 1] ?? "")) return [];
    const begin = goal.indexOf(part);
    if (contrast.test(part) && !wantedNext.test(goal.slice(begin + part.length))) return [];
    const verbs = verbsOf(text);
    if (verbs.some((verb) => idiom.test(verb))) return [];
    if ([standing, exception, bound].some((rule) => rule.test(text))) return [];
    // The verb occurs again, as in "Don't buy the red one. Buy blue.": no denial of the action.
    const [first, ...others] = wordsOf(text);
    if (first === undefined || others.some((word) => verbs.includes(word))) return [];
    return [{ part: at, text, verbs, isOpen: openObject.test(text), ...(isPreview && { isPreview }) }];
  });
  const denied = new Set(found.map(({ part }) => part));
  const asked = new Set(direct.flatMap((part, at) => (denied.has(at) ? [] : wordsOf(part))));
  return found.filter(({ verbs }) => !verbs.some((verb) => asked.has(verb)));
}
