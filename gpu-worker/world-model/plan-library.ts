/**
 * The library of plans: recorded episodes, found by the similarity of goal and state. A graph holds their vectors
 * (training/plan_library.py) and finds the nearest; plans.json holds their actions.
 */
import { z } from "zod";
import type { Floats, OnnxSession } from "../onnx.ts";
import type { Scratch } from "./scratch.ts";

/** Per episode the ids of its actions. */
export const LibraryPlans = z.array(z.array(z.int().min(0).max(902)));

export type Recalled = { actions: readonly number[]; similarity: number };
export type Asked = { goal: Float32Array; state: Float32Array };

export type PlanLibrary = {
  /** The nearest episodes of each, nearest first. `similarity`: 1 where goal and state are the episode's own. */
  recall(asked: readonly Asked[]): Promise<Recalled[][]>;
  close(): Promise<void>;
};

const rowsPerRun = 16;
/** The runtime computes a single row on another code path, whose results differ in the last bits. */
const leastRows = 2;

export function createPlanLibrary(
  session: OnnxSession,
  plans: z.infer<typeof LibraryPlans>,
  scratch: Scratch,
): PlanLibrary {
  const block = (rows: number, width: number): Floats => {
    return { kind: "float32", values: scratch.floats(rows * width), shape: [rows, width] };
  };
  const [count = 0] = session.rowShapes.similarity!;

  async function recallRows(asked: readonly Asked[]): Promise<Recalled[][]> {
    const rows = Math.max(leastRows, asked.length);
    const width = asked[0]!.goal.length;
    const goal = block(rows, width);
    const state = block(rows, width);
    for (let row = 0; row < rows; row++) {
      const one = asked[row] ?? asked[0]!;
      goal.values.set(one.goal, row * width);
      state.values.set(one.state, row * width);
    }
    const similarity = block(rows, count);
    const episode = block(rows, count);
    await session.run({ goal, state }, { similarity, episode });
    return asked.map((_, row) =>
      Array.from({ length: count }, (_, place): Recalled => {
        const at = row * count + place;
        return { actions: plans[episode.values[at]!]!, similarity: similarity.values[at]! };
      }),
    );
  }

  return {
    async recall(asked) {
      const found: Recalled[][] = [];
      for (let begin = 0; begin < asked.length; begin += rowsPerRun)
        found.push(...(await recallRows(asked.slice(begin, begin + rowsPerRun))));
      return found;
    },
    close: () => session.close(),
  };
}
