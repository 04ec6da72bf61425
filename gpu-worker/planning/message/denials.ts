/**
 * The parts of a goal that say what not to do. Read from the words, since the vectors of "send it" and "don't send it" hardly differ.
 * Pure.
 */
import { words } from "./conditions.ts";
import {
  approved,
  beforeShowing,
  denial,
  doneBefore,
  none,
  passive,
  preview,
  shows,
} from "./denial-forms.ts";
import { opensSentence, partsOf, verbsOf, withoutPoliteness, wordsOf } from "./goal-text.ts";
import { isTakenBack, readTakenBack } from "./taken-back.ts";
import { isLimited, onlyThis, readThing, readThings } from "./unwanted-things.ts";

/**
 * "Instead of deleting the branch, rename it" is a denial, since what is wanted follows a comma (`wantedNext`). Without the comma both
 * stand in one part, and to deny it would deny the renaming, too.
 */
const contrast = /^(?:and\s+|but\s+|so\s+|please\s+)*(?:instead|rather)\b/i;
const wantedNext = /^,\s+(?!(?:and|but|then|also)\b)/i;
/**
 * Verbs that are denied without denying an action ("don't forget to call", "never mind"), or to ask for the opposite one ("don't lose my
 * changes", "don't leave me signed in").
 */
const idiom =
  /^(?:forget|hesitate|worry|mind|know|have|want|need|think|like|care|be|fail|miss|let|just|only|stopping|understand|see|look|remember|wait|feel|expect|trust|give|leave|lose|make|break|go|get|keep|take|put|throw|wake|waste|do|use|hang|skip|ignore|delay|exceed|sound|believe|neglect|overlook|disturb|preserve|retain)\b/iu;
/** "Don't tell me" is said in surprise, where "don't tell Peter" denies something. */
const surprise = /^(?:tell|show)\s+(?:me|us)\b/iu;
/** What depends on a condition may still have to be done. */
const condition = new RegExp(String.raw`\b(?:${words.if}|${words.unless}|${words.else})\b`, "iu");
/** Makes the sentence before conditional, too: "Buy it if it is cheap. Otherwise do not." */
const alternative = new RegExp(String.raw`^(?:${words.else}|${words.unless})\b`, "i");
/** Its "if" is no condition, and its verb is not asked for: "tell me if it is safe to merge". */
const indirectQuestion =
  /\b(?:know|see|check|ask(?:\s+\p{L}+)?|wonder(?:ing)?|sure|find\s+out|verify|say|(?:tell|show)\s+(?:me|us))\s+(?:if|whether)\b.*$/iu;
/** The next part says how, or to what, the action is to be done instead: "Don't send it to Bob, just to Ana", "only the last one". */
const otherwise =
  /^(?:just|only|but|instead|rather)\s+(?:to|for|with|in|on|at|by|from)\b|^(?:just|only)\s+(?:the|this|that|these|those|my|our)\s+(?:\S+\s+){0,3}?ones?\b(?!\s+(?:is|are|was|were|has|have|needs?|should|must|will|can)\b)/iu;
/** Tells of the past and denies nothing: "Never been there", "never heard back". */
const telling =
  /^never\s+(?:\p{L}+ed|been|made|got|gotten|had|seen|saw|heard|told|said|found|came|went|took|gave|did|was|were)\b/iu;
