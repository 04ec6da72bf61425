/** A tool's result as the session reader gets it, and what the user says in one. Pure. */
import type { ContentPart, ToolResultPart } from "../../shared/chat.ts";
import { readEnds, readText } from "./plan-text.ts";
import { cutReminders, isUserReply, readAnswers } from "./program-text.ts";

/** Of a longer result the end is sent, too: it has the counts of a test run, and the exit code. */
const maxBegin = 1_000;
const maxEnd = 240;
/** Of a longer result only both ends are searched for notes. */
const maxRead = 8_000;

const saysError = /^\W{0,8}error\b/i;

function clip(text: string): string {
  return text.length <= maxBegin + maxEnd ? text : `${text.slice(0, maxBegin)}\n…\n${text.slice(-maxEnd)}`;
}

/**
 * A result as text, the only form the reader reads. An `is_error` flag becomes "Error:", a picture "[image]", and a program's note is
 * removed. Otherwise the reader would take a failure for a success, a picture for an empty result, and a note for what the tool said.
 */
export function describeResult({ content, isError = false }: ToolResultPart): string {
  const parts = content.flatMap((part): readonly ContentPart[] =>
    part.type === "opaque" ? (part.fallback ?? [part]) : [part],
  );
  const media = parts.flatMap(({ type }) => (type === "text" ? [] : [`[${type}]`]));
  const said = cutReminders(readEnds(readText(parts), maxRead)).trimEnd();
  const shown = said.trim() === "" ? media.join(" ") : said;
  return clip(isError && !saysError.test(shown) ? `Error: ${shown}` : shown);
}

/** Claude Code's words above what a user says when refusing a call. */
const refused =
  /^The user doesn't want to proceed with this tool use\.[^\n]{0,400}the user said:[ \t]*\n([\s\S]{1,4000})/;

/** The user's words in a result; empty if it has none. Agents put them there when the user refuses a call, or comments on its outcome. */
export function readReply({ content }: ToolResultPart): string {
  const text = readText(content);
  const said = refused.exec(text)?.[1] ?? (isUserReply(text) ? readAnswers(text) : "");
  return cutReminders(said).trim();
}
