/**
 * Facts in a session's turns that bear on the next tool and that the reader of sessions does not see: it gets no parameters, no
 * arguments, and only one vector for a result. Also how far the calls have served the user's requests, found by counting. Pure.
 */
import type { PlanningConfig } from "../../world-model/planning-config.ts";
import { nameWords } from "../../world-model/text-templates.ts";
import { stemsOf } from "../../world-model/tool-ranking.ts";
import { type Asking, asksOnlyQuestions, canAskFor } from "../message/asking.ts";
import { readMessage } from "../message/read-message.ts";
import { isRemark, isThanks, takesBack } from "../message/remarks.ts";
import { readRecovery } from "./after-failures.ts";
import { effectsOfCalls, isChange, isShell, keepsNotes, type NamedTool } from "./call-effects.ts";
import { lastGoal, looksFailed, readCalls, type SessionEvent } from "./events.ts";
import { checks, edits } from "./file-tools.ts";
import { countChanges, isFinished } from "./finish.ts";
import { readFollowUp } from "./follow-ups.ts";
import { readLeftOver } from "./left-over.ts";
import { reportsPassed, showsPassed, tellsErrors } from "./test-results.ts";
import { type NamedValue, readValues, type SessionValues, takesId } from "./values.ts";

type Weights = PlanningConfig["session"]["evidence"];

export type Evidence = {
  /** For each tool, what is added to its log odds. */
  logOdds: Float64Array;
  progress: Progress;
  /**
   * Whether a tool that followed a call like the last one earlier in the session has not been called for the last message yet.
   * If the message only asks questions and a call has answered them, only tools that look count. Or the last call failed, and the error
   * asks for another try.
   */
  hasSequel: boolean;
};

/**
 * `needs`: the names of the tool's required parameters. `wished`: the probability that the message asks for an action with the verb of
 * the tool's name; absent before the conversation's first call.
 */
export type OfferedTool = NamedTool & {
  needs: readonly string[];
  wished?: number | undefined;
};

/** Added to a wish's probability, so that its logarithm is bounded for tools that nothing asks for. */
const leastWish = 0.02;

/** The error says how to correct the call, so it is made again: "available: b-0600", "did you mean", "try again", "make it unique". */
const correctable =
  /\b(?:available|did you mean|perhaps|hint|must be|expected|try again|temporar\w*|time(?:d )?out|only|allowed|next|limit|unknown|unique|replace_all)\b/i;

/** The error asks for the call to be made again, at once and not later. */
const invites =
  /\b(?:did you mean|(?:please|and|to)\s+retry|try\s+again)\b(?!\s+(?:later|tomorrow|after|in|on|at)\b|\s*,?\s*(?:later|tomorrow)\b)/i;
/** After as many failures in a row it does not count. */
const maxFailures = 2;

/** What the turns show of each tool. `turns`: oldest first, without the system prompt. `asks`: see `readProgress`. */
export function readEvidence(
  tools: readonly OfferedTool[],
  turns: readonly SessionEvent[],
  weights: Weights,
  asks?: readonly boolean[],
): Evidence {
  const calls = readCalls(turns);
  const goal = lastGoal(turns);
  const last = calls.at(-1);
  const result = turns.at(-1)?.kind === "result" ? turns.at(-1) : undefined;
  const sequels = new Set<string>();
  if (last && last.turn > goal) {
    for (const [at, { name }] of calls.slice(1).entries()) {
      const { name: before, failed } = calls[at]!;
      // An agent writes its list when a step is done, whichever call that was: the list does not follow from the call.
      // What followed a success does not follow a failure: after a refused edit no test is due.
      if (before === last.name && failed === last.failed && !keepsNotes(name)) sequels.add(name);
    }
  }
  const again = result && last?.failed && correctable.test(result.text) ? last.name : undefined;
  const failures = calls.length - 1 - calls.findLastIndex(({ failed, turn }) => !failed || turn < goal);
  const isInvited =
    result !== undefined && last?.failed === true && failures <= maxFailures && invites.test(result.text);
  const needs = tools.map(({ needs }) => needs.filter(takesId));
  const needed = needs.some(({ length }) => length > 0)
    ? createScale(readValues(turns), turns, weights)
    : undefined;
  const hasEdited =
    result !== undefined &&
    last?.failed === false &&
    edits.test(nameWords(last.name)) &&
    !keepsNotes(last.name);
  const isInquiry = calls.length > 0 && goal === turns.length - 1 && turns[goal]!.text.includes("?");
  const followUp = readFollowUp(turns, tools, weights);
  const due = [readRecovery(turns, tools, weights), readLeftOver(turns, tools, weights)];
  const logOdds = Float64Array.from(tools, ({ name, effect, wished }, row) => {
    let sum = (needed?.(name, needs[row]!) ?? 0) + followUp(name);
    for (const { score } of due) sum += score(name);
    if (wished !== undefined) sum += weights.wished * Math.log(wished + leastWish);
    if (isInquiry && effect === "look") sum += weights.inquired;
    if (hasEdited && checks.test(nameWords(name))) sum += weights.checks;
    if (name === again) sum += weights.again;
    if (sequels.has(name)) sum += weights.sequel;
    return sum;
  });
  const called = new Set(calls.flatMap(({ name, turn }) => (turn > goal ? [name] : [])));
  const progress = readProgress(turns, tools, asks);
  // After a booking, "How much is one to Paris?" asks only for the search that came before it.
  const isAskedFor = ({ effect }: OfferedTool) =>
    progress !== "answered" || effect === undefined || canAskFor("answer", effect);
  const hasSequel = tools.some(
    (tool) => sequels.has(tool.name) && !called.has(tool.name) && isAskedFor(tool),
  );
  return { logOdds, progress, hasSequel: hasSequel || isInvited || due.some(({ isOpen }) => isOpen) };
}

