/**
 * Rewrites the encoder's graph to take texts of different lengths in one run. A checkpoint's graph takes rows of one length; this
 * one takes the tokens of all texts as one list, so each matrix product, which is bound by loading its weights, runs once for
 * all. Only attention sees texts as padded rows. A text's vector is the same bits whatever lies beside it. Pure.
 */

import { withInputs } from "../inference/graph-shapes.ts";
import {
  createNode,
  type GraphNode,
  keepUsed,
  readGraph,
  valueTypes,
  withInput,
  withNodes,
  withOutput,
} from "../inference/model-file.ts";
import type { Floats, Integers } from "../inference/session.ts";
import type { Scratch } from "./scratch.ts";

/**
 * The graph's inputs: ids and positions of the list of tokens, then maps between the list and the padded texts. `spread`: token at each
 * place of a text (0 where it is padded, which `attention_mask` hides). `collect`: text and place of each token. `pooled`, `weights`:
 * tokens that are summed to a text's vector, and 1, or 0 for padding.
 */
const inputs = [
  { name: "input_ids", type: valueTypes.int64, dimensions: ["tokens"] },
  { name: "positions", type: valueTypes.int64, dimensions: ["tokens"] },
  { name: "spread", type: valueTypes.int64, dimensions: ["texts", "length"] },
  { name: "attention_mask", type: valueTypes.int64, dimensions: ["texts", "length"] },
  { name: "collect", type: valueTypes.int64, dimensions: ["tokens", "two"] },
  { name: "pooled", type: valueTypes.int64, dimensions: ["texts", "pool"] },
  { name: "weights", type: valueTypes.float, dimensions: ["texts", "pool"] },
] as const;

/** @throws Error for a graph that training/encoder/export_encoder.py did not write */
export function toPackedEncoder(model: Uint8Array): Uint8Array {
  const { nodes, constants, outputs } = readGraph(model);
  const maker = (name: string | undefined) => nodes.find((node) => node.outputs.includes(name!));
  const dimensions = (name: string | undefined) => constants.get(name ?? "")?.shape[0];
  const found = { positions: 0, splits: 0, joins: 0, pools: 0 };

  const pack = (node: GraphNode): GraphNode[] => {
    const [first, second] = node.inputs as [string, string];
    const [output] = node.outputs as [string];
    if (node.operator === "Slice" && constants.get(first)?.shape.length === 2) {
      found.positions++;
      return [createNode("Gather", [first, "positions"], output)];
    }
    if (node.operator === "Reshape" && dimensions(second) === 4) {
      found.splits++;
      const spread = `${first}/spread`;
      return [createNode("Gather", [first, "spread"], spread), withInput(node, first, spread)];
    }
    if (node.operator === "Reshape" && dimensions(second) === 3) {
      found.joins++;
      const joined = `${output}/joined`;
      return [withOutput(node, joined), createNode("GatherND", [joined, "collect"], output)];
    }
    const row = maker(first);
    if (node.operator === "MatMul" && row?.operator === "Unsqueeze") {
      found.pools++;
      const pooled = `${second}/pooled`;
      const weights = `${first}/weights`;
      return [
        createNode("Gather", [second, "pooled"], pooled),
        withOutput(withInput(row, row.inputs[0]!, "weights"), weights),
        withInput(withInput(node, first, weights), second, pooled),
      ];
    }
    return [node];
  };

  const packed = nodes.flatMap(pack);
  const { positions, splits, joins, pools } = found;
  if (positions !== 1 || pools !== 1 || splits === 0 || splits !== joins)
    throw new Error("encoder.onnx is not a graph of training/encoder/export_encoder.py");
  return withInputs(withNodes(model, keepUsed(packed, outputs)), inputs);
}

/** The runtime sums a text's tokens in groups of four, and the rest in twos and ones. */
const summedTogether = 4;
/** Most padding of a run, as a share of its `maxTokens`: attention computes it for nothing. */
const maxPadding = 0.5;

/** Groups rows into runs of at most `maxTokens` tokens, or of one row. Rows of similar length share a run: less padding. */
export function shareRuns(rows: readonly Int32Array[], maxTokens: number): number[][] {
  const order = [...rows.keys()].sort((left, right) => rows[left]!.length - rows[right]!.length);
  const runs: number[][] = [];
  let tokens = 0;
  for (const index of order) {
    const { length } = rows[index]!;
    const run = runs.at(-1);
    const padded = ((run?.length ?? 0) + 1) * length;
    if (run && tokens + length <= maxTokens && padded <= (1 + maxPadding) * maxTokens) {
      run.push(index);
      tokens += length;
    } else {
      runs.push([index]);
      tokens = length;
    }
  }
  return runs;
}

/**
 * A token's column in its text's sum, chosen so that the runtime adds in the same order as for a text encoded alone. If three
 * tokens are left over, the last moves on by one column, so that they are summed as two and one.
 */
const columnInSum = (length: number, at: number): number =>
  length % summedTogether === 3 && at === length - 1 ? length + 1 : at;
const sizeOfSum = (length: number): number =>
  Math.ceil((1 + columnInSum(length, length - 1)) / summedTogether) * summedTogether;

/** The encoder's inputs for rows of token ids, in scratch memory. */
export function packTexts(rows: readonly Int32Array[], scratch: Scratch): Record<string, Integers | Floats> {
  const tokens = rows.reduce((sum, { length }) => sum + length, 0);
  const longest = Math.max(...rows.map(({ length }) => length));
  const pool = Math.max(...rows.map(({ length }) => sizeOfSum(length)));
  const longs = (...shape: number[]): Integers => ({
    kind: "int64",
    values: scratch.longs(shape.reduce((size, one) => size * one, 1)).fill(0n),
    shape,
  });
  const texts = rows.length;
  const packed = {
    input_ids: longs(tokens),
    positions: longs(tokens),
    spread: longs(texts, longest),
    attention_mask: longs(texts, longest),
    collect: longs(tokens, 2),
    pooled: longs(texts, pool),
    weights: { kind: "float32", values: scratch.floats(texts * pool).fill(0), shape: [texts, pool] },
  } satisfies Record<string, Integers | Floats>;
  let token = 0;
  for (const [text, row] of rows.entries()) {
    for (const [at, id] of row.entries()) {
      const summed = text * pool + columnInSum(row.length, at);
      packed.input_ids.values[token] = BigInt(id);
      packed.positions.values[token] = BigInt(at);
      packed.spread.values[text * longest + at] = BigInt(token);
      packed.attention_mask.values[text * longest + at] = 1n;
      packed.collect.values[2 * token] = BigInt(text);
      packed.collect.values[2 * token + 1] = BigInt(at);
      packed.pooled.values[summed] = BigInt(token);
      packed.weights.values[summed] = 1;
      token++;
    }
  }
  return packed;
}
