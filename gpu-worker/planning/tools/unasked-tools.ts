/** Which tools a plan may name though nobody asked for them: they leave the likely ones, get a low confidence, or are left out. Pure. */
import { actionText, nameWords } from "../../world-model/text-templates.ts";
import type { Tool } from "../../world-model/tools.ts";
import { changesByName } from "../session/call-effects.ts";
import type { Evidence } from "../session/evidence.ts";
import { edits } from "../session/file-tools.ts";
import { handsIn } from "../session/finish.ts";
import { isInTalk, type ToolReading } from "./tool-numbers.ts";

/**
 * Whether a tool commits to something (it pays, sends, deletes: verbs.json) that nobody asked for: neither the message, nor a part of
 * it, nor the talk before it, to which a "yes, do it" may refer. For a conversation's first message (`isOpening`) whether it changes
 * anything: of 39 changing tools that were listed beside the first one for 162 authored messages 9 were right.
 */
export function isUnasked(
  reading: ToolReading,
  tools: readonly Tool[],
  row: number,
  askedFrom: number,
): boolean {
  const tool = tools[row]!;
  if (tool.effect !== "commit" && !(reading.isOpening && changesByName(tool))) return false;
  const { mixed, mixedParts } = reading;
  const asked = [mixed, ...mixedParts].some((chances) => chances !== undefined && chances[row]! >= askedFrom);
  return !asked && !isInTalk(reading, row);
}

/**
 * Whether the message is about other tools than this one, which may change something: some tool has `askedFrom` by the mixer, this one is
 * the likeliest neither for the message nor for a part of it, and the talk before has no word of its name. Of such later steps that were
 * told for development sets 4 of 32 were right, of other changing ones 96 of 107.
 */
export function isAside(
  reading: ToolReading,
  tools: readonly Tool[],
  row: number,
  askedFrom: number,
): boolean {
  const { mixed, mixedParts } = reading;
  if (!mixed || tools[row]!.effect === "look") return false;
  const lists = [mixed, ...mixedParts].map((chances) => chances.subarray(0, tools.length));
  const most = lists.map((chances) => Math.max(...chances));
  const isMost = lists.some((chances, at) => chances[row] === most[at]);
  return !isMost && Math.max(...most) >= askedFrom && !isInTalk(reading, row);
}

/**
 * The logits without changes beside what was asked for, where a call failed and nothing says how to go on: their probability goes to
 * the other tools. Not without those of files, which a request seldom names.
 */
export function withoutAsides(
  logits: Float64Array,
  { tools, reading, evidence }: { tools: readonly Tool[]; reading: ToolReading; evidence: Evidence },
  askedFrom: number,
): Float64Array {
  const { changingAfterFailure: kept } = evidence;
  if (kept === undefined) return logits;
  const isOut = (tool: Tool, row: number) =>
    !kept.has(tool.name) &&
    changesByName(tool) &&
    !edits.test(nameWords(tool.name)) &&
    !handsIn.test(actionText(tool.name)) &&
    isAside(reading, tools, row, askedFrom);
  return logits.map((logit, row) =>
    row < tools.length && isOut(tools[row]!, row) ? Number.NEGATIVE_INFINITY : logit,
  );
}
