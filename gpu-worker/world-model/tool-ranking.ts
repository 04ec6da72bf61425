/**
 * Ranks a caller's tools for a goal by three scores: cosine, BM25 over the list itself, and the share of the tool's name that is
 * in the goal. A head, the mixer, predicts the scores' weights from numbers of the list: fixed weights fail on lists unlike those
 * they were fitted to. "None of these" is one more choice. The session reader gets the resulting probabilities as features.
 * training/tools/lexical.py and tool_ranking.py have the same rules.
 */
import type { Heads, Mix } from "./heads.ts";

/** BM25's k1 and b. */
const saturation = 1.2;
const lengthShare = 0.75;
/** Added to the best score, by which all are divided: in a list that hardly shares a word with the goal all shares are low. */
const damping = 2;
const word = /[a-z0-9]+/g;
const stopWords = new Set(
  "a an the of to in on for and or is are be i me my we our you your it its this that with from by as at do does can could would please want need what how which will have has".split(
    " ",
  ),
);

function stem(text: string): string {
  const { length } = text;
  if (length > 4 && text.endsWith("ies")) return `${text.slice(0, -3)}y`;
  if (length > 5 && text.endsWith("ing")) return text.slice(0, -3);
  if (length > 4 && text.endsWith("ed")) return text.slice(0, -2);
  return length > 3 && text.endsWith("s") && !text.endsWith("ss") ? text.slice(0, -1) : text;
}

/** Stems of the words of a text, in order, without stop words. */
export const stemsOf = (text: string): string[] =>
  (text.toLowerCase().match(word) ?? []).filter((one) => !stopWords.has(one)).map(stem);

/** The words of a tool: the count of each in its whole text, and the distinct words of its name. */
export type ToolWords = { counts: ReadonlyMap<string, number>; length: number; name: ReadonlySet<string> };

/** `nameWords`: the tool's name in plain words (text-templates.ts). */
export function readToolWords(nameWords: string, description: string): ToolWords {
  const name = stemsOf(nameWords);
  const all = [...name, ...stemsOf(description)];
  const counts = new Map<string, number>();
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  return { counts, length: all.length, name: new Set(name) };
}

export type ListReading = {
  /** For each tool, 0-1: BM25 relative to the best of the list; and of its name's words, weighed by idf, the share that the goal has. */
  words: Float64Array;
  names: Float64Array;
  /** The share of the goal's words that any tool of the list has. */
  known: number;
  /** The mixer's input: the list's size, the goal's length, how clearly one tool leads by its words. */
  numbers: number[];
};

/** Compares a goal's words with a list of at least one tool. */
export function readList(goal: string, tools: readonly ToolWords[]): ListReading {
  const asked = new Set(stemsOf(goal));
  const frequency = new Map<string, number>();
  for (const { counts } of tools) {
    for (const one of counts.keys()) frequency.set(one, (frequency.get(one) ?? 0) + 1);
  }
  const idf = (one: string) => {
    const found = frequency.get(one)!;
    return Math.log(1 + (tools.length - found + 0.5) / (found + 0.5));
  };
  const meanLength = tools.reduce((sum, { length }) => sum + length, 0) / tools.length || 1;
  const scores = Float64Array.from(tools, ({ counts, length }) => {
    let score = 0;
    for (const one of asked) {
      const times = counts.get(one);
      if (times === undefined) continue;
      const damped = times + saturation * (1 - lengthShare + (lengthShare * length) / meanLength);
      score += (idf(one) * times * (saturation + 1)) / damped;
    }
    return score;
  });
  const names = Float64Array.from(tools, ({ name }) => {
    let total = 0;
    let said = 0;
    for (const one of name) {
      const weight = idf(one);
      total += weight;
      if (asked.has(one)) said += weight;
    }
    return total > 0 ? said / total : 0;
  });
  const [best = 0, second = 0] = [...scores].sort((left, right) => right - left);
  const known = [...asked].filter((one) => frequency.has(one)).length / Math.max(1, asked.size);
  return {
    words: scores.map((score) => score / (best + damping)),
    names,
    known,
    numbers: [
      Math.log(tools.length),
      Math.min(3, asked.size / 20),
      Math.min(3, best / 10),
      (best - second) / (best + damping),
      Math.max(...names),
      known,
      Math.min(3, meanLength / 20),
    ],
  };
}

/** A tool as it is compared: the unit vector of its text, and its words. */
export type ReadTool = { vector: Float32Array; words: ToolWords };

/** A goal compared with a list. `likeness`: for each tool, its pooled cosine with the goal and its parts. */
export type ListedTools = ListReading & { likeness: readonly number[] };

/** Sharpness of the attention over the goal's parts: 0 is the mean of the cosines, infinity the maximum. */
const sharpness = 8;

/** Cosine of a tool with the parts of a goal, pooled by attention: the part that asks for the tool has the most weight. */
export function poolLikeness(cosines: readonly number[]): number {
  let total = 0;
  let sum = 0;
  for (const cosine of cosines) {
    const weight = Math.exp(sharpness * cosine);
    total += weight;
    sum += weight * cosine;
  }
  return sum / total;
}

/** For each list, a logit for each tool and, last, for none of them. */
export async function mixTools(heads: Heads, lists: readonly ListedTools[]): Promise<Float64Array[]> {
  const mixes = await heads.mix(lists.map(({ numbers }) => Float32Array.from(numbers)));
  return lists.map((list, at) => weigh(list, mixes[at]!));
}

function weigh({ likeness, words, names }: ListedTools, mix: Mix): Float64Array {
  const logits = likeness.map((like, row) => like + mix.words * words[row]! + mix.name * names[row]!);
  return Float64Array.from([...logits, mix.threshold], (logit) => mix.scale * logit);
}
