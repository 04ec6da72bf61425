/**
 * The learned reader of wishes: which of the 903 actions a part of a goal asks for, by the vectors of the part and of the goal.
 * training/wish_reader.py is the network.
 */
import type { Floats, OnnxSession } from "../onnx.ts";
import type { Scratch } from "./scratch.ts";

/** A part of a goal, or a goal that is one part: then both are the same. */
export type AskingPart = { part: Float32Array; goal: Float32Array };

export type WishReader = {
  /** Per part: probabilities of the actions by id, and of none of them last. There until the batch ends. */
  read(asking: readonly AskingPart[]): Promise<Float32Array[]>;
  close(): Promise<void>;
};

const rowsPerRun = 16;
/** The runtime computes a single row on another code path, whose results differ in the last bits. */
const leastRows = 2;

export function createWishReader(session: OnnxSession, scratch: Scratch): WishReader {
  const [width = 0] = session.rowShapes.chances!;
  const block = (rows: number, columns: number): Floats => {
    return { kind: "float32", values: scratch.floats(rows * columns), shape: [rows, columns] };
  };

  async function readRows(asking: readonly AskingPart[]): Promise<Float32Array[]> {
    const rows = Math.max(leastRows, asking.length);
    const columns = asking[0]!.part.length;
    const part = block(rows, columns);
    const goal = block(rows, columns);
    for (let row = 0; row < rows; row++) {
      const one = asking[row] ?? asking[0]!;
      part.values.set(one.part, row * columns);
      goal.values.set(one.goal, row * columns);
    }
    const chances = block(rows, width);
    await session.run({ part, goal }, { chances });
    return asking.map((_, row) => chances.values.subarray(row * width, (row + 1) * width));
  }

  return {
    async read(asking) {
      const found: Float32Array[] = [];
      for (let begin = 0; begin < asking.length; begin += rowsPerRun)
        found.push(...(await readRows(asking.slice(begin, begin + rowsPerRun))));
      return found;
    },
    close: () => session.close(),
  };
}
