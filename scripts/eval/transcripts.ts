/** Goals that are whole conversations, `user: … system: … user: …`, as the turns of a chat. Pure. */
import type { PlanTurn } from "../../shared/planning.ts";

const speakers: Readonly<Record<string, PlanTurn["kind"]>> = {
  user: "user",
  system: "assistant",
  assistant: "assistant",
  agent: "assistant",
};
const label = new RegExp(String.raw`(?<=^|\s)(${Object.keys(speakers).join("|")}):(?=\s|$)`, "g");

/** The turns of a transcript, oldest first; none where the text is a plain goal. It begins with what the user says. */
export function readTranscript(text: string): PlanTurn[] {
  const goal = text.trim();
  if (!/^user:(?=\s|$)/.test(goal)) return [];
  const turns: (PlanTurn & { begin: number; end: number })[] = [];
  for (const { 0: found, 1: speaker, index } of goal.matchAll(label)) {
    const kind = speakers[speaker!]!;
    const before = turns.at(-1);
    // Nobody hands over to themselves: "forward it to the user: …" is part of what the user says.
    if (before?.kind === kind) continue;
    if (before) before.end = index;
    turns.push({ kind, text: "", begin: index + found.length, end: goal.length });
  }
  return turns
    .map(({ kind, begin, end }) => ({ kind, text: goal.slice(begin, end).trim() }))
    .filter((turn) => turn.text !== "");
}
