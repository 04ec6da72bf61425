/**
 * What programs write into the user's turns: notes for the LLM, their account of a conversation that was cut, and, where they read calls
 * from the LLM's text, the results of these. None of it is a request of the user's. Pure; the time is linear in the text.
 */
import { cutElements, findElements } from "./elements.ts";

/** Elements that hold nothing of the user's: those of Claude Code, Cline, Codex, Copilot, Cursor and others, and our own (compaction.ts). */
const noteElements = [
  "system[-_]reminder|environment[-_](?:details|context)|conversation_summary|session_context",
  "user_?instructions|reminder_?instructions|editor_?context|user_info|project_layout|open_and_recently_viewed_files|git_status",
  "command-(?:name|message|args)|local-command-(?:stdout|stderr|caveat)|bash-(?:input|stdout|stderr)|ide_(?:opened_file|selection)",
  "turn_aborted|subagent_notification|user_shell_command",
];

/** Cuts the elements of these names. Most texts hold none, and need not be searched for elements. */
function createCutter(names: string): (text: string) => string {
  const some = new RegExp(`<(?:${names})[\\s>]`, "i");
  const isNamed = new RegExp(`^(?:${names})$`, "i");
  return (text) =>
    some.test(text)
      ? cutElements(
          text,
          findElements(text).filter(({ name }) => isNamed.test(name)),
        )
      : text;
}

const cutNotes = createCutter(noteElements.join("|"));
/** The only note that programs put into results. An element of another name may be what a tool has read. */
export const cutReminders = createCutter("system-reminder");

/** The line that Claude Code writes into the user's turn before the user's new message. */
const interruption = /^\[Request interrupted by user[^\]\n]{0,40}\][ \t]*$/gm;

/**
 * Beginnings of messages that hold nothing of the user's: the first message of Gemini CLI and Qwen Code, Codex's account of a conversation
 * that was cut, Cline's advice, and results of calls that Cline, Roo Code and OpenHands read from the LLM's text.
 */
const ofPrograms = [
  /^This is (?:the )?[\p{L} -]{1,30}\. We are setting up the context for our chat\./u,
  /^Another language model started to solve this problem and produced a summary of its thinking process\b/,
  /^\[ERROR\] You did not use a tool in your previous response\b/,
  /^\[[a-z]{2,20}(?:_[a-z]{1,20}){1,6}(?: for [^\n]{0,400})?\] Result:/,
  /^EXECUTION RESULT of \[[\w-]{1,64}\]:/,
];
/** A result in which the user answers, unlike a file with such elements. */
export const userReplies =
  /^(?:\[[^\n]{1,400}\] Result:\s{0,8})?The user (?:has )?(?:approved|denied|rejected|provided|responded)\b|^\[(?:ask|plan|attempt)_[^\n]{1,400}\] Result:\s{0,8}<(?:answer|user_message)>\n/;
/** What the user says in such a result. */
const answers = ["feedback", "user_message", "answer"];

export function readAnswers(result: string): string {
  return answers
    .flatMap((name) => {
      const [open, close] = [`<${name}>\n`, `\n</${name}>`];
      const begin = result.indexOf(open);
      const end = result.indexOf(close, begin);
      return begin === -1 || end === -1 ? [] : [result.slice(begin + open.length, end)];
    })
    .join("\n");
}

/** Codex puts a repository's instructions into a message of their own. */
const rules = /^# AGENTS\.md instructions\b[^\n]{0,400}\n\s{0,8}<INSTRUCTIONS>/;
const rulesEnd = "</INSTRUCTIONS>";

function cutRules(text: string): string {
  const end = rules.test(text) ? text.indexOf(rulesEnd) : -1;
  return end === -1 ? text : text.slice(end + rulesEnd.length);
}

/** Claude Code's account of a conversation that was cut: the only message of the user's that is left then. */
const account = /^This session is being continued from a previous conversation\b/;
const section = /^[ \t]{0,8}\d{1,2}\.[ \t]{1,4}([A-Z][^\n:]{2,60}):/gm;
const left = /pending|next step|current work/i;
const request = /primary request/i;
/** Claude Code's own words below its account. The user's next message may follow in the same turn. */
const accountEnd =
  /^(?:If you need specific details from before|(?:Please )?continue the conversation from where|Recent messages are preserved)[^\n]*$/gim;

const endOf = (found: RegExpExecArray | undefined, text: string): number =>
  found === undefined ? text.length : found.index + found[0].length;

function readAccount(text: string): string {
  const ends = [...text.matchAll(accountEnd)];
  const [said, next] = [text.slice(0, ends[0]?.index), text.slice(endOf(ends.at(-1), text)).trim()];
  if (next !== "") return next;
  const heads = [...said.matchAll(section)];
  const under = (title: RegExp) =>
    heads
      .flatMap((head, at) =>
        title.test(head[1]!) ? [said.slice(head.index + head[0].length, heads[at + 1]?.index).trim()] : [],
      )
      .join("\n");
  return under(left) || under(request) || text;
}

/** The text without all that; empty if nothing is left. */
export function cutProgramText(text: string): string {
  const said = cutNotes(text).replace(interruption, "").trim();
  if (ofPrograms.some((beginning) => beginning.test(said)))
    return userReplies.test(said) ? readAnswers(said) : "";
  return account.test(said) ? readAccount(said) : cutRules(said);
}