/** "I drove on without paying": "without" says what was done, unless a wish stands before it. */
const toldBefore =
  /^(?:(?:and|but|so|also|then)\s+)*(?:i|we|you|he|she|they|it|there|the|my|our|somebody|someone)\b(?!.*\b(?:want|need|like|love|wish|hope|please|can|could|should|must|to)\b)(?!['’]d\b)/iu;

/** What is wanted instead is a look, so that no word limits the denial: "don't delete the files without a name, only list them". */
const looksOnly =
  /^(?:please\s+)?(?:just|only|simply)\s+(?:list|show|tell|check|look|read|count|find|say|see|let\s+me\s+(?:know|see))\b/iu;

/** A verb without an object of its own: "send it yet", "book anything". */
const openObject =
  /^\p{L}+(?:\s+(?:it|them|this|that|these|those|him|her|any|anything|anybody|anyone|one|yet|now)\b|\W*$)/iu;

/** "Pay it now": no place, person or way is named that might be what is denied. */
const wholeVerb =
  /^\p{L}+(?:\s+(?:it|them|him|her|any|anything|anybody|anyone))?(?:\s+(?:yet|now|today|either|for\s+now|at\s+all|myself|ourselves))*\W*$/iu;

/** "Merge it", "merge it after all", but not "merge it yet": behind a request this takes it back, and not only for now. */
const retracted =
  /^\p{L}+(?:\s+(?:it|them|that|this|any|anything))?(?:\s+(?:after\s+all|at\s+all|either|please))?\W*$/iu;

/** A part of a goal that says what not to do. */
export type Denial = {
  /** Its index among the parts; 0 in a goal of one part. */
  part: number;
  /** The part without its denial, so it begins with the denied verb, or with the thing that is not wanted. */
  text: string;
  /** The denied verb, or those of which its form in "ing" or "ed" may be; none if a thing is not wanted. */
  verbs: readonly string[];
  /** The verb has no object of its own ("don't buy it"), so every action of that verb is denied. */
  isOpen: boolean;
  /** The verb itself is denied, and not only a way of doing it. */
  isWhole?: boolean;
  /** The part also asks to see something first. */
  isPreview?: true;
  /** Denied although another part asks for it: "merge it. No wait, don't merge it". */
  isRetraction?: true;
  /** The verb of the request that replaces it: "buy" in "sell it, no, buy it". */
  instead?: string;
  /** The verb is denied of these things alone, since another part asks for it. */
  things?: readonly string[];
  /** That request stands in the same part. */
  isReplaced?: true;
};

/**
 * The denied parts of a goal. None in a sentence with a condition ("don't send it if ..."), before a part that says how it is to be
 * done instead ("just to Ana"), or if another part asks for what is denied ("never call my ex, call my mum"), unless that is taken
 * back.
 */
export function readDenials(goal: string): Denial[] {
  const parts = partsOf(goal);
  const direct = parts.map((part) => part.replace(indirectQuestion, ""));
  const isConditional = findConditional(direct, parts);
  const found = [...parts.keys()].flatMap((at): Denial[] => {
    if (isConditional(at) || otherwise.test(parts[at + 1] ?? "")) return [];
    const action = readAction(goal, parts, at);
    const thing = action ? undefined : readThing(parts, at);
    return action ?? (thing === undefined ? [] : [{ part: at, text: thing, verbs: [], isOpen: false }]);
  });
  for (const { end: _end, ...taken } of readTakenBack(goal, parts)) {
    if (found.some(({ part }) => part === taken.part)) continue;
    found.push({ ...taken, verbs: verbsOf(taken.text), isOpen: false, isWhole: true });
  }
  return dropAsked(found, direct, parts);
}

/** Whether a goal asks for nothing: "Close it. No, don't close it", "don't send it", "Close the ticket. No, keep it". */
export function asksNothing(goal: string): boolean {
  const denied = readDenials(goal).filter(
    ({ isWhole, isPreview, isReplaced }) => isWhole && !isPreview && !isReplaced,
  );
  const retracted = new Set(denied.flatMap(({ isRetraction, verbs }) => (isRetraction ? verbs : [])));
  const isNone = (part: string, at: number) =>
    denied.some((one) => one.part === at) || retracted.has(wordsOf(withoutPoliteness(part))[0] ?? "");
  return partsOf(goal).every(isNone) || isTakenBack(goal);
}

/** Whether a part is in a sentence with a condition. `direct`: the parts without their indirect questions. */
function findConditional(direct: readonly string[], parts: readonly string[]): (part: number) => boolean {
  let sentence = -1;
  const sentences = parts.map((_, at) => (opensSentence(parts, at) ? ++sentence : sentence));
  const conditional = new Set(
    direct.flatMap((part, at) => {
      if (!condition.test(part)) return [];
      return alternative.test(part) ? [sentences[at], sentences[at]! - 1] : [sentences[at]];
    }),
  );
  return (part) => conditional.has(sentences[part]);
}

/** What is only to be written or told: in "draft a reply saying we'll send it" nothing is to be sent. */
const content = /\bsaying\s(?:(?!\b(?:and|then)\b).)*/giu;

/** The denials without those whose verb another part asks for, unless they take that back, or deny it of another thing. */
function dropAsked(found: readonly Denial[], direct: readonly string[], parts: readonly string[]): Denial[] {
  const denied = new Set(found.map(({ part }) => part));
  const asked = direct.map((part, at) => {
    return new Set(denied.has(at) ? [] : wordsOf(part.replace(content, "")));
  });
  return found.flatMap((one) => {
    const last = asked.findLastIndex((words) => one.verbs.some((verb) => words.has(verb)));
    if (last === -1 || one.isRetraction) return [one];
    if (last < one.part && retracted.test(one.text)) return [{ ...one, isRetraction: true }];
    // "Turn on the light without turning on the music": the thing is not wanted, the verb is.
    const isWithout = /^without\b/iu.test(parts[one.part]!);
    if (isWithout && !one.isOpen) return [{ ...one, verbs: [], isWhole: false }];
    const things = one.isOpen || one.isPreview ? [] : readThings(one, asked);
    return things.length > 0 ? [{ ...one, things }] : [];
  });
}

/** "I have already packed and printed the pass": the verb of a later part is done, too. */
const isAlsoDone = (parts: readonly string[], at: number): boolean =>
  at > 0 &&
  !opensSentence(parts, at) &&
  /^\p{L}+ed\b/iu.test(parts[at]!) &&
  (doneBefore.test(parts[at - 1]!) || isAlsoDone(parts, at - 1));

/**
 * The action that a part denies, by the first form of a denial that it has. Undefined if it has none; empty if it has one and denies no
 * action all the same ("don't forget").
 */
const readAction = (goal: string, parts: readonly string[], at: number): Denial[] | undefined =>
  readApproved(parts, at) ??
  readNone(parts, at) ??
  readPassive(parts, at) ??
  readShown(parts, at) ??
  readSaid(goal, parts, at);

function readApproved(parts: readonly string[], part: number): Denial[] | undefined {
  const waits = approved.exec(parts[part]!);
  if (waits === null) return undefined;
  const text = withoutPoliteness(parts[part]!.slice(0, waits.index));
  if (text === "") return [];
  return [{ part, text, verbs: verbsOf(text), isOpen: openObject.test(text), isWhole: true }];
}

function readNone(parts: readonly string[], part: number): Denial[] | undefined {
  const [, text] = none.exec(parts[part]!) ?? [];
  if (text === undefined || idiom.test(text)) return undefined;
  return [{ part, text, verbs: verbsOf(text), isOpen: true, isWhole: true }];
}

function readPassive(parts: readonly string[], part: number): Denial[] | undefined {
  const [said] = passive.exec(parts[part]!) ?? [];
  if (said === undefined || parts.length === 1) return undefined;
  const text = parts[part]!.slice(said.length);
  if (isLimited(text)) return undefined;
  return [{ part, text, verbs: verbsOf(text), isOpen: openObject.test(text), isWhole: wholeVerb.test(text) }];
}

function readShown(parts: readonly string[], part: number): Denial[] | undefined {
  const [begun, text] = beforeShowing.exec(parts[part]!) ?? [];
  if (begun === undefined || text === undefined) return undefined;
  const rest = parts[part]!.slice(begun.length).trim() || (parts[part + 1] ?? "");
  if (!shows.test(rest)) return undefined;
  return [{ part, text, verbs: verbsOf(text), isOpen: true, isPreview: true, isRetraction: true }];
}

function readSaid(goal: string, parts: readonly string[], at: number): Denial[] | undefined {
  const part = parts[at]!;
  const isPreview = preview.test(part);
  const [said] = (isPreview ? preview : denial).exec(part) ?? (isAlsoDone(parts, at) ? [""] : []);
  if (said === undefined) return undefined;
  const text = part.slice(said.length);
  // Tells about the speaker: "I drive all week and never write down a kilometre".
  const tells =
    (/^never/i.test(said) && (telling.test(part) || !opensSentence(parts, at))) ||
    (/^without/i.test(said) && toldBefore.test(parts[at - 1] ?? ""));
  if (text === "" || tells) return [];
  const begin = goal.indexOf(part);
  // "Archive it instead of deleting it": what is wanted stands before.
  const isBehind =
    at > 0 &&
    /[^\s.!?,;:]\s+$/.test(goal.slice(0, begin)) &&
    !/\b(?:and|but|so)\s+$/i.test(goal.slice(0, begin));
  if (contrast.test(part) && !isBehind && !wantedNext.test(goal.slice(begin + part.length))) return [];
  const verbs = verbsOf(text);
  const isLooked = looksOnly.test(parts[at + 1] ?? "");
  if (verbs.some((verb) => idiom.test(verb)) || surprise.test(text) || (isLimited(text) && !isLooked))
    return [];
  // The verb occurs again, as in "Don't buy the red one. Buy blue.": no denial of the action.
  const [first, ...others] = wordsOf(text);
  if (first === undefined || others.some((word) => verbs.includes(word))) return [];
  const isWhole = wholeVerb.test(text) || onlyThis.test(parts[at + 1] ?? "");
  return [{ part: at, text, verbs, isOpen: openObject.test(text), isWhole, ...(isPreview && { isPreview }) }];
}
