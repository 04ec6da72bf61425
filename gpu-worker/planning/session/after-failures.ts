/**
 * What comes after a call that failed: the tool that the error names, the same call with what it lacks, another search, an edit where
 * tests fail; and, once another call has mended it, the call that had failed. The reader of sessions gets one vector and a flag of a
 * result, and knows no arguments. Pure.
 */
import type { PlanningConfig } from "../../world-model/planning-config.ts";
import { actionText, nameWords } from "../../world-model/text-templates.ts";
import { stemsOf } from "../../world-model/tool-ranking.ts";
import {
  edits,
  effectsOfCalls,
  isChange,
  isShell,
  keepsNotes,
  mayChange,
  type NamedTool,
} from "./call-effects.ts";
import { type Due, nothingDue, readWork } from "./due.ts";
import { escaped } from "./escaped.ts";
import { clipEvent, lastGoal, looksEmpty, type SessionEvent } from "./events.ts";
import { handsIn } from "./finish.ts";
import { showsPassed, tellsErrors } from "./test-results.ts";

type Weights = Pick<
  PlanningConfig["session"]["evidence"],
  "pointed" | "lacking" | "searches" | "repairs" | "redo" | "handsIn"
>;
type Call = ReturnType<typeof readWork>[number];

/** An argument is missing or has a wrong form, which the caller of the tool can mend. Not "invalid API key". */
const lacks =
  /\bmissing (?:required |a |the )?(?:[\w-]+ )?(?:arg(?:ument)?s?|param(?:eter)?s?|fields?|propert(?:y|ies))\b|\b(?:is|are) (?:a )?required\b|\brequired (?:arg(?:ument)?|param(?:eter)?|field|property)\b|\binvalid (?:[\w-]+ ){0,2}(?:arg(?:ument)?s?|param(?:eter)?s?|address|format|value|date|type)\b|\bvalidation[ _]error\b|"?\bretryable"?\s*[:=]\s*true\b/i;
/** The same call cannot succeed. */
const settled =
  /_(?:taken|denied|stock|balance|capacity|availability|access)\b|\b(?:ALREADY|INSUFFICIENT|OUT_OF)_|\b(?:taken|reserved|full|unavailable|conflict|expired|blocked|too late|40[13]|denied|forbidden|unauthori[sz]ed|not (?:allowed|permitted|authori[sz]ed)|already|only the|stock|insufficient|exceeds?|no rooms?|sold out|closed)\b/i;
/** Codes and tags at the beginning that no rule for results knows: "net::ERR_TIMED_OUT", "NO_ACTIVE_DEVICE: …", Claude Code's. */
const code = /^\W*(?:tool_use_error\b|(?:net::)?ERR_[A-Z_]+\b|[A-Z]{2,20}(?:_[A-Z]{2,20})+:)/;
/** Somebody has to agree first, or has to give something that no argument holds. */
const needsPerson =
  /\b(?:approv|confirm|authenti|authori[sz]|verif|consent|review|permission|role|log ?in|sign ?in|payment|card|subscri|licen[cs]e|password|otp\b)/i;
/** What a look-up can mend, and what tells that nothing was changed: a call that changes something is only then made again. */
const mendable =
  /\binvalid (?:[\w-]+ )?id\b|\bexpected\b|\bmust (?:be|have|first)\b|\bfirst\b|\bno (?:[\w-]+ ){1,2}(?:for|named|called|with)\b|\bnot unique\b|\b(?:NO|INVALID|MISSING|UNKNOWN)_[A-Z]/;
/** Then nobody knows whether the call has changed something. */
const untold =
  /\btime(?:d|s)?[- ]?out|\bTIMED|\breset\b|(?:^|error|status|http|code)\W{0,4}50\d\b|\bunknown (?:error|state|status|reason|failure|outcome)\b|\bpartial|\binterrupt|\babort|\bconnection\b/i;
/** The connection failed, not the request. */
const unreached =
  /\bERR_(?:CONNECTION|TIMED|NETWORK|NAME|INTERNET|ADDRESS)|\bE(?:CONNRESET|TIMEDOUT|AI_AGAIN)\b/;
