/** How far a session's calls have served the last message, found by counting calls against the parts that ask for something. Pure. */
import { nameWords } from "../../world-model/text-templates.ts";
import { stemsOf } from "../../world-model/tool-ranking.ts";
import { type Asking, asksOnlyQuestions } from "../message/asking.ts";
import { readMessage } from "../message/read-message.ts";
import { asksOwnDeeds, isRemark, isThanks, takesBack } from "../message/remarks.ts";
import { edits, effectsOfCalls, isChange, isShell, keepsNotes, type NamedTool } from "./call-effects.ts";
import { lastGoal, looksFailed, readCalls, type SessionEvent } from "./events.ts";
import { countChanges, isFinished } from "./finish.ts";
import { reportsPassed, showsPassed, tellsErrors } from "./test-results.ts";

/** How far the calls have got with what the last message asks for. */
export type Progress =
  /** See finish.ts; or the newest turn only takes back what was asked for, or only says that it works. */
  | "finished"
  /** The newest turn is a short message of thanks after calls, and asks nothing. */
  | "thanked"
  /** Something was changed, and tests pass. */
  | "passed"
  /** The message only asks questions, and a call was made. */
  | "answered"
  /** There are fewer calls than parts that ask for something. */
  | "behind"
  /** There are at least as many calls as such parts, as many changes as orders, and the last call may have changed something. */
  | "even"
  /** The same, and the message asks for one change by a word of the last call's name: "turn on the kitchen light". */
  | "named"
  /** The same, the last call is of a tool that does a whole thing, and the message does not speak of several things. */
  | "counted"
  /** There are as many calls as such parts, one of which changed something, and the last one only looked: at what became of it. */
  | "verified"
  /** The message ends with a question, and the last call only looked. */
  | "looked"
  /** Anything else; also if the newest turn is a new message, or a failure. */
  | "unclear";

/**
 * `turns`: oldest first, without the system prompt. `asks`: for each part of the last message, whether it asks for anything by the
 * reader of wishes (tool-wishes.ts). By their form alone the details of a request count as further requests ("three rooms, up to 1300").
 */
export function readProgress(
  turns: readonly SessionEvent[],
  tools: readonly NamedTool[],
  asks: readonly boolean[] = [],
): Progress {
  const goal = lastGoal(turns);
  const newest = turns.at(-1);
  const isBegun = turns.some(({ kind }) => kind === "call");
  if (goal > 0 && newest?.kind === "user") {
    if (takesBack(newest.text)) return "finished";
    if (isBegun && (reportsPassed(newest.text) || asksOwnDeeds(newest.text))) return "finished";
    if (isBegun && isThanks(newest.text) && !newest.text.includes("?")) return "thanked";
  }
  if (goal === -1 || newest?.kind !== "result") return "unclear";
  if (refusedByUser.test(newest.text)) return "finished";
  const { text } = turns[goal]!;
  const askings = readAskingsOf(text);
  const asked = askings.filter(
    (asking, part) => (asking === "answer" || asking === "anything") && asks[part] !== false,
  ).length;
  if (isFinished(turns, tools, asked)) return "finished";
  const isPassed = showsPassed(newest.text);
  if (!isPassed && looksFailed(newest.text)) return "unclear";
  const effectOf = effectsOfCalls(tools);
  const done = readCalls(turns.slice(goal + 1))
    .filter(({ name, failed, result }) => (!failed || result === newest) && !keepsNotes(name))
    .map(({ call }) => effectOf(call));
  const changes = done.filter((effect) => effect !== "look").length;
  if (done.length === 0) return "unclear";
  // A file that was only read may hold such words.
  if (!isPassed && changes > 0 && tellsErrors(newest.text)) return "unclear";
  if (isPassed && done.some(isChange)) return "passed";
  if (asksOnlyQuestions(askings)) return "answered";
  if (done.length < asked) return "behind";
  if (done.at(-1) === "look") {
    if (/\?\s*$/.test(text)) return "looked";
    return changes > 0 ? "verified" : "unclear";
  }
  if (changes < Math.min(asked, countOrders(text))) return "unclear";
  if (isNamedChange(text, readCalls(turns).at(-1)!.name, asked)) return "named";
  const called = readCalls(turns.slice(goal + 1));
  const isSeveral = several.test(text) || plural.test(text) || done.length < countJoined(text);
  return called.every(({ name }) => isWhole(name)) && !isSeveral ? "counted" : "even";
}

/** How programs write that the user did not allow a call: only the user knows what to do instead. */
const refusedByUser =
  /^\W{0,20}(?:error:?\s+)?(?:the\s+)?(?:user\s+(?:has\s+)?(?:denied|rejected|declined|refused|doesn['’]t\s+want|does\s+not\s+want)\b(?=.{0,40}\b(?:tool|operation|action|command|call|edit|changes?|permission)\b)|(?=.{0,60}\b(?:tool|operation|action|command|exec\w*|call|edit|changes?|permission)\b)(?:\S{1,40}\s{1,4}){1,6}(?:was\s+)?(?:denied|rejected|declined|refused)\s+by\s+(?:the\s+)?user\b)/iu;
/** Each thing of a kind may take a call of its own. */
const several = /\b(?:all|every\w*|each|both)\b/iu;
/** How many things words join: "the fan and the heater". */
const countJoined = (text: string): number =>
  1 + (text.match(/\b(?:and|then|also|plus)\b|[&+]/giu)?.length ?? 0);
/** Opens a part that a look serves: "find her number and text her". */
const looksFirst =
  /^(?:please\s+)?(?:look|find|search|check|see|show|list|get|read|tell\s+(?:me|us)|what|which|who|how|where|why|is|are|do|does)\b/iu;
/** How many changes are ordered one after the other: "mark it as done and add milk". In "Tom and Lena" the word joins names. */
const countOrders = (text: string): number =>
  Number(!looksFirst.test(text)) + (text.match(/\b(?:and|then|also|plus)\s+\p{Ll}/gu)?.length ?? 0);
/** What is done on a page takes many calls. */
const steps = /\b(?:click|type|fill|press|key|tap|scroll|hover|drag|navigate|goto|select option)\b/u;

/** Whether a call of a tool does a whole thing. One of files, of a shell or of a page is a step among many. */
function isWhole(tool: string): boolean {
  const name = nameWords(tool);
  return !isShell(tool) && !edits.test(name) && !steps.test(name);
}

/** "The lights" may take several calls. */
const plural = /\b(?:the|my|our|your|his|her|their|these|those)\s+(?:\p{L}+\s+)?\p{L}{2,}(?<!s)s\b/iu;

/** Whether a message asks for one change by a word of the tool's name. Not one of files or by a shell, which may take many calls. */
function isNamedChange(text: string, tool: string, asked: number): boolean {
  const name = nameWords(tool);
  if (isShell(tool) || edits.test(name) || plural.test(text) || countChanges(text, asked) > 1) return false;
  const said = new Set(stemsOf(text));
  return stemsOf(name).some((stem) => said.has(stem));
}

/** What each part asks for. A remark, whose form may ask for anything, asks for little. */
function readAskingsOf(text: string): Asking[] {
  const { parts, askings } = readMessage(text);
  return askings.map((asking, at) => (asking === "anything" && isRemark(parts[at]!) ? "little" : asking));
}
