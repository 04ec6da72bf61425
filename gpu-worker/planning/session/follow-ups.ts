/**
 * Later messages that are about earlier calls: "and Friday?", "the same for Bob", "the kitchen one too" ask for what the message before asked
 * for, "make it five instead" corrects what a call has done, "yes" may want a failed one tried again, and "cancel it" names the deed alone.
 * What they are about is in the calls, not in their words. Pure.
 */
import type { PlanningConfig } from "../../world-model/planning-config.ts";
import { actionVerb, nameWords } from "../../world-model/text-templates.ts";
import { stemsOf } from "../../world-model/tool-ranking.ts";
import { words } from "../message/conditions.ts";
import { wordsOf } from "../message/goal-text.ts";
import { effectsOfCalls, isChange, keepsNotes, looks, type NamedTool } from "./call-effects.ts";
import { type Due, nothingDue } from "./due.ts";
import { lastGoal, readCalls, type SessionEvent } from "./events.ts";
import { isConsent, readReply } from "./replies.ts";

const opening = String.raw`^\W*(?:(?:ok(?:ay)?|great|good|cool|nice|perfect|thanks|thank\s+you|now|then|and|please|also|hm+|oh|do)[\s,.!]+)*`;
/** Words of a request or a question of its own. */
const sentenceWords =
  "can|could|would|will|shall|should|do|does|did|is|are|was|were|has|have|how|why|who|you|it|them|that|this";
