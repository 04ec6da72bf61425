/** Which tools a plan may name though nobody asked for them: they leave the likely ones, get a low confidence, or are left out. Pure. */
import type { PlanRequest } from "../../../shared/planning.ts";
import { actionText, nameWords } from "../../world-model/text-templates.ts";
import { stemsOf } from "../../world-model/tool-ranking.ts";
import type { Tool } from "../../world-model/tools.ts";
import { changesByName, edits, lists, makesNew } from "../session/call-effects.ts";
import type { Evidence } from "../session/evidence.ts";
import { handsIn } from "../session/finish.ts";
import { takesId } from "../session/values.ts";
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
  return !isAsked(reading, row, askedFrom);
}

/** The mixer's probabilities for each part that may ask for a change, and for the whole message if all may. */
const listAsking = ({ mixed, mixedParts, idle }: ToolReading): readonly Float64Array[] =>
  idle?.size ? mixedParts.filter((_, part) => !idle.has(part)) : [...(mixed ? [mixed] : []), ...mixedParts];

/** Whether the message or a part of it asks for a tool by the mixer, or the talk before has a word of its name. */
const isAsked = (reading: ToolReading, row: number, askedFrom: number): boolean =>
  listAsking(reading).some((chances) => chances[row]! >= askedFrom) || isInTalk(reading, row);

/** Whether a tool changes something that nobody asked for: then an ending is likelier than it seems. Files are seldom asked for. */
export const isUnaskedChange = (
  reading: ToolReading,
  tools: readonly Tool[],
  row: number,
  askedFrom: number,
): boolean =>
  changesByName(tools[row]!) && !edits.test(nameWords(tools[row]!.name)) && !isAsked(reading, row, askedFrom);

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
  if (!reading.mixed || tools[row]!.effect === "look") return false;
  const lists = listAsking(reading).map((chances) => chances.subarray(0, tools.length));
  const most = lists.map((chances) => Math.max(...chances));
  const isMost = lists.some((chances, at) => chances[row] === most[at]);
  return !isMost && Math.max(...most) >= askedFrom && !isInTalk(reading, row);
}

/** Something with a number in it, as ids have: "order 7", "K7T2PQ", or what is called an id or a code: "ABC-XYZ". Not "the Q3 report". */
const idInText =
  /(?<![\p{L}\d])#?\d|\b[A-Za-z]{0,6}[-#]?\d[\w-]+\b|\w_\w|\b(?:[Ii][Dd]|ref|reference)\b|\b\p{Lu}{2,}-\p{Lu}{2,}\b/u;

type Asked = Pick<PlanRequest, "goal" | "state" | "tools">;
type Weighed = { request: Asked; tools: readonly Tool[]; reading: ToolReading; evidence: Evidence };

/**
 * Whether a tool changes a thing by its id, which a conversation's first message does not give, and a tool of the list can find it:
 * "share the Q3 report" needs a `file_id`.
 */
function lacksId(request: Asked, tools: readonly Tool[], row: number): boolean {
  const tool = tools[row]!;
  const ids = (request.tools[row]!.needs ?? []).filter(takesId);
  if (ids.length === 0 || !changesByName(tool) || makesNew(tool)) return false;
  if (idInText.test(request.goal) || idInText.test(request.state)) return false;
  const words = new Set([tool.name, ...ids].flatMap((name) => stemsOf(nameWords(name))));
  return tools.some(
    (other) => lists(other) && stemsOf(nameWords(other.name)).some((word) => words.has(word)),
  );
}

/** "Make a channel called q3 and invite Priya": one part that asks for two things. The mixer finds one of them likelier. */
const joined = /^[^,]*[^\s,]\s+(?:and|then)\s+(?:then\s+)?\p{L}[^,]*$/iu;

/**
 * The logits without changes beside what was asked for, where a call failed and nothing says how to go on or for a conversation's first
 * message, and for that one also without changes of a thing that is still to be found: their probability goes to the other tools. Not
 * without those of files, which a request seldom names.
 */
export function withoutAsides(
  logits: Float64Array,
  { request, tools, reading, evidence }: Weighed,
  askedFrom: number,
): Float64Array {
  const kept = evidence.changingAfterFailure ?? (reading.isOpening ? new Set<string>() : undefined);
  if (kept === undefined) return logits;
  const isJoined = (row: number) =>
    reading.isOpening &&
    reading.mixedParts.length < 2 &&
    joined.test(request.goal) &&
    isAsked(reading, row, askedFrom);
  const isOut = (tool: Tool, row: number) =>
    !kept.has(tool.name) &&
    changesByName(tool) &&
    !edits.test(nameWords(tool.name)) &&
    !handsIn.test(actionText(tool.name)) &&
    ((isAside(reading, tools, row, askedFrom) && !isJoined(row)) ||
      (reading.isOpening && lacksId(request, tools, row)));
  return logits.map((logit, row) =>
    row < tools.length && isOut(tools[row]!, row) ? Number.NEGATIVE_INFINITY : logit,
  );
}
