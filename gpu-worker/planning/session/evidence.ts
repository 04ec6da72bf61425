/**
 * Facts in a session's turns that bear on the next tool and that the reader of sessions does not see: it gets no parameters, no
 * arguments, and only one vector for a result. Pure.
 */
import type { PlanningConfig } from "../../world-model/planning-config.ts";
import { nameWords } from "../../world-model/text-templates.ts";
import { isFailure, readRecovery } from "./after-failures.ts";
import { checks, edits, keepsNotes, type NamedTool } from "./call-effects.ts";
import { lastGoal, readCalls, type SessionEvent } from "./events.ts";
import { readFirstNeeds } from "./first-needs.ts";
import { readFollowUp } from "./follow-ups.ts";
import { readLeftOver } from "./left-over.ts";
import { type Progress, readProgress } from "./progress.ts";
import { type NamedValue, readValues, type SessionValues, takesId } from "./values.ts";

type Weights = PlanningConfig["session"]["evidence"];

export type Evidence = {
  /** For each tool, what is added to its log odds. */
  logOdds: Float64Array;
  progress: Progress;
  /** Whether a call is still due: the last one failed and the error asks for another try, or a list is not worked through. */
  isOpen: boolean;
  /**
   * The tools that may still change something though nobody asked for it, where the last call failed and nothing says how to go on: those
   * that were called for the last message, or are due. Else undefined: all may.
   */
  changingAfterFailure?: ReadonlySet<string>;
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
  const firstNeeds = readFirstNeeds(tools, turns, weights);
  const due = [readFollowUp, readRecovery, readLeftOver].map((read) => read(turns, tools, weights));
  const logOdds = Float64Array.from(tools, ({ name, effect, wished }, row) => {
    let sum = (needed?.(name, needs[row]!) ?? 0) + firstNeeds[row]!;
    for (const { score } of due) sum += score(name);
    if (wished !== undefined) sum += weights.wished * Math.log(wished + leastWish);
    if (isInquiry && effect === "look") sum += weights.inquired;
    if (hasEdited && checks.test(nameWords(name))) sum += weights.checks;
    if (name === again) sum += weights.again;
    if (sequels.has(name)) sum += weights.sequel;
    return sum;
  });
  const progress = readProgress(turns, tools, asks);
  const isOpen = isInvited || due.some(({ isOpen }) => isOpen);
  const isStuck =
    result !== undefined &&
    last !== undefined &&
    last.turn > goal &&
    isFailure(last, false) &&
    again === undefined;
  if (!isStuck || isOpen) return { logOdds, progress, isOpen };
  const called = calls.flatMap(({ name, turn }) => (turn > goal ? [name] : []));
  const named = tools.flatMap(({ name }) => (due.some(({ score }) => score(name) > 0) ? [name] : []));
  return { logOdds, progress, isOpen, changingAfterFailure: new Set([...called, ...named]) };
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
