/**
 * How texts of different lengths lie in one run of the encoder (packed-encoder.ts), and which of them share one. A text's
 * vector is the same bits whatever lies beside it. Pure.
 */
import type { Floats, Integers } from "../onnx.ts";
import type { Scratch } from "./scratch.ts";

/** The runtime sums a text's tokens by four, and what is left over by two and by one. */
const summedTogether = 4;
/** Padding of a run, as a share of its tokens. */
const mostPadding = 0.5;

/** Places of rows that share a run: at most `mostTokens`, or one row; those of like lengths together, since they are padded. */
export function shareRuns(rows: readonly Int32Array[], mostTokens: number): number[][] {
  const order = [...rows.keys()].sort((left, right) => rows[left]!.length - rows[right]!.length);
  const runs: number[][] = [];
  let tokens = 0;
  for (const place of order) {
    const { length } = rows[place]!;
    const run = runs.at(-1);
    const padded = ((run?.length ?? 0) + 1) * length;
    if (run && tokens + length <= mostTokens && padded <= (1 + mostPadding) * mostTokens) {
      run.push(place);
      tokens += length;
    } else {
      runs.push([place]);
      tokens = length;
    }
  }
  return runs;
}

/**
 * Where a text's tokens lie when they are summed: in fours with nothing beside them, as if the text were alone. Three that are
 * left over are summed as two and one.
 */
const placeInSum = (length: number, at: number): number =>
  length % summedTogether === 3 && at === length - 1 ? length + 1 : at;
const sizeOfSum = (length: number): number =>
  Math.ceil((1 + placeInSum(length, length - 1)) / summedTogether) * summedTogether;

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
      const summed = text * pool + placeInSum(row.length, at);
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
