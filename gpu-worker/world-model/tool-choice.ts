/**
 * match: a goal against a caller's tools, by likeness and words alone. The weights are learned numbers of the whole list
 * (a fixed mix loses on lists unlike the ones it was fitted to); "none of these" is one more choice.
 * training/tool_choice.py is the same rule. The session reader corrects what this says by the conversation.
 */
import type { Heads, Mix } from "./heads.ts";
import type { ListReading, ToolWords } from "./list-words.ts";

/** A tool with what is known of it: its text's unit vector and its words. */
export type ReadTool = { vector: Float32Array; words: ToolWords };

/** A goal read against a list: per tool its likeness to the goal and its parts, its words and its name's words. */
export type ListedTools = ListReading & { likeness: readonly number[] };

/** How far a tool attends to the parts of a goal that are like it: 0 is the mean over the parts, without end the maximum. */
const sharpness = 8;

/** Attention-pooled cosines of a tool with the parts of a goal: one may ask for it, others say who asks. */
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

/** Logits of each tool of each list and, last, of none of them. */
export async function mixTools(heads: Heads, lists: readonly ListedTools[]): Promise<Float64Array[]> {
  const mixes = await heads.mix(lists.map(({ numbers }) => Float32Array.from(numbers)));
  return lists.map((list, at) => weigh(list, mixes[at]!));
}

function weigh({ likeness, words, names }: ListedTools, mix: Mix): Float64Array {
  const logits = likeness.map((like, row) => like + mix.words * words[row]! + mix.name * names[row]!);
  return Float64Array.from([...logits, mix.threshold], (logit) => mix.scale * logit);
}
