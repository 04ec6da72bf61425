/**
 * Runs a graph over rows of named inputs, a bounded number of rows in each run. Rows of one run do not influence each other.
 * Results lie in scratch memory (scratch.ts): they are valid until the batch ends.
 */
import type { Floats, OnnxSession } from "../onnx.ts";
import type { Scratch } from "./scratch.ts";

/** The runtime computes a single row on another code path, whose results differ in the last bits. */
export const leastRows = 2;

/** Gives, for each output wanted, its rows. Every input has the same number of rows, at least one. */
export type RowRunner = <Name extends string>(
  session: OnnxSession,
  inputs: Record<string, readonly Float32Array[]>,
  wanted: readonly Name[],
) => Promise<Record<Name, Float32Array[]>>;

/** `mostRows`: of one run. More gain nothing, and what the runtime needs between its layers grows with them. */
export function createRowRunner(scratch: Scratch, mostRows: number): RowRunner {
  const floatsOf = (count: number, rowShape: readonly number[]): Floats => ({
    kind: "float32",
    values: scratch.floats(rowShape.reduce((size, dimension) => size * dimension, count)),
    shape: [count, ...rowShape],
  });

  /** `rows` one below the other; the first again where there are fewer than `count`. */
  function pack(rows: readonly Float32Array[], count: number): Floats {
    const { length } = rows[0]!;
    const packed = floatsOf(count, [length]);
    for (let row = 0; row < count; row++) packed.values.set(rows[row] ?? rows[0]!, row * length);
    return packed;
  }

  return async (session, inputs, wanted) => {
    const total = Object.values(inputs)[0]!.length;
    const found = entriesTo(wanted, (): Float32Array[] => []);
    for (let begin = 0; begin < total; begin += mostRows) {
      const rows = Math.min(mostRows, total - begin);
      const count = Math.max(leastRows, rows);
      const outputs = entriesTo(wanted, (name) => floatsOf(count, session.rowShapes[name]!));
      const feeds = entriesTo(Object.keys(inputs), (name) =>
        pack(inputs[name]!.slice(begin, begin + rows), count),
      );
      await session.run(feeds, outputs);
      for (const { values } of Object.values(feeds).reverse()) scratch.giveBack(values);
      for (const name of wanted) {
        const { values } = outputs[name];
        const width = values.length / count;
        for (let row = 0; row < rows; row++)
          found[name].push(values.subarray(row * width, (row + 1) * width));
      }
    }
    return found;
  };
}

/** One value per name. */
const entriesTo = <Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name) => Value,
): Record<Name, Value> => Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>;
