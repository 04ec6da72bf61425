/**
 * Whether a session shows by itself that its work is finished: the agent's list of its own steps has none open; the last thing asked for
 * is to commit, push or propose the change, and a call has just done so; or a shell's tests pass after a change. The reader of
 * sessions sees none of this: of a call it gets the tool's name alone, and every command of a shell has the same. Pure.
 */
import { actionText } from "../../world-model/text-templates.ts";
import { partsOf, withoutPoliteness } from "../message/goal-text.ts";
import { effectsOfCalls, isChange, isShell, keepsNotes, type NamedTool } from "./call-effects.ts";
import { readDelivery } from "./delivery.ts";
import { lastGoal, looksFailed, type SessionEvent } from "./events.ts";
import { ranTests, showsPassed } from "./test-results.ts";

/**
 * States of steps as agents write them (`"status":"completed"`, `[x]`) and as their tools answer (`- COMPLETED: …`, `1. [pending] …`).
 * A group matches only where a step is still open.
 */
const states =
  /(?:"status"\s{0,4}:\s{0,4}"|\[|^[ \t]{0,8}- )(?:completed|done|cancell?ed|(pending|in[_ -]progress|not[_ -]started|todo))(?:"|\]|:)|(?:^|\\n|["\n])[ \t]{0,8}(?:[-*] )?\[(?:x|([ -]))\] /gim;

/** Whether a list has no open step. Undefined if the text shows no list: a single state may be that of one step among others. */
function isAllDone(text: string): boolean | undefined {
  const found = [...text.matchAll(states)];
  if (found.length < 2) return undefined;
  return found.every(([, ...open]) => open.every((group) => group === undefined));
}

/** Of the tools that keep notes, those that keep a list. A tool that notes a thought does not, though the thought may hold ticks. */
const keepsList = /\b(?:to ?dos?|plan|task)\b/u;
/** "ExitPlanMode" keeps no list. */
const setsMode = /\bmode\b/u;
/** Then the list may be the user's own, and to tick it off may be what they ask for. */
const asksForList = /\bto-?dos?\b/iu;

/** Agents that add and tick off each step by a call of its own. */
const adds = "TaskCreate";
const ticks = "TaskUpdate";
const ticked = /"status"\s{0,4}:\s{0,4}"completed"/;

/**
 * Whether the newest call leaves no step of the agent's list open. A list that is ticked off before any other call is an earlier
 * message's.
 */
function isListDone(since: readonly SessionEvent[]): boolean {
  const calls = since.filter(({ kind }) => kind === "call");
  const [{ text, args = "" }, result] = since.slice(-2) as [SessionEvent, SessionEvent];
  const name = actionText(text);
  if (!keepsList.test(name) || setsMode.test(name)) return false;
  if (calls.every((call) => keepsNotes(call.text))) return false;
  if (text !== ticks) return isAllDone(result.text) ?? isAllDone(args) ?? false;
  const added = calls.filter((call) => call.text === adds).length;
  const done = calls.filter((call) => call.text === ticks && ticked.test(call.args ?? "")).length;
  return ticked.test(args) && added > 0 && done >= added;
}

/** Tools with which an agent hands its work in. Where there is one, an agent calls it instead of only answering. */
export const handsIn =
  /^(?:attempt completion|(?:submit|finish|complete|end)(?: (?:task|answer|solution|patch|work|job))?|final answer|task (?:done|complete|finished)|done)$/u;

/** Asks for more changes than can be counted: "refactor all modules", "fix it in the 12 files", "with tests and docs". */
const uncounted =
  /\b(?:all|every\w*|each|both|several|two|three|four|five|as\s+well|docs|documentation|readme|changelog)\b|\b\d+\s+\p{L}+s\b/iu;
const joins = /\b(?:and|then|also|plus)\b|[&+\n]/giu;

/**
 * A line that a program printed: "Traceback (most recent call last):", "    at run (a.js:3:1)", "TypeError: …". A message of only such
 * lines asks for one thing.
 */
const printed =
  /^(?:\s|$|Traceback \(most recent call last\):|(?:[\w.]{0,80}(?:Error|Exception|Warning)|error(?:\[\w{1,10}\])?|panic|fatal):|FAIL(?:ED)?\s|[\w@./-]{1,200}:\d)/;
const isPrinted = (text: string): boolean => text.split("\n").every((line) => printed.test(line));

/** A part that passed tests serve, so that no change has to: "run the tests", "make sure all tests pass". */
const checking =
  /^\W*(?:(?:re-?)?run|execute|make\s+sure|ensure|verify|check)\b.{0,40}\b(?:tests?|suite|specs?|build|compiles|passes)\b(?:[\s,]+(?:still|all|again|pass(?:es)?|is|are|green|works?|please)\b)*\W*$/iu;

/**
 * How many changes a message may ask for, where `asked` of its parts ask for something. Words that join are counted, too, since "fix the
 * parser and lexer" and "close #1, #2 and #3" are one part each.
 */
export function countChanges(goal: string, asked: number): number {
  if (isPrinted(goal)) return 1;
  const parts = partsOf(goal);
  const rest = parts.filter((part) => !checking.test(withoutPoliteness(part)));
  if (rest.some((part) => uncounted.test(part))) return Number.POSITIVE_INFINITY;
  const joined = goal.match(joins)?.length ?? 0;
  const counted = 1 + joined + (joined > 0 ? goal.split(",").length - 1 : 0);
  return Math.max(1, Math.max(asked, counted) - (parts.length - rest.length));
}

/** Whether something was changed for each of `asked` requests, and a shell's tests pass since. */
function isChecked(
  goal: string,
  since: readonly SessionEvent[],
  tools: readonly NamedTool[],
  asked: number,
): boolean {
  const calls = since.filter(({ kind, text }) => kind === "call" && !keepsNotes(text));
  const last = calls.at(-1)!;
  const hasList = since.some(({ kind, text }) => kind === "call" && keepsNotes(text));
  const effectOf = effectsOfCalls(tools);
  return (
    !hasList &&
    isShell(last.text) &&
    effectOf(last) !== "look" &&
    calls.slice(0, -1).filter((call) => isChange(effectOf(call))).length >= countChanges(goal, asked) &&
    showsPassed(since.at(-1)!.text) &&
    ranTests(last, since.at(-1)!.text)
  );
}

/**
 * Whether the newest result ends the work on the last message. Never if a tool hands the work in, or if the newest call failed. `turns`:
 * oldest first, without the system prompt. `asked`: how many parts of the message ask for something.
 */
export function isFinished(
  turns: readonly SessionEvent[],
  tools: readonly NamedTool[],
  asked: number,
): boolean {
  const goal = lastGoal(turns);
  const [call, result] = turns.slice(-2);
  if (goal === -1 || call?.kind !== "call" || result?.kind !== "result" || looksFailed(result.text))
    return false;
  if (tools.some(({ name }) => handsIn.test(actionText(name)))) return false;
  const since = turns.slice(goal + 1);
  const { text } = turns[goal]!;
  const delivered = readDelivery(text, since);
  if (keepsNotes(call.text)) return delivered !== "open" && !asksForList.test(text) && isListDone(since);
  return delivered === "last" || (delivered === "none" && isChecked(text, since, tools, asked));
}
