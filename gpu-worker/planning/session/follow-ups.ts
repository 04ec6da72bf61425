/**
 * Later messages without a verb of their own: "and Friday?", "the same for Bob" ask for what the message before asked for, and "make it
 * five instead" corrects what a call has done. What they are about is in the calls, not in their words. Pure.
 */
import type { PlanningConfig } from "../../world-model/planning-config.ts";
import { nameWords } from "../../world-model/text-templates.ts";
import { stemsOf } from "../../world-model/tool-ranking.ts";
import { effectsOfCalls, isChange, keepsNotes, looks, type NamedTool } from "./call-effects.ts";
import { lastGoal, readCalls, type SessionEvent } from "./events.ts";
import { readReply } from "./offers.ts";

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

/** What is added to the log odds of a tool. `turns`: oldest first, without the system prompt. */
export function readFollowUp(
  turns: readonly SessionEvent[],
  tools: readonly NamedTool[],
  { repeated, corrected }: Weights,
): (tool: string) => number {
  const goal = lastGoal(turns);
  const text = turns[goal]?.text ?? "";
  const calls = readCalls(turns).filter(({ name }) => !keepsNotes(name));
  const earlier = findServed(turns, goal);
  const before = calls.filter(({ turn }) => turn > earlier && turn < goal);
  const since = new Set(calls.flatMap(({ name, turn }) => (turn > goal ? [name] : [])));
  const newest = calls.at(-1);
  // What followed a success does not follow a failure.
  if (before.length === 0 || (newest?.failed && newest.turn > goal)) return () => 0;
  const isSame = same.test(text);
  if (isSame || repeats.some((form) => form.test(text))) {
    // "And the other one?" after a refund may only ask.
    const isQuestion = text.includes("?");
    const looking = new Set(tools.filter(looks).map(({ name }) => name));
    const again = new Set(before.flatMap(({ name, failed }) => (failed || since.has(name) ? [] : [name])));
    if (!isSame && namesAnother(text, [...again], [...looking])) return () => 0;
    return (tool) => (again.has(tool) && (!isQuestion || looking.has(tool)) ? repeated : 0);
  }
  const names = tools.map(({ name }) => name);
  const isCorrection =
    corrects.test(text) ||
    (replaces.test(text) &&
      !namesAnother(
        text,
        calls.map(({ name }) => name),
        names,
      ));
  if (!isCorrection || since.size > 0) return () => 0;
  const effectOf = effectsOfCalls(tools);
  const last = before.findLast(({ call, failed }) => !failed && isChange(effectOf(call)))?.name;
  if (last === undefined) return () => 0;
  const mayAdjust = !adjusts.test(nameWords(last));
  const words = new Set(stemsOf(nameWords(last)));
  const hasNumber = /\d/u.test(text);
  const adjustsIt = (name: string) =>
    adjusts.test(name) && (hasNumber || stemsOf(name).some((stem) => words.has(stem)));
  return (tool) => (tool === last || (mayAdjust && adjustsIt(nameWords(tool))) ? corrected : 0);
}

/** Whether a message has a word of another tool's name that is in no name of those called: "and the logs?" after `get_metrics`. */
function namesAnother(text: string, called: readonly string[], tools: readonly string[]): boolean {
  const known = new Set(called.flatMap((name) => stemsOf(nameWords(name))));
  const said = new Set(stemsOf(text).filter((stem) => !known.has(stem)));
  return tools.some((tool) => stemsOf(nameWords(tool)).some((stem) => said.has(stem)));
}
