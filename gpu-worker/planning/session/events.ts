/**
 * The conversation of a request as events, which of them the session reader gets (newest first), and which results look like failures.
 * Pure; training/sessions/session_readings.py has the same rules.
 */
import type { PlanRequest } from "../../../shared/planning.ts";
import { type EventKind, maxEvents } from "../../world-model/session-reader.ts";
import { maxParts } from "../message/goal-text.ts";

/** The text of a call or planned call is the tool's name. `args`: a call's arguments as they were written. */
export type SessionEvent = { kind: Exclude<EventKind, "part">; text: string; args?: string | undefined };

export type KeptEvent = {
  event: SessionEvent;
  /** Whether the event comes after the last user message. */
  isAfterGoal: boolean;
  /** Whether the event is the last user message. */
  isGoal: boolean;
};

/** Turns kept: as many as the reader takes, minus the parts of the goal and the system prompt. */
export const maxTurns = maxEvents - maxParts - 1;
/** Tokens read of an event other than the last user message. */
export const eventTokens = 64;
const eventCharacters = 1_200;
/** A failure says so at its beginning; further on the words are part of what was read. */
const failedCharacters = 60;
const scannedCharacters = 200;
const emptyCharacters = 200;

/**
 * HTTP's codes of failure: at the beginning ("404 Not Found", but not "412 passed", "500 rows", "404.html" or "530"), or after a word
 * that announces one ("status: 500").
 */
const failureCode =
  /^\W{0,3}(?:4(?:0\d|1[0-8]|2[1-9]|31|51)|5(?:0[0-8]|1[01]))\b(?!\W{0,2}\d|\.\w|\s+passed|\s+[a-z]+(?<!s)s(?:[.,;]|\s*$)|\s+\|)|\b(?:http(?:\/[\d.]{1,3})?|status(?:[ _]?code)?|code|error)\W{1,4}[45]\d\d\b/i;
/** Words of failure, where they are no part of a path or a longer name: "src/error.ts", "unknown-device". */
const failureWord =
  /(?<![\w/.-])(?:error|fatal(?=:)|failed|failure|denied|forbidden|unauthori[sz]ed|missing required|npm err(?=!)|too many requests|rate limited|not found|no such|timed? ?out|exception|traceback|invalid|refused|conflict|unavailable|cannot|can't|could not|unable to|rejected|expired|does not exist|doesn't exist|locked|unknown|not (?:possible|allowed|authori[sz]ed|permitted|connected|reachable|available|responding|answering)|must be|exceeded|unsupported)(?![\w/-]|\.\w)/i;
