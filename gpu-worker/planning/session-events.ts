/**
 * The conversation of a request as the events that the session reader takes, newest first. Pure; training/session_readings.py is
 * the same rule.
 */
import type { PlanRequest } from "../../shared/planning.ts";
import { type EventKind, maxEvents } from "../world-model/session-reader.ts";
import { maxParts } from "./goal-text.ts";

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
const failedCharacters = 600;
const emptyCharacters = 200;

const failed =
  /\b(?:error|errors|failed|failure|fail|denied|forbidden|unauthorized|not found|no such|timed? ?out|timeout|exception|traceback|invalid|refused|conflict|unavailable|cannot|could not|unable|rejected|expired|locked|missing|does not exist|4\d\d|5\d\d)\b/i;
const empty =
  /^\s*(?:\[\s*\]|\{\s*\}|null|none|0|\(?empty\)?|)\s*$|\b(?:no (?:results?|matches|match|entries|rows|records|items|hits)|0 (?:results?|matches|rows|hits)|nothing found)\b|: ?\[\]/i;

/**
 * Whether a result's text looks like a failure, or like an empty result. The reader gets both as features, and may decide
 * otherwise.
 */
export const looksFailed = (result: string): boolean => failed.test(result.slice(0, failedCharacters));
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

export const lastGoal = (turns: readonly SessionEvent[]): number =>
  turns.findLastIndex(({ kind }) => kind === "user");

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
