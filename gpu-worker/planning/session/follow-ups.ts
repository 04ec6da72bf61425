/**
 * Later messages without a verb of their own: "and Friday?", "the same for Bob" ask for what the message before asked for, and "make it
 * five instead" corrects what a call has done. What they are about is in the calls, not in their words. Pure.
 */
import type { PlanningConfig } from "../../world-model/planning-config.ts";
import { nameWords } from "../../world-model/text-templates.ts";
import { stemsOf } from "../../world-model/tool-ranking.ts";
import { effectsOfCalls, isChange, keepsNotes, looks, type NamedTool } from "./call-effects.ts";
import { type Due, nothingDue } from "./due.ts";
import { lastGoal, readCalls, type SessionEvent } from "./events.ts";
import { readReply } from "./replies.ts";

const opening = String.raw`^\W*(?:(?:ok(?:ay)?|great|good|cool|nice|perfect|thanks|thank\s+you|now|then|and|please|also|hm+|oh|do)[\s,.!]+)*`;
/** A request or a question with a verb of its own, or one for something else of the same thing: "and his orders?" */
const ownVerb = String.raw`(?!.*\b(?:can|could|would|will|shall|should|do|does|did|is|are|was|were|has|have|how|why|who|you|it|them|that|this)\b)`;
const notOfThem = String.raw`(?!(?:his|her|their|its)\b)`;
/** One space at least stands between two words: with `(?:\S+\s*){1,6}` one long word could be cut in a billion ways. */
const fewWords = String.raw`\S+(?:\s+\S+){0,5}\s*$`;
const same = new RegExp(String.raw`${opening}(?:the\s+)?same\b(?!(?=.*\?).*\bas\b)`, "iu");
const repeats = [
  new RegExp(String.raw`${opening}(?:what|how)\s+about\s+${notOfThem}${fewWords}`, "iu"),
  new RegExp(
    String.raw`^\W*(?:ok(?:ay)?[\s,]+)?and\s+${notOfThem}${ownVerb}(?=[^?]*\?\W*$)${fewWords}`,
    "iu",
  ),
];
/** Corrects a value: "make it 20", "sorry, I meant Tuesday"; or names another: "20 instead". */
const correction = String.raw`^[^\p{L}\p{N}]*(?:(?:no|oh|hm+|sorry|wait|actually|ok(?:ay)?|please|and|but|can\s+you|could\s+you)[\s,.!]+)*`;
const corrects = new RegExp(
  String.raw`${correction}(?:make\s+(?:it|that|them)\s|change\s+(?:it|that)\s+to\s|i\s+meant?\s)`,
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

/** The last message, the calls made for the one before it, and the names of those made for it since. */
type FollowUp = {
  text: string;
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
  if (lost.failed && since.size === 0 && retries.test(text) && !namesAnother(text, [lost.name], names)) {
    return { score: (tool) => (tool === lost.name ? repeated : 0), isOpen: false };
  }
  const followUp: FollowUp = { text, before, since, tools };
  if (same.test(text) || repeats.some((form) => form.test(text))) {
    const again = findRepeated(followUp);
    const isOpen = same.test(text) && since.size > 0 && again.size > 0;
    return { score: (tool) => (again.has(tool) ? repeated : 0), isOpen };
  }
  const mending = findCorrecting(followUp);
  return { score: (tool) => (mending.has(tool) ? corrected : 0), isOpen: false };
}

/** Tools that are asked for again. None if another one is named: "and the logs?" after `get_metrics`. */
function findRepeated({ text, before, since, tools }: FollowUp): ReadonlySet<string> {
  const again = before.flatMap(({ name, failed }) => (failed || since.has(name) ? [] : [name]));
  const looking = tools.filter(looks).map(({ name }) => name);
  if (!same.test(text) && namesAnother(text, again, looking)) return new Set();
  // "And the other one?" after a refund may only ask.
  return new Set(text.includes("?") ? again.filter((name) => looking.includes(name)) : again);
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

/** Whether a message has a word of a tool's name that is in no name of those called. */
function namesAnother(text: string, called: readonly string[], tools: readonly string[]): boolean {
  const known = new Set(called.flatMap((name) => stemsOf(nameWords(name))));
  const said = new Set(stemsOf(text).filter((stem) => !known.has(stem)));
  return tools.some((tool) => stemsOf(nameWords(tool)).some((stem) => said.has(stem)));
}