/** The exit code, as shells write it at the beginning or the end of a command's output. */
const exitCode =
  /(?:^|[\n{,])\W{0,4}(?:error: |process |command finished with )?exit(?:ed)?(?:[ _]with)?[ _](?:code|status)"?\s{0,2}[:=]?\s{0,2}(-?\d+)\b/i;
const exitCharacters = 120;
/** `"success": false` of the call itself: before anything nested, since within a list it is said of a thing that was looked up. */
const flagged = /^[^[{]{0,40}\{[^[{]*"(?:success|ok|succeeded)"\s*:\s*false\b|"is_?error"\s*:\s*true\b/i;
/** Beginnings of what a tool has read, where words of failure are the text's own. */
const readings = [
  // A file with its lines numbered, and lines that were found in files.
  /^(?:<\w+>\s*)?(?:\s{0,6}\d{1,6}(?:→|\t| \| )|\d{5}\|)/,
  /^(?:[\w@./-]{1,200}:)?\d{1,6}[:-](?:\s{2}|\t|(?:import|export|const|throw|return)\b)/,
  // A file without them: "export failed" and "class not found" are no code.
  /^import\s(?:[^\n]{1,120}\sfrom\s)?['"]/,
  /^export\s(?:default|const|class|function|type|interface|async|[*{])/,
  /^(?:const|let|var)\s[^\n]{1,80}=/,
  /^(?:from\s[\w.]{1,80}\simport\b|def\s\w+\()/,
  /^class\s[A-Z]\w*\s?(?:[({:]|extends\b|implements\b)/,
  /^(?:\/\/\s|\/\*|#!|#include\b|<!doctype)/,
  // Git's log and differences.
  /^(?:commit [\da-f]{7,40}\b|diff --git |(?=\d*[a-f])[\da-f]{7,12} \S)/,
  // A mail's head, a search of the web.
  /^(?:From|To|Subject|Date): [^\n;]{1,200}[\n;]\s?(?:From|To|Subject|Date): /,
  /^Web search results for query: /,
  // A list of things in JSON, unless it is one of errors or of a result's parts.
  /^\s*(?:\{\s*"(?![Ee]rror|[Ff]ail|message|content|detail)\w{1,40}"\s*:\s*)?\[\s*\{\s*"(?![Ee]rror|message|type")/,
];
/** Words of failure that tell of none. */
const noFailure = new RegExp(
  [
    // "0 errors", "no failed tests".
    String.raw`\b(?:0|no|zero)\s+(?:\w+\s+)?(?:errors?|failed|failures?|conflicts?|missing)\b`,
    // "failures": [], "expired": false; but not "error: null value in column id".
    String.raw`\b(?:errors?|failed|failures?|conflicts?|exceptions?|expired|rejected|locked|invalid|timeouts?)"?\s*[:=]\s*(?:\(none\)|(?:0|null|none|false)\b(?![ \t]+[a-z]+\b(?!\s*[:=]))|\[\s*\]|"")`,
    // A lock that was asked for: "locked", "state": "locked", "the door is now locked"; but not "record locked".
    String.raw`(?:^\W*|[:=]\s*"?)locked\b(?!\s+by\b|:)|\b(?:doors?|gates?|cars?)\s+(?:(?:is|are|now|has|have|been)\s+){0,3}locked\b`,
    // A test's name that was passed: "✓ throws an error".
    String.raw`(?:^|\n)\s*(?:[✓✔√]|PASS\b)[^\n]*`,
  ].join("|"),
  "gi",
);
const empty =
  /^\s*(?:\[\s*\]|\{\s*\}|null|none|0|\(?empty\)?|)\s*$|\b(?:no (?:results?|matches|match|entries|rows|records|items|hits)|0 (?:results?|matches|rows|hits)|nothing found)\b|: ?\[\]/i;

/** The exit code of the call itself: in JSON, none within a list, which has the codes of runs that were looked up. */
function readExitCode(result: string): RegExpExecArray | null {
  const [begin, end] = [result.slice(0, exitCharacters), result.slice(-exitCharacters)];
  const isJson = /^\s*(?:\{|\[(?![A-Z]))/.test(begin);
  const found = exitCode.exec(begin);
  if (found) return isJson && begin.slice(0, found.index).includes("[") ? null : found;
  return isJson && /\][\s}]*$/.test(end) ? null : exitCode.exec(end);
}

/** Whether a result's text looks like a failure. The reader gets this and `looksEmpty` as features, and may decide otherwise. */
export function looksFailed(result: string): boolean {
  const code = readExitCode(result);
  if (code) return Number(code[1]) !== 0;
  if (readings.some((beginning) => beginning.test(result))) return false;
  const begin = result.slice(0, scannedCharacters);
  const said = begin.replace(noFailure, " ").slice(0, failedCharacters);
  return flagged.test(begin) || failureCode.test(said) || failureWord.test(said);
}
/** Whether a result's text says that nothing was found. */
export const looksEmpty = (result: string): boolean => empty.test(result.slice(0, emptyCharacters));

/** The part of an event's text that is read. */
export const clipEvent = (text: string): string => text.slice(0, eventCharacters);

/** The conversation of a request, oldest first. A request without turns is converted from goal, state and history. */
export function readEvents({ goal, state, history, turns }: PlanRequest): SessionEvent[] {
  const system: SessionEvent[] = state.trim() === "" ? [] : [{ kind: "system", text: state }];
  if (turns.length > 0) return [...system, ...turns];
  const taken = history.flatMap(({ action, observation }): SessionEvent[] => [
    { kind: "call", text: action },
    ...(observation === "" ? [] : [{ kind: "result" as const, text: observation }]),
  ]);
  return [...system, { kind: "user", text: goal }, ...taken];
}

/** Events without the system prompt. */
export const turnsOf = (events: readonly SessionEvent[]): SessionEvent[] =>
  events.filter(({ kind }) => kind !== "system");

/** The index of the last user message, -1 without one. */
export const lastGoal = (turns: readonly SessionEvent[]): number =>
  turns.findLastIndex(({ kind }) => kind === "user");

/** `turn`: the call's index among the turns. `failed`: its result looks like a failure. */
type MadeCall = {
  call: SessionEvent;
  name: string;
  turn: number;
  result: SessionEvent | undefined;
  failed: boolean;
};

/** The calls of a session, in order, each with the result that follows it at once. */
export const readCalls = (turns: readonly SessionEvent[]): MadeCall[] =>
  [...turns.entries()].flatMap(([turn, call]) => {
    if (call.kind !== "call") return [];
    const next = turns[turn + 1];
    const result = next?.kind === "result" ? next : undefined;
    return [
      { call, name: call.text, turn, result, failed: result !== undefined && looksFailed(result.text) },
    ];
  });

/** Whether anything was called, or is planned, for the last user message. */
export const hasCalls = (events: readonly SessionEvent[]): boolean =>
  events.slice(lastGoal(events) + 1).some(({ kind }) => kind === "call" || kind === "planned");

/** The newest events first, the last user message always among them, the system prompt last. */
export function keepEvents(events: readonly SessionEvent[]): KeptEvent[] {
  const turns = turnsOf(events);
  const goal = lastGoal(turns);
  const first = Math.max(0, turns.length - maxTurns);
  const places = [...turns.keys()].slice(first);
  const kept = goal >= 0 && goal < first ? [goal, ...places.slice(1)] : places;
  const system = events.find(({ kind }) => kind === "system");
  return [
    ...kept.reverse().map((at) => ({ event: turns[at]!, isAfterGoal: at > goal, isGoal: at === goal })),
    ...(system ? [{ event: system, isAfterGoal: false, isGoal: false }] : []),
  ];
}
