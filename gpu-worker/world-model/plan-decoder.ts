/**
 * The learned decoder of plans over the 903 actions: `open` reads a memory of vectors once, `step` writes one more
 * action of any number of plans. training/plan_decoder.py is the network. Rows of one run do not touch each other.
 */
import type { Floats, OnnxSession } from "../onnx.ts";
import type { Scratch } from "./scratch.ts";

/** Rows of the memory: goal, state, then parts of the goal and actions taken, each kind in its own rows. */
export const memoryRows = {
  goal: 0,
  state: 1,
  firstPart: 2,
  parts: 8,
  firstTaken: 10,
  taken: 10,
  total: 20,
} as const;

/** A row of the memory and where it lies. */
export type MemoryRow = { at: number; vector: Float32Array };
/** `last`: the action written last, by its id. */
export type DecoderStep = { owner: number; hidden: Float32Array; last: number };
export type DecoderStepResult = { hidden: Float32Array; logits: Float32Array };

export type PlanDecoder = {
  /** Reads memories; gives the first hidden state of each, and a function that writes the next actions over them. */
  open(memories: readonly (readonly MemoryRow[])[]): Promise<{
    hidden: Float32Array[];
    step(steps: readonly DecoderStep[]): Promise<DecoderStepResult[]>;
  }>;
  close(): Promise<void>;
};

export type DecoderSessions = { open: OnnxSession; step: OnnxSession };

const rowsPerRun = 64;
/** A single row goes another way through the runtime's arithmetic and would differ in the last bits. */
const leastRows = 2;

export function createPlanDecoder(sessions: DecoderSessions, width: number, scratch: Scratch): PlanDecoder {
  const block = (shape: readonly number[]): Floats => {
    const values = scratch.floats(shape.reduce((size, dimension) => size * dimension, 1));
    return { kind: "float32", values, shape };
  };
  const longs = (rows: number) => ({ kind: "int64", values: scratch.longs(rows), shape: [rows] }) as const;
  const outputsOf = (session: OnnxSession, rows: number, names: readonly string[]): Record<string, Floats> =>
    Object.fromEntries(names.map((name) => [name, block([rows, ...session.rowShapes[name]!])]));
  const rowOf = ({ values, shape }: Floats, row: number): Float32Array => {
    const size = values.length / shape[0]!;
    return values.subarray(row * size, (row + 1) * size);
  };

  return {
    async open(memories) {
      const count = Math.max(leastRows, memories.length);
      const memory = block([count, memoryRows.total, width]);
      const mask = block([count, memoryRows.total]);
      memory.values.fill(0);
      mask.values.fill(0);
      for (let row = 0; row < count; row++) {
        for (const { at, vector } of memories[row] ?? memories[0]!) {
          memory.values.set(vector, (row * memoryRows.total + at) * width);
          mask.values[row * memoryRows.total + at] = 1;
        }
      }
      const opened = outputsOf(sessions.open, count, ["hidden", "keys", "values"]);
      await sessions.open.run({ memory, mask }, opened);
      const { hidden, keys, values } = opened as Record<"hidden" | "keys" | "values", Floats>;

      async function stepRows(steps: readonly DecoderStep[]): Promise<DecoderStepResult[]> {
        const rows = Math.max(leastRows, steps.length);
        const state = block([rows, hidden.shape[1]!]);
        const owner = longs(rows);
        const last = longs(rows);
        for (let row = 0; row < rows; row++) {
          const one = steps[row] ?? steps[0]!;
          state.values.set(one.hidden, row * hidden.shape[1]!);
          owner.values[row] = BigInt(one.owner);
          last.values[row] = BigInt(one.last);
        }
        const found = outputsOf(sessions.step, rows, ["next_hidden", "logits"]);
        await sessions.step.run({ hidden: state, last, owner, keys, values, memory, mask }, found);
        return steps.map((_, row) => {
          return { hidden: rowOf(found.next_hidden!, row), logits: rowOf(found.logits!, row) };
        });
      }

      return {
        hidden: memories.map((_, row) => rowOf(hidden, row)),
        async step(steps) {
          const found: DecoderStepResult[] = [];
          for (let begin = 0; begin < steps.length; begin += rowsPerRun)
            found.push(...(await stepRows(steps.slice(begin, begin + rowsPerRun))));
          return found;
        },
      };
    },
    async close() {
      await sessions.open.close();
      await sessions.step.close();
    },
  };
}