/**
 * Scores a tool by the ids that it requires: whether one is unknown, and whether one waits to be used. After a result that is one which
 * this result is the first to give; after any other turn, one of which results gave values and no call has used any.
 */
function createScale(
  values: SessionValues,
  turns: readonly SessionEvent[],
  { missing, unnamed, given }: Weights,
): (tool: string, needs: readonly string[]) => number {
  const newest = turns.length - 1;
  const rule = turns[newest]?.kind === "result" ? isNew : isUnused;
  // Tools require the same ids, and share one list of values for each parameter, so each list is judged once.
  const open = new Map<readonly NamedValue[], boolean>();
  return (tool, needs) => {
    const found = needs.flatMap((need) => {
      const all = values.valuesFor(need, tool);
      return all ? [all] : [];
    });
    for (const all of found) if (!open.has(all)) open.set(all, rule(all));
    const isUnknown = found.some(({ length }) => length === 0);
    const unknown = values.hasLoose ? unnamed : missing;
    return (isUnknown ? unknown : 0) + (found.some((all) => open.get(all)) ? given : 0);
  };

  function isNew(all: readonly NamedValue[]): boolean {
    const earlier = new Set(all.flatMap(({ value, turn }) => (turn < newest ? [value] : [])));
    return all.some(({ value, turn }) => turn === newest && !earlier.has(value));
  }

  function isUnused(all: readonly NamedValue[]): boolean {
    return all.some(({ isGiven }) => isGiven) && !all.some(({ value }) => values.isUsed(value));
  }
}

/** How far the calls have got with what the last message asks for. */
export type Progress =
  /** See finish.ts; or the newest turn only takes back what was asked for, or only says that it works. */
  | "finished"
  /** The newest turn is a short message of thanks after calls. */
  | "thanked"
  /** Something was changed, and tests pass. */
  | "passed"
  /** The message only asks questions, and a call was made. */
  | "answered"
  /** There are fewer calls than parts that ask for something. */
  | "behind"
  /** There are at least as many calls that may have changed something as such parts, and the last call is one. */
  | "even"
  /** The same, and the message asks for one change by a word of the last call's name: "turn on the kitchen light". */
  | "named"
  /** The message ends with a question, and the last call only looked. */
  | "looked"
  /** Anything else; also if the newest turn is a new message, or a failure. */
  | "unclear";

/**
 * `turns`: oldest first, without the system prompt. `asks`: for each part of the last message, whether it asks for anything by the
 * reader of wishes (tool-wishes.ts). By their form alone the details of a request count as further requests ("three rooms, up to 1300").
 */
export function readProgress(
  turns: readonly SessionEvent[],
  tools: readonly NamedTool[],
  asks: readonly boolean[] = [],
): Progress {
  const goal = lastGoal(turns);
  const newest = turns.at(-1);
  const isBegun = turns.some(({ kind }) => kind === "call");
  if (goal > 0 && newest?.kind === "user") {
    if (takesBack(newest.text)) return "finished";
    if (isBegun && reportsPassed(newest.text)) return "finished";
    if (isBegun && isThanks(newest.text)) return "thanked";
  }
  if (goal === -1 || newest?.kind !== "result") return "unclear";
  const { text } = turns[goal]!;
  const askings = readAskingsOf(text);
  const asked = askings.filter(
    (asking, part) => (asking === "answer" || asking === "anything") && asks[part] !== false,
  ).length;
  if (isFinished(turns, tools, asked)) return "finished";
  const isPassed = showsPassed(newest.text);
  if (!isPassed && looksFailed(newest.text)) return "unclear";
  const effectOf = effectsOfCalls(tools);
  const done = readCalls(turns.slice(goal + 1))
    .filter(({ name, failed, result }) => (!failed || result === newest) && !keepsNotes(name))
    .map(({ call }) => effectOf(call));
  const changes = done.filter((effect) => effect !== "look").length;
  if (done.length === 0) return "unclear";
  // A file that was only read may hold such words.
  if (!isPassed && changes > 0 && tellsErrors(newest.text)) return "unclear";
  if (isPassed && done.some(isChange)) return "passed";
  if (asksOnlyQuestions(askings)) return "answered";
  if (done.length < asked) return "behind";
  if (done.at(-1) === "look") return /\?\s*$/.test(text) ? "looked" : "unclear";
  if (changes < Math.max(1, asked)) return "unclear";
  return isNamedChange(text, readCalls(turns).at(-1)!.name, asked) ? "named" : "even";
}

/** "The lights" may take several calls. */
const plural = /\b(?:the|my|our|your|his|her|their|these|those)\s+(?:\p{L}+\s+)?\p{L}{2,}(?<!s)s\b/iu;

/** Whether a message asks for one change by a word of the tool's name. Not one of files or by a shell, which may take many calls. */
function isNamedChange(text: string, tool: string, asked: number): boolean {
  const name = nameWords(tool);
  if (isShell(tool) || edits.test(name) || plural.test(text) || countChanges(text, asked) > 1) return false;
  const said = new Set(stemsOf(text));
  return stemsOf(name).some((stem) => said.has(stem));
}

/** What each part asks for. A remark, whose form may ask for anything, asks for little. */
function readAskingsOf(text: string): Asking[] {
  const { parts, askings } = readMessage(text);
  return askings.map((asking, at) => (asking === "anything" && isRemark(parts[at]!) ? "little" : asking));
}
