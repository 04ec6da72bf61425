/**
 * match: a goal against a caller's tools. Likeness, the policy's query and words are weighed by numbers of the
 * whole list (learned: a fixed mix loses on lists unlike the ones it was fitted to); "none of these" is one
 * more choice. training/tool_choice.py is the same rule.
 */
import type { Heads, Mix } from "./heads.ts";
import { type ListReading, readList, type ToolWords } from "./list-words.ts";
import { dot, norm } from "./vectors.ts";

/** A tool with what is known of it: its text's unit vector and its words. */
export type ReadTool = { vector: Float32Array; words: ToolWords };

/** How far a tool attends to the parts of a goal that are like it: 0 is the mean over the parts, without end the maximum. */
const sharpness = 8;

/** What does not change while a plan grows. */
export type ToolList = {
  tools: readonly ReadTool[];
  /** Per tool: its cosine with the goal and its sentences, pooled by attention. */
  likeness: Float64Array;
  reading: ListReading;
};

/** `vectors`: of the goal as a whole and of each of its sentences: one may ask for a tool, others say who asks. */
export function readToolList(
  goal: { text: string; vectors: readonly Float32Array[] },
  tools: readonly ReadTool[],
): ToolList {
  const { text, vectors } = goal;
  return {
    tools,
    likeness: Float64Array.from(tools, ({ vector }) => pool(vectors.map((part) => dot(vector, part)))),
    reading: readList(
      text,
      tools.map(({ words }) => words),
    ),
  };
}

function pool(cosines: readonly number[]): number {
  let total = 0;
  let sum = 0;
  for (const cosine of cosines) {
    const weight = Math.exp(sharpness * cosine);
    total += weight;
    sum += weight * cosine;
  }
  return sum / total;
}

/** Logits of each tool and, last, of none of them, for lists and the policy's queries beside them. */
export async function scoreTools(
  heads: Heads,
  asked: readonly { list: ToolList; query: Float32Array }[],
): Promise<Float64Array[]> {
  const fits = asked.map(({ list, query }) => {
    const length = norm(query) + 1e-9;
    return Float64Array.from(list.tools, ({ vector }) => dot(vector, query) / length);
  });
  const mixes = await heads.mix(asked.map(({ list }, place) => listNumbers(list, fits[place]!)));
  return asked.map(({ list }, place) => weigh(list, fits[place]!, mixes[place]!));
}

function listNumbers({ likeness, reading }: ToolList, fits: Float64Array): Float32Array {
  const [first = 0, second] = [...likeness].sort((left, right) => right - left);
  const lead = second === undefined ? 0.5 : Math.min(0.5, first - second);
  return Float32Array.from([...reading.numbers, first, lead, Math.max(...fits)]);
}

function weigh({ likeness, reading }: ToolList, fits: Float64Array, mix: Mix): Float64Array {
  const logits = new Float64Array(likeness.length + 1);
  for (const [row, like] of likeness.entries()) {
    const said = mix.words * reading.words[row]! + mix.name * reading.names[row]!;
    logits[row] = mix.scale * (like + mix.query * fits[row]! + said);
  }
  logits[likeness.length] = mix.scale * mix.threshold;
  return logits;
}
