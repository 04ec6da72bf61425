/**
 * The learned decoder of plans over the 903 actions. `open` encodes a memory of vectors once, `step` gives the logits of the
 * next action for any number of plans. training/plans/plan_decoder.py is the network. Rows of one run do not influence each other.
 * Its graphs are rewritten when they are loaded (decoder-graphs.ts).
 */
import type { Floats, OnnxSession } from "../inference/session.ts";
import { minRows, type Scratch } from "./scratch.ts";

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

/** An input added to `plan-open.onnx`: the indices of the memory rows in use. */
export const rowsInput = "rows";

/** A row of the memory and its index. */
export type MemoryRow = { at: number; vector: Float32Array };
/** `hidden`: the plan's state, and after it what the state looks at in the memory. `last`: id of the plan's latest action. */
export type DecoderStep = { owner: number; hidden: Float32Array; last: number };
export type DecoderStepResult = { hidden: Float32Array; logits: Float32Array };

/** Output arrays of a step, for all of its rows. */
type Written = DecoderStepResult;

export type PlanDecoder = {
  /**
   * Encodes memories. Returns each one's first hidden state, and the function that decodes one more action of plans over them. All
   * results lie in scratch memory.
   */
  open(memories: readonly (readonly MemoryRow[])[]): Promise<{
    hidden: Float32Array[];
    step(steps: readonly DecoderStep[]): Promise<DecoderStepResult[]>;
  }>;
};

export type DecoderSessions = { open: OnnxSession; start: OnnxSession; step: OnnxSession };

/**
 * Most rows of one run. A run reads all weights (4 MB), so a batch of eight plans takes 5 % less time in runs of up to 64 rows than of
 * 16; they take 4 MiB more between the graph's layers.
 */
const rowsPerRun = 64;
/** The runtime sums a memory's rows in groups of four: with a multiple of four rows the bits are those of the whole memory. */
const rowsTogether = 4;

/** Number of rows up to the last one that any memory uses. */
const usedRows = (memories: readonly (readonly MemoryRow[])[]): number =>
  Math.ceil((1 + Math.max(...memories.flat().map(({ at }) => at))) / rowsTogether) * rowsTogether;

/** What the steps read of the memories, computed once for all of them. */
type Memories = Record<"keys" | "values" | "pulled" | "mask", Floats>;

const widthOf = (session: OnnxSession, output: string): number => session.rowShapes[output]!.at(-1)!;

/** Arrays of one batch, in scratch memory. */
function createBlocks(scratch: Scratch) {
  const size = (shape: readonly number[]) => shape.reduce((product, dimension) => product * dimension, 1);
  return {
    floats: (...shape: number[]): Floats => ({ kind: "float32", values: scratch.floats(size(shape)), shape }),
    longs: (rows: number) => ({ kind: "int64", values: scratch.longs(rows), shape: [rows] }) as const,
  };
}

/** `rows` rows of `width` numbers, from row `begin` on. */
function rowsOf(values: Float32Array, width: number, begin: number, rows: number): Floats {
  const own = values.subarray(begin * width, (begin + rows) * width);
  return { kind: "float32", values: own, shape: [rows, width] };
}

