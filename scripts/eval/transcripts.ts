/** Reads goals that are whole conversations, `user: … system: … user: …`, into the turns of a chat. Pure. */
import type { PlanTurn } from "../../shared/planning.ts";

const speakers: Readonly<Record<string, PlanTurn["kind"]>> = {
  user: "user",
  system: "assistant",
  assistant: "assistant",
  agent: "assistant",
};
const label = new RegExp(String.raw`(?<=^|\s)(${Object.keys(speakers).join("|")}):(?=\s|$)`, "g");

/** The turns of a transcript, oldest first; empty for a plain goal. A transcript begins with a user turn. */
export function readTranscript(text: string): PlanTurn[] {
  const goal = text.trim();
  if (!/^user:(?=\s|$)/.test(goal)) return [];
  const turns: (PlanTurn & { begin: number; end: number })[] = [];
  for (const { 0: found, 1: speaker, index } of goal.matchAll(label)) {
    const kind = speakers[speaker!]!;
    const before = turns.at(-1);
    // A speaker does not follow themselves: in "forward it to the user: …" the label is part of the user's text.
    if (before?.kind === kind) continue;
    if (before) before.end = index;
    turns.push({ kind, text: "", begin: index + found.length, end: goal.length });
  }
  return turns
    .map(({ kind, begin, end }) => ({ kind, text: goal.slice(begin, end).trim() }))
    .filter((turn) => turn.text !== "");
}
