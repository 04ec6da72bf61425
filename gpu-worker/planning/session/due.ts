/** What is still to be called for the last message, as the readers of failures (after-failures.ts) and of the message (left-over.ts) say it. */
import { keepsNotes } from "./call-effects.ts";
import { lastGoal, readCalls, type SessionEvent } from "./events.ts";

/** What is added to a tool's log odds, and whether a tool is still to be called. */
export type Due = { score: (tool: string) => number; isOpen: boolean };

export const nothingDue: Due = { score: () => 0, isOpen: false };

/** The calls since the last message, without those by which an agent keeps its own list. `turns`: oldest first. */
export function readWork(turns: readonly SessionEvent[]): ReturnType<typeof readCalls> {
  const goal = lastGoal(turns);
  return readCalls(turns).filter(({ name, turn }) => turn > goal && !keepsNotes(name));
}