/** The function that decodes one more action of plans over `memories`. */
function createStep(session: OnnxSession, memories: Memories, stateWidth: number, scratch: Scratch) {
  const { floats, longs } = createBlocks(scratch);
  const [hiddenWidth, logitsWidth] = [widthOf(session, "written"), widthOf(session, "logits")];

  /** Writes the next action of up to `rowsPerRun` plans into rows of `into` from `begin` on. */
  async function stepRows(steps: readonly DecoderStep[], into: Written, begin: number): Promise<void> {
    const rows = Math.max(minRows, steps.length);
    const hidden = floats(rows, stateWidth);
    const seen = floats(rows, hiddenWidth - stateWidth);
    const owner = longs(rows);
    const last = longs(rows);
    for (let row = 0; row < rows; row++) {
      const one = steps[row] ?? steps[0]!;
      hidden.values.set(one.hidden.subarray(0, stateWidth), row * stateWidth);
      seen.values.set(one.hidden.subarray(stateWidth), row * (hiddenWidth - stateWidth));
      owner.values[row] = BigInt(one.owner);
      last.values[row] = BigInt(one.last);
    }
    const outputs = {
      written: rowsOf(into.hidden, hiddenWidth, begin, rows),
      logits: rowsOf(into.logits, logitsWidth, begin, rows),
    };
    await session.run({ hidden, seen, last, owner, ...memories }, outputs);
    for (const { values } of [last, owner, seen, hidden]) scratch.giveBack(values);
  }

  return async (steps: readonly DecoderStep[]): Promise<DecoderStepResult[]> => {
    // A last run of a single row is padded to `minRows`, and writes that many rows.
    const rows = steps.length + minRows - 1;
    const into = { hidden: scratch.floats(rows * hiddenWidth), logits: scratch.floats(rows * logitsWidth) };
    for (let begin = 0; begin < steps.length; begin += rowsPerRun)
      await stepRows(steps.slice(begin, begin + rowsPerRun), into, begin);
    return steps.map((_, row) => ({
      hidden: rowsOf(into.hidden, hiddenWidth, row, 1).values,
      logits: rowsOf(into.logits, logitsWidth, row, 1).values,
    }));
  };
}

export function createPlanDecoder(sessions: DecoderSessions, width: number, scratch: Scratch): PlanDecoder {
  const { floats, longs } = createBlocks(scratch);
  /** 0, 1, … `count` - 1. */
  const counted = (count: number) => {
    const numbers = longs(count);
    for (let at = 0; at < count; at++) numbers.values[at] = BigInt(at);
    return numbers;
  };

  /** The memories as blocks, and the number of their rows. */
  function packMemories(memories: readonly (readonly MemoryRow[])[]) {
    const count = memories.length;
    const length = usedRows(memories);
    const memory = floats(count, length, width);
    const mask = floats(count, length);
    memory.values.fill(0);
    mask.values.fill(0);
    for (const [row, one] of memories.entries()) {
      for (const { at, vector } of one) {
        memory.values.set(vector, (row * length + at) * width);
        mask.values[row * length + at] = 1;
      }
    }
    return { memory, mask, length };
  }

  return {
    async open(memories) {
      const count = memories.length;
      const plans = Math.max(minRows, count);
      const { memory, mask, length } = packMemories(memories);
      const stateWidth = widthOf(sessions.open, "hidden");
      const seenWidth = widthOf(sessions.start, "seen");
      const hidden = floats(plans, stateWidth);
      const keys = floats(count, length, widthOf(sessions.open, "keys"));
      const values = floats(count, length, widthOf(sessions.open, "values"));
      const opened = { hidden: rowsOf(hidden.values, stateWidth, 0, count), keys, values };
      await sessions.open.run({ memory, mask, [rowsInput]: counted(length) }, opened);
      const owner = counted(plans);
      for (let row = count; row < plans; row++) {
        owner.values[row] = 0n;
        hidden.values.copyWithin(row * stateWidth, 0, stateWidth);
      }
      const seen = floats(plans, seenWidth);
      const pulled = floats(count, length, widthOf(sessions.start, "pulled"));
      await sessions.start.run({ hidden, owner, memory, keys, values, mask }, { seen, pulled });
      return {
        hidden: memories.map((_, row) => {
          const both = scratch.floats(stateWidth + seenWidth);
          both.set(rowsOf(hidden.values, stateWidth, row, 1).values);
          both.set(rowsOf(seen.values, seenWidth, row, 1).values, stateWidth);
          return both;
        }),
        step: createStep(sessions.step, { keys, values, pulled, mask }, stateWidth, scratch),
      };
    },
  };
}
