/**
 * The features of each tool that the session reader gets beside its vector: words shared with the goal, the last result and
 * earlier talk, cosines, the mixer's probabilities (tool-ranking.ts), calls so far, what its verb does. Pure;
 * training/sessions/tool_numbers.py computes the same.
 */
import { toolNumbers } from "../../world-model/session-reader.ts";
import { type ListedTools, poolLikeness, type ReadTool, readList } from "../../world-model/tool-ranking.ts";
import type { Tool } from "../../world-model/tools.ts";
import { dot, softmax } from "../../world-model/vectors.ts";
import { isChange } from "../session/call-effects.ts";
import { type KeptEvent, lastGoal, looksFailed, type SessionEvent } from "../session/events.ts";

/** Columns of a tool's numbers. Each `…Words` column of goal, result and talk is followed by the same for the tool's name. */
const column = {
  goalWords: 0,
  likeness: 2,
  goalLikeness: 3,
  resultWords: 4,
  resultLikeness: 6,
  talkLikeness: 7,
  talkWords: 8,
  wasCalled: 10,
  callsSinceGoal: 11,
  wasLast: 12,
  hasFailed: 13,
  partPlace: 14,
  partIsServed: 15,
  knownWords: 16,
  listSize: 17,
  looks: 18,
  writes: 19,
  mixed: 20,
  mixedNone: 21,
  nextPart: 22,
  nextPartNone: 23,
  partsLeft: 24,
} as const;
/** The mixer's ln p is clipped at this and scaled, to be of the size of the other features. */
const minLog = -12;
const logScale = 4;
/**
 * How much is compared with the tools: characters of the last result and of each turn, how many turns before the message by their
 * words, and how many by their vectors.
 */
const resultCharacters = 600;
const talkCharacters = 300;
const talkTurns = 4;
const talkVectors = 3;
/** Calls of a tool are counted up to this, and scaled to 1. */
const maxCalls = 3;
/** Brings the logarithm of the number of tools, at most 128, to the size of the other features. */
const listScale = 4;
/** A call serves the part that gives its tool the highest probability, if that is at least this. */
const minServed = 0.1;

/** Features that are computed once per request: they do not change while a plan grows. */
export type ToolReading = {
  rows: Float32Array[];
  /** For each tool, the index of the part of the goal most similar to it. */
  bestParts: number[];
  /** The mixer's inputs: for the whole goal, then for each part of it. Empty when there is no user message. */
  lists: ListedTools[];
  /** The mixer's result for the whole goal: a probability for each tool and, last, for none of them. */
  mixed?: Float64Array;
  /** The same for each part of the goal. */
  mixedParts: Float64Array[];
  /** Whether the message is a conversation's first. */
  isOpening?: boolean;
  /** Parts of a first message that only tell or forbid something, beside others that ask for work: they ask for no change. */
  idle?: ReadonlySet<number>;
};

export type ReadVectors = {
  /** Vectors of the goal and, after it, of its parts. */
  asked: readonly Float32Array[];
  /** The parts as they stand in the goal. */
  parts: readonly string[];
  /** Vectors of the kept events. */
  events: ReadonlyMap<SessionEvent, Float32Array>;
};

const isTalk = ({ kind }: SessionEvent): boolean => kind === "user" || kind === "assistant";

/**
 * The features that follow from words, cosines and the tools' effects. The mixer's are added by `addMixed`, those of calls by
 * `addCalls`.
 */
export function readToolNumbers(
  tools: readonly Tool[],
  turns: readonly SessionEvent[],
  kept: readonly KeptEvent[],
  vectors: ReadVectors,
): ToolReading {
  const goalAt = lastGoal(turns);
  const goal = turns[goalAt]?.text ?? "";
  const result = turns.findLast(({ kind }) => kind === "result")?.text ?? "";
  const talk = turns
    .slice(Math.max(0, goalAt - talkTurns), Math.max(0, goalAt))
    .filter(isTalk)
    .map(({ text }) => text.slice(0, talkCharacters))
    .join(" ");
  const words = tools.map((tool) => tool.words);
  const ofGoal = readListOf(goal, words);
  const readings = [
    [column.goalWords, ofGoal],
    [column.resultWords, readListOf(result.slice(0, resultCharacters), words)],
    [column.talkWords, readListOf(talk, words)],
  ] as const;
  const talked = kept
    .flatMap(({ event, isAfterGoal, isGoal }) =>
      isTalk(event) && !isAfterGoal && !isGoal ? [vectors.events.get(event)!] : [],
    )
    .slice(0, talkVectors);
  const lastResult = kept.find(({ event }) => event.kind === "result")?.event;
  const bestParts: number[] = [];
  const likeness: number[] = [];
  const partLikeness: number[][] = [];
  const [whole, ...parts] = vectors.asked as [Float32Array, ...Float32Array[]];
  const rows = tools.map(({ vector, effect }, row) => {
    const numbers = new Float32Array(toolNumbers);
    for (const [at, reading] of readings) {
      if (!reading) continue;
      numbers[at] = reading.words[row]!;
      numbers[at + 1] = reading.names[row]!;
    }
    const cosines = vectors.asked.map((one) => dot(vector, one));
    likeness.push(poolLikeness(cosines));
    numbers[column.likeness] = likeness[row]!;
    numbers[column.goalLikeness] = dot(vector, whole);
    const ofParts = parts.length > 0 ? cosines.slice(1) : cosines;
    partLikeness.push(ofParts);
    bestParts.push(ofParts.indexOf(Math.max(...ofParts)));
    numbers[column.partPlace] = bestParts[row]! / Math.max(1, ofParts.length - 1);
    if (lastResult) numbers[column.resultLikeness] = dot(vector, vectors.events.get(lastResult)!);
    if (talked.length > 0) numbers[column.talkLikeness] = Math.max(...talked.map((one) => dot(vector, one)));
    numbers[column.knownWords] = ofGoal?.known ?? 0;
    numbers[column.listSize] = Math.log(tools.length) / listScale;
    numbers[column.looks] = Number(effect === "look");
    numbers[column.writes] = Number(isChange(effect));
    return numbers;
  });
  if (!ofGoal) return { rows, bestParts, lists: [], mixedParts: [] };
  const ofEachPart = vectors.parts.length > 0 ? vectors.parts.map((part) => readList(part, words)) : [ofGoal];
  return {
    rows,
    bestParts,
    lists: [
      { ...ofGoal, likeness },
      ...ofEachPart.map((list, part) => ({ ...list, likeness: partLikeness.map((found) => found[part]!) })),
    ],
    mixedParts: [],
  };
}

