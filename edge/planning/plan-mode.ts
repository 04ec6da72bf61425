/**
 * Whether an agent is in its plan mode: it looks and changes nothing until the user approves its plan. Agents say so in notes, which are no
 * part of the goal. Pure.
 */
import type { ChatMessage } from "../../shared/chat.ts";
import { readEnds, readText } from "./plan-text.ts";

/** Claude Code's and opencode's notes, and Cline's. A line of a user's or of a file may begin "Plan mode is active", too. */
const begun =
  /<system-reminder>\s{0,8}Plan mode is active\b|^(?:<system-reminder>[ \t]*)?Plan mode still active \(see\b|^CRITICAL: Plan mode ACTIVE\b|^# Current Mode\s{1,4}PLAN MODE\b/im;
const ended =
  /\bexited plan mode\b|\bhas approved your plan\b|\bmode has changed from plan to build\b|^# Current Mode\s{1,4}ACT MODE\b/im;
/** Of a message only both ends are searched, where agents put their notes, and of a conversation the newest messages. */
const maxCharacters = 8_000;
const maxMessages = 64;

const readNotes = ({ role, parts }: ChatMessage): string[] =>
  parts.flatMap((part) => {
    if (part.type === "tool-result") return [readEnds(readText(part.content), maxCharacters)];
    return role === "user" && part.type === "text" ? [readEnds(part.text, maxCharacters)] : [];
  });

export function isPlanMode(messages: readonly ChatMessage[]): boolean {
  const newest = messages.slice(-maxMessages).flatMap(readNotes).reverse();
  const last = newest.find((text) => ended.test(text) || begun.test(text));
  return last !== undefined && !ended.test(last);
}