const notASentence = String.raw`(?!.*\b(?:${sentenceWords})\b)`;
/** Not for something else of the same thing: "and his orders?" */
const notOfThem = String.raw`(?!(?:his|her|their|its)\b)`;
/** One space at least stands between two words: with `(?:\S+\s*){1,6}` one long word could be cut in a billion ways. */
const fewWords = String.raw`\S+(?:\s+\S+){0,5}\s*$`;
const same = new RegExp(String.raw`${opening}(?:the\s+)?same\b(?!(?=.*\?).*\bas\b)`, "iu");
const repeats = [
  new RegExp(String.raw`${opening}(?:what|how)\s+about\s+${notOfThem}${fewWords}`, "iu"),
  new RegExp(
    String.raw`^\W*(?:ok(?:ay)?[\s,]+)?and\s+${notOfThem}${notASentence}(?=[^?]*\?\W*$)${fewWords}`,
    "iu",
  ),
];
/** More of the same, told: "the kitchen one too", "LK-318 as well"; "and the other one". The group is the thing. */
const additions = [
  /^\W*(?:(?:ok(?:ay)?|great|good|nice|perfect|thanks|yes|oh|and|now|also|then|please|do)[\s,.!]+){0,4}(.+?)\s+(?:too|as\s+well|also)(?:\s+please)?\W*$/iu,
  /^\W*(?:ok(?:ay)?[\s,]+)?and\s+((?:the|my|our)\s.+|(?:\p{L}+\s+)?[#\p{L}-]*\d[\w-]*)(?:\s+please)?\W*$/iu,
];
/** Any condition, wherever it stands: `isConditional` (message/conditions.ts) finds only one that a part begins with. */
const conditionWord = new RegExp(String.raw`\b(?:${words.if}|${words.unless})\b`, "iu");
const [maxAdditionChars, maxListingChars] = [60, 200];
const second = /\S\s*,?\s+and\s+([^\s,.;!?][^,.;!?]{0,39}?)\s+(?:too|as\s+well)(?:\s+please)?\W*$/iu;
/** A name, a number, "my wife", "for Bob": other words may be an order of their own, "check logs". */
const nounLike = /^(?:\p{Lu}|[#@\d]|(?:for|the|my|our|his|her|their)\s)/u;
const inGeneral = /^(?:that|this)(?:\s+one)?$/iu;
/** Says more than a thing. */
const clause = new RegExp(
  String.raw`^(?:an?|his|her|their|its)\b|[,;:.]\s|\b(?:of|${sentenceWords}|i(?=\s)|we|he|she|they|works?|looks?|sounds?|seems?|likes?|loves?|liked|loved|thinks?|agrees?|wants?|needs?|went|came|got|done|fine|good|nice|said|broke|pass(?:es)?|fails?|not)\b|n['’]t\b|\p{L}{3}ed$`,
  "iu",
);
/** Begins with a verb of its own: "rename the file", "email Bob", "push". Not "order 12", "for Bob". */
const order =
  /^(?!(?:for|in|on|at|from|with|order|issue|ticket|case|number|room|invoice|booking|account|line|pr)\b)(?:\p{Ll}+\s+(?:\p{Lu}|[#\d@]|(?:the|an?|my|our|your|his|her|their|those|these|to|me|us|all|both|up|off|on|out)\b)|(?:commit|push|deploy|merge|publish|release|test|lint|build|format|save|send|close|reply)\b)/u;

/** Whether a message only adds a thing to what was done before. */
function addsThing(text: string): boolean {
  if (text.length > maxAdditionChars || text.includes("?")) return false;
  const thing = additions.flatMap((form) => form.exec(text)?.[1] ?? [])[0];
  return thing !== undefined && (inGeneral.test(thing) || isThing(thing));
}

const isThing = (text: string): boolean => !(clause.test(text) || order.test(text));

/** The thing that a message names behind another one for the same: "reserve it, and Emma too". */
export function readSecond(text: string): string | undefined {
  const thing = text.length > maxListingChars ? undefined : second.exec(text)?.[1];
  return thing !== undefined && nounLike.test(thing) && isThing(thing) ? thing : undefined;
}

/** Corrects a value: "make it 20", "sorry, I meant Tuesday"; or names another: "20 instead". */
const correction = String.raw`^[^\p{L}\p{N}]*(?:(?:no|oh|oops|hm+|sorry|wait|actually|ok(?:ay)?|please|and|but|can\s+you|could\s+you)[\s,.!]+)*`;
const corrects = new RegExp(
  String.raw`${correction}(?:make\s+(?:it|that|them)\s|(?<=\b(?:no|sorry|wait|actually)[\s,.!]+)(?:make|set)\s+the\s|change\s+(?:it|that)\s+to\s|i\s+meant?\s|(?:oops[\s,.!]+)?(?:a\s+)?typo\b)`,
  "iu",
);
const replaces = new RegExp(
  String.raw`${correction}[\p{L}\p{N}]\S*\s+(?:\S+\s+){0,3}(?:instead|rather)\W*$`,
  "iu",
);
/** After a call that failed: "try again", "ok use the other one then". Not "try to find her", "take it easy", "try again tomorrow". */
const retries = new RegExp(
  String.raw`${opening}(?:(?:re-?)?try\b(?!\s+(?:to|and|\p{L}+ing)\b)|use\b|take\b(?!\s+(?:it|an?)\b)|go\s+with\b)(?!.{0,60}\b(?:later|tomorrow|tonight)\b).{0,60}$`,
  "isu",
);
const adjusts = /^(?:set|update|change|edit|modify|adjust|reschedule)\b/u;

const turnsBack = /^\W*(?:(?:oh|hm+|ok(?:ay)?)[\s,.!]+)*(?:no|wait|sorry|actually|oops)\b/iu;
/** "Cancel it please", "delete it": the verb alone says what is to be done. */
const orderOfIt =
  /(?:^|[.,;!?]\s+|\b(?:and|then)\s+)(?:(?:please|then|so|and|ok(?:ay)?|can\s+you|could\s+you)[\s,]+)*(\p{L}{3,})\s+(?:it|that|them|those|this)(?:\s+(?:please|pls|then|now|thanks))*\W*$/iu;

type Weights = Pick<PlanningConfig["session"]["evidence"], "repeated" | "corrected">;

/**
 * The index of the last message before `before` for which a call was made. One that only takes an offer ("yes") goes on with the one before
 * it.
 */
function findServed(turns: readonly SessionEvent[], before: number): number {
  const call = turns.slice(0, Math.max(0, before)).findLastIndex(({ kind }) => kind === "call");
  const at = lastGoal(turns.slice(0, call + 1));
  return at > 0 && readReply(turns.slice(0, at + 1)) !== undefined ? findServed(turns, at) : at;
}

type CallBefore = ReturnType<typeof readCalls>[number];

/** The last message, the one before it that calls served (`served`), these calls, and the names of those made for it since. */
type FollowUp = {
  text: string;
  served: string;
  before: readonly CallBefore[];
  since: ReadonlySet<string>;
  tools: readonly NamedTool[];
};

/** `isOpen`: of what "the same for Bob" asks for again, a call is left. `turns`: oldest first, without the system prompt. */
export function readFollowUp(
  turns: readonly SessionEvent[],
  tools: readonly NamedTool[],
  { repeated, corrected }: Weights,
): Due {
  const goal = lastGoal(turns);
  const calls = readCalls(turns).filter(({ name }) => !keepsNotes(name));
  const earlier = findServed(turns, goal);
  const before = calls.filter(({ turn }) => turn > earlier && turn < goal);
  const since = new Set(calls.flatMap(({ name, turn }) => (turn > goal ? [name] : [])));
  const newest = calls.at(-1);
  // What followed a success does not follow a failure.
  if (before.length === 0 || (newest?.failed && newest.turn > goal)) return nothingDue;
  const text = turns[goal]?.text ?? "";
  const lost = before.at(-1)!;
  const names = tools.map(({ name }) => name);
  // "That one is taken. Would Tuesday do?" "Yes." Not "It failed. Shall I roll it back?", which offers another tool.
  const asked = /[^.!?\n]*\?\s*$/u.exec(turns[goal - 1]?.text ?? "")?.[0];
  const isAgreed = asked !== undefined && isConsent(text) && !namesAnother(asked, [lost.name], names);
  const isRetry = isAgreed || (retries.test(text) && !namesAnother(text, [lost.name], names));
  if (lost.failed && since.size === 0 && isRetry) {
    return { score: (tool) => (tool === lost.name ? repeated : 0), isOpen: false };
  }
  const followUp: FollowUp = { text, served: turns[earlier]?.text ?? "", before, since, tools };
  const isAddition = addsThing(text);
  if (isAddition || same.test(text) || repeats.some((form) => form.test(text))) {
    const again = findRepeated(followUp, isAddition, { repeated, corrected });
    const isOpen = same.test(text) && since.size > 0 && again.size > 0;
    return { score: (tool) => again.get(tool) ?? 0, isOpen };
  }
  const mending = findCorrecting(followUp);
  // "Actually, make that 17" is about the last change, whatever else the talk is about.
  const weight = turnsBack.test(text) ? repeated : corrected;
  const ordered = mending.size === 0 ? findOrdered(followUp) : undefined;
  return {
    score: (tool) => (mending.has(tool) ? weight : tool === ordered ? corrected : 0),
    isOpen: false,
  };
}

/**
 * Tools that are asked for again, each with its weight. None if another one is named: "and the logs?" after `get_metrics`, "a chart too".
 * An addition (`isAddition`) is one to the last change alone: after a heater and a lamp "the kitchen one too" means a lamp. What was
 * looked up for that change may not be needed again. If the change depended on it ("approve it if it matches"), only looks are.
 */
function findRepeated(
  { text, served, before, since, tools }: FollowUp,
  isAddition: boolean,
  { repeated, corrected }: Weights,
): ReadonlyMap<string, number> {
  const called = before.flatMap(({ name, failed }) => (failed ? [] : [name]));
  const looking = new Set(tools.filter(looks).map(({ name }) => name));
  const named = isAddition ? tools.map(({ name }) => name) : [...looking];
  if (!same.test(text) && namesAnother(text, called, named)) return new Map();
  const last = called.findLast((name) => !looking.has(name));
  const again = called.filter((name) => {
    return (!isAddition || name === last || looking.has(name)) && !since.has(name);
  });
  // Once that change is made, nothing is left.
  if (isAddition && last !== undefined && since.has(last)) return new Map();
  const looked = again.filter((name) => looking.has(name));
  const isDependent = isAddition && conditionWord.test(served);
  // "And the other one?" after a refund may only ask.
  const meant = text.includes("?") || isDependent ? looked : again;
  const isBeside = (name: string) => isAddition && !isDependent && last !== undefined && name !== last;
  return new Map(meant.map((name) => [name, isBeside(name) ? corrected : repeated]));
}

/** What made the last change, if the message corrects it, and what adjusts the same thing or a number. */
function findCorrecting({ text, before, since, tools }: FollowUp): ReadonlySet<string> {
  const names = tools.map(({ name }) => name);
  const called = before.map(({ name }) => name);
  const isCorrection = corrects.test(text) || (replaces.test(text) && !namesAnother(text, called, names));
  const effectOf = effectsOfCalls(tools);
  const last = before.findLast(({ call, failed }) => !failed && isChange(effectOf(call)))?.name;
  if (!isCorrection || since.size > 0 || last === undefined) return new Set();
  if (adjusts.test(nameWords(last))) return new Set([last]);
  const words = stemsOf(nameWords(last));
  const isNear = (name: string) => /\d/u.test(text) || stemsOf(name).some((stem) => words.includes(stem));
  const adjusting = names.filter((name) => adjusts.test(nameWords(name)) && isNear(nameWords(name)));
  return new Set([last, ...adjusting]);
}

/** The only tool with the verb that a message ends with, if it names no other before: "cancel it please". Not "read it, then delete it". */
function findOrdered({ text, since, tools }: FollowUp): string | undefined {
  const said = text.slice(-maxListingChars);
  const found = orderOfIt.exec(said);
  if (found === null || since.size > 0 || conditionWord.test(text)) return undefined;
  const before = wordsOf(said.slice(0, found.index));
  if (tools.some(({ name }) => before.includes(actionVerb(name)))) return undefined;
  const verb = found[1]!.toLowerCase();
  const named = tools.filter(({ name }) => actionVerb(name) === verb);
  return named.length === 1 ? named[0]!.name : undefined;
}

/** Whether a message has a word of a tool's name that is in no name of those called. */
function namesAnother(text: string, called: readonly string[], tools: readonly string[]): boolean {
  const known = new Set(called.flatMap((name) => stemsOf(nameWords(name))));
  const said = new Set(stemsOf(text).filter((stem) => !known.has(stem)));
  return tools.some((tool) => stemsOf(nameWords(tool)).some((stem) => said.has(stem)));
}
