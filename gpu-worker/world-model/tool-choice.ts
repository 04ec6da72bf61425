/**
 * match: a goal against a caller's tools. Cosine, the policy's query and words are weighed by numbers of the
 * whole list (learned: a fixed mix loses on lists unlike the ones it was fitted to); "none of these" is one
 * more choice. training/tool_choice.py is the same rule.
 */
import type { Heads, Mix } from "./heads.ts";
import { type ListReading, readList, type ToolWords } from "./list-words.ts";
import { dot, norm } from "./vectors.ts";

/** A tool with what is known of it: its text's unit vector and its words. */
export type ReadTool = { vector: Float32Array; words: ToolWords };

/** What does not change while a plan grows. */
export type ToolList = {
  tools: readonly ReadTool[];
  cosines: Float64Array;
  reading: ListReading;
};

export function readToolList(
  goal: { text: string; vector: Float32Array },
  tools: readonly ReadTool[],
): ToolList {
  return {
    tools,
    cosines: Float64Array.from(tools, ({ vector }) => dot(vector, goal.vector)),
    reading: readList(
      goal.text,
      tools.map(({ words }) => words),
    ),
  };
}

/** Logits of each tool and, last, of none of them, for lists and the policy's queries beside them. */
export async function scoreTools(
  heads: Heads,
  asked: readonly { list: ToolList; query: Float32Array }[],
): Promise<Float64Array[]> {
  const likeness = asked.map(({ list, query }) => {
    const length = norm(query) + 1e-9;
    return Float64Array.from(list.tools, ({ vector }) => dot(vector, query) / length);
  });
  const mixes = await heads.mix(asked.map(({ list }, place) => listNumbers(list, likeness[place]!)));
  return asked.map(({ list }, place) => weigh(list, likeness[place]!, mixes[place]!));
}

function listNumbers({ cosines, reading }: ToolList, likeness: Float64Array): Float32Array {
  const [first = 0, second] = [...cosines].sort((left, right) => right - left);
  const lead = second === undefined ? 0.5 : Math.min(0.5, first - second);
  return Float32Array.from([...reading.numbers, first, lead, Math.max(...likeness)]);
}

function weigh({ cosines, reading }: ToolList, likeness: Float64Array, mix: Mix): Float64Array {
  const logits = new Float64Array(cosines.length + 1);
  for (const [row, cosine] of cosines.entries()) {
    const said = mix.words * reading.words[row]! + mix.name * reading.names[row]!;
    logits[row] = mix.scale * (cosine + mix.query * likeness[row]! + said);
  }
  logits[cosines.length] = mix.scale * mix.threshold;
  return logits;
}