const readListOf = (text: string, words: readonly ReadTool["words"][]) =>
  text === "" ? undefined : readList(text, words);

const scaledLog = (chance: number): number => Math.max(Math.log(chance), minLog) / logScale;

/** Adds the mixer's probabilities. `logits`: for each of `lists`, one logit per tool and, last, one for none of them. */
export function addMixed(reading: ToolReading, logits: readonly Float64Array[]): void {
  const [whole, ...parts] = logits.map((one) => softmax(one));
  if (!whole) return;
  for (const [row, numbers] of reading.rows.entries()) {
    numbers[column.mixed] = scaledLog(whole[row]!);
    numbers[column.mixedNone] = scaledLog(whole.at(-1)!);
  }
  reading.mixed = whole;
  reading.mixedParts = parts;
}

/** Copies of the numbers with the columns that depend on the calls made and planned so far. */
export function addCalls(
  { rows, bestParts, mixedParts }: ToolReading,
  tools: readonly Tool[],
  turns: readonly SessionEvent[],
): Float32Array[] {
  const numbers = rows.map((row) => row.slice());
  const places = new Map(tools.map(({ name }, row) => [name, row]));
  const goalAt = lastGoal(turns);
  const served = new Set<number>();
  const called: number[] = [];
  let last: number | undefined;
  for (const [at, { kind, text }] of turns.entries()) {
    const row = kind === "call" || kind === "planned" ? places.get(text) : undefined;
    if (row === undefined) continue;
    last = row;
    const own = numbers[row]!;
    own[column.wasCalled] = 1;
    if (at > goalAt) {
      own[column.callsSinceGoal] =
        Math.min(maxCalls, Math.round(own[column.callsSinceGoal]! * maxCalls) + 1) / maxCalls;
      served.add(bestParts[row]!);
      called.push(row);
    }
    const next = turns[at + 1];
    own[column.hasFailed] = Number(next?.kind === "result" && looksFailed(next.text));
  }
  if (last !== undefined) numbers[last]![column.wasLast] = 1;
  for (const [row, own] of numbers.entries()) own[column.partIsServed] = Number(served.has(bestParts[row]!));
  if (mixedParts.length > 0) addNextPart(numbers, mixedParts, called);
  return numbers;
}

/** Whether calls have served every part of the last user message; false if no tool was called for it. */
export const servesAll = (tools: readonly { numbers: Float32Array }[]): boolean =>
  tools.some(({ numbers }) => numbers[column.callsSinceGoal]! > 0) &&
  tools[0]!.numbers[column.partsLeft] === 0;

/**
 * Places of the goal's parts that no call has served yet, in order; `fill_mixed` of training/sessions/tool_numbers.py is the same
 * rule. `parts`: per part, the mixer's probability of each tool. `called`: rows of the tools called since the goal, in order.
 */
export function partsLeft(parts: readonly Float64Array[], called: readonly number[]): number[] {
  let left = [...parts.keys()];
  for (const row of called) {
    const chances = left.map((part) => parts[part]![row]!);
    const most = Math.max(...chances);
    if (most >= minServed) left = left.filter((_, at) => at !== chances.indexOf(most));
  }
  return left;
}

/** Whether the talk before the message has a word of the tool's name. */
export const isInTalk = ({ rows }: ToolReading, row: number): boolean =>
  rows[row]![column.talkWords + 1]! > 0;

/** Adds the mixer's probabilities for the first unserved part. When none is left, "none of the tools" has probability 1. */
function addNextPart(
  numbers: readonly Float32Array[],
  parts: readonly Float64Array[],
  called: readonly number[],
): void {
  const left = partsLeft(parts, called);
  const next = left[0] === undefined ? undefined : parts[left[0]];
  for (const [row, own] of numbers.entries()) {
    own[column.nextPart] = scaledLog(next?.[row] ?? 0);
    own[column.nextPartNone] = scaledLog(next?.at(-1) ?? 1);
    own[column.partsLeft] = left.length / parts.length;
  }
}