/** The call named something that is not there. */
const absent =
  /\bnot[ _]?found\b|\bno such\b|\b(?:does not|doesn['’]t) exist\b|\bunknown \w|\bis (?:unknown|not (?:known|recogni[sz]ed))\b/i;
/** The same, where it is no compiler's word: "cannot find name 'x'". */
const unfound =
  /\b(?:cannot|can['’]t|could not|couldn['’]t) find\b(?! (?:name|module|package|symbol|type|variable)\b)/i;
/** An element of a page cannot be used as the page is now. */
const covered =
  /\b(?:element|locator|ref|selector|node)\b(?=.{0,300}(?:\b(?:not (?:found|visible|attached|enabled|clickable|interactable|in the)|covered|stale|detached|obscured)\b|intercepts))/is;
/** Shows a page as it is now. */
const shows = /\bsnapshot\b|\b(?:get|read|view|inspect|observe) (?:page|dom|elements?|state)\b/u;
/** Something is missing that an installation or another command brings, and no edit. */
const uninstalled =
  /ModuleNotFound|No module named|Cannot find (?:module|package)|command not found|not installed|Missing script/i;
/** Not "don't fix anything", "I fixed it" or "Tom's fix". */
const fixes =
  /(?<!\b(?:don['’]?t|not|never|without|the|an?|this|that|my|our|what to|\w+['’]s)\s+)\b(?:fix|repair|mend|solve|resolve|debug|implement)\b/i;
const repairing = /\b(?:edit(?:or)?|patch|replace|write|read|view|open)\b/u;
const editing = /\b(?:edit(?:or)?|patch|replace|insert|write|create)\b/u;
/** Names of tools that look for things. */
const searching = /\b(?:search|find|grep|glob|query|lookup)\b/u;
const listing = /\b(?:search|find|grep|glob|lookup|list|ls)\b|\bget$/u;
const noFiles = /^\W*no (?:\w+ )?(?:files?|documents?|hits?|items?) (?:were )?(?:found|match)/i;
/** A call that failed longer ago has been given up. */
const maxSince = 2;
/** After as many searches without hits there is nothing to be found. */
const maxSearches = 2;

/** `turns`: oldest first, without the system prompt. */
export function readRecovery(
  turns: readonly SessionEvent[],
  tools: readonly NamedTool[],
  weights: Weights,
): Due {
  const calls = readWork(turns);
  const last = calls.at(-1);
  const newest = turns.at(-1);
  if (last === undefined || newest?.kind !== "result" || last.result !== newest) return nothingDue;
  const effectOf = effectsOfCalls(tools);
  const changes = ({ call }: Call) => isChange(effectOf(call));
  const hasFailed = (call: Call) => isFailure(call, changes(call));
  if (hasFailed(last) || isFruitless(last)) {
    const asked = turns[lastGoal(turns)]?.text ?? "";
    // A payment whose connection broke may have been made.
    const isRepeatable = isShell(last.name) || !changes(last);
    return afterFailure({ calls, asked, tools, isRepeatable }, weights);
  }
  const redo = findRedo(calls, hasFailed, changes);
  const isDone = showsPassed(newest.text) && calls.slice(0, -1).some(changes);
  return {
    score: (tool) =>
      (tool === redo?.name ? weights.redo : 0) +
      (handsIn.test(actionText(tool)) ? (redo ? -weights.handsIn : isDone ? weights.handsIn : 0) : 0),
    isOpen: redo?.isOpen ?? false,
  };
}

/**
 * Whether a call failed, also by what its output tells further on, if it did more than read. "Rejected" is no failure of
 * `reject_leave`.
 */
export function isFailure({ failed, name, result }: Call, changes: boolean): boolean {
  const text = clipEvent(result?.text ?? "");
  if (failed && !/error|fail/i.test(text) && stemsOf(text).includes(stemsOf(nameWords(name))[0] ?? ""))
    return false;
  return failed || code.test(text) || ((changes || isShell(name)) && !showsPassed(text) && tellsErrors(text));
}

/** A search without hits. An empty list of events is an answer: the slot is free. */
const isFruitless = ({ name, result }: Call): boolean =>
  searching.test(nameWords(name)) && (looksEmpty(result?.text ?? "") || noFiles.test(result?.text ?? ""));

/** `isRepeatable`: the last call may be made again without knowing what it did. */
type Failure = { calls: readonly Call[]; asked: string; tools: readonly NamedTool[]; isRepeatable: boolean };

function afterFailure({ calls, asked, tools, isRepeatable }: Failure, weights: Weights): Due {
  const last = calls.at(-1)!;
  const text = clipEvent(last.result!.text);
  // What an error proposes to change is not what the user asked for: "use cancel_order and order again".
  const pointed = new Set(
    tools.flatMap((tool) =>
      tool.name !== last.name && !mayChange(tool) && points(text, tool.name) ? [tool.name] : [],
    ),
  );
  const isLacking =
    (lacks.test(text) && !needsPerson.test(text)) ||
    (isRepeatable && unreached.test(text)) ||
    (isShell(last.name) && uninstalled.test(text));
  // "String to replace not found in file" wants the file read.
  const isNamed = absent.test(text) || (!isShell(last.name) && unfound.test(text));
  const isAbsent = isNamed && !editing.test(nameWords(last.name));
  const isCovered = covered.test(text);
  const isVain = calls.slice(-maxSearches).filter(isFruitless).length === maxSearches;
  const searches = isFruitless(last) ? (isVain ? undefined : searching) : isAbsent ? listing : undefined;
  const isBroken = tellsErrors(text) && !uninstalled.test(text);
  const isRepaired =
    isBroken && (fixes.test(asked) || calls.some(({ name }) => editing.test(nameWords(name))));
  const isSettled = !isLacking && !isRepeatable && settled.test(text);
  const score = (tool: string) => {
    const words = nameWords(tool);
    let sum = 0;
    if (pointed.has(tool)) sum += weights.pointed;
    if (isLacking && tool === last.name) sum += weights.lacking;
    if (isSettled && tool === last.name) sum -= weights.lacking;
    if (isCovered && tool !== last.name && shows.test(words)) sum += weights.searches;
    // The reader gives a call just made less than a hundredth.
    if (searches?.test(words) && !editing.test(words))
      sum += weights.searches * (tool === last.name && isFruitless(last) ? 2 : 1);
    if (isRepaired && keepsNotes(tool)) sum -= weights.repairs;
    else if (isRepaired && repairing.test(words)) sum += weights.repairs;
    if (handsIn.test(actionText(tool))) sum -= weights.handsIn;
    return sum;
  };
  return { score, isOpen: isLacking || pointed.size > 0 };
}

/**
 * Whether an error names a tool: "Call list_devices first", "Read it first before writing to it", "outside allowed directories"
 * (`list_allowed_directories`).
 */
function points(error: string, tool: string): boolean {
  if (/[_-]|[a-z][A-Z]/.test(tool)) {
    if (new RegExp(String.raw`(?<![\w-])${escaped(tool)}(?![\w-])`).test(error)) {
      const denied = String.raw`\b(?:not|never|don['’]?t|without|nor)\b[^.;!?\n]{0,80}(?<![\w-])${escaped(tool)}(?![\w-])`;
      return !new RegExp(denied, "i").test(error);
    }
    const thing = stemsOf(nameWords(tool)).slice(1);
    const said = new Set(stemsOf(error));
    return thing.length > 1 && thing.every((stem) => said.has(stem));
  }
  const name = escaped(tool);
  const named = String.raw`\b(?:call|use|run|try)\s+(?:the\s+)?["'\`]?${name}\b`;
  const ordered = /^[A-Z]/.test(tool) ? String.raw`|(?:[.:;!]\s+|^)${name}\s+(?:it|the|this)\b` : "";
  // "You must read the file first. Use the Read tool": programs write the name of a tool with and without a capital.
  const anyCase = new RegExp(
    String.raw`\b(?:call|use|run|try)\s+the\s+["'\`]?${name}["'\`]?\s+tool\b|\bmust\s+(?:first\s+)?${name}\s`,
    "i",
  );
  return new RegExp(named + ordered).test(error) || anyCase.test(error);
}

/**
 * The failed call that is due again: another call has succeeded since. One that changes something is not, unless the error tells that
 * nothing was changed and what to mend. `isOpen`: what the last call looked up was for it, or the last call was an edit after a check
 * that failed.
 */
function findRedo(
  calls: readonly Call[],
  hasFailed: (call: Call) => boolean,
  changes: (call: Call) => boolean,
): { name: string; isOpen: boolean } | undefined {
  const at = calls.findLastIndex(hasFailed);
  const [lost, last] = [calls[at], calls.at(-1)!];
  if (lost === undefined || calls.length - 1 - at > maxSince) return undefined;
  const error = clipEvent(lost.result?.text ?? "");
  const isMendable =
    edits.test(nameWords(lost.name)) || [absent, lacks, mendable].some((form) => form.test(error));
  const isSure = isMendable && !untold.test(error) && !needsPerson.test(error);
  if (settled.test(error) || (changes(lost) && !isShell(lost.name) && !isSure)) return undefined;
  const since = calls.slice(at + 1);
  // A shell's calls have one name: what was installed is a success of another command.
  if (since.some(({ name, call }) => name === lost.name && (!isShell(name) || call.args === lost.call.args)))
    return undefined;
  if (last.name === lost.name) return { name: lost.name, isOpen: false };
  return { name: lost.name, isOpen: since.length === 1 };
}
