/**
 * The learned decoder of plans over the 903 actions. `open` encodes a memory of vectors once, `step` gives the logits of the
 * next action for any number of plans. training/plan_decoder.py is the network. Rows of one run do not influence each other.
 * Its graphs are rewritten when they are loaded, to take a memory of any length. They were exported for 20 rows, most of them
 * empty: a goal of two parts fills four. Empty rows at the end have no weight, so the results are the same bits without them.
 */
import type { Floats, OnnxSession } from "../onnx.ts";
import { createNode, readGraph, valueTypes, withInput, withNodes } from "../onnx-file.ts";
import { freeDimension, withInputs } from "../onnx-shapes.ts";
import type { Scratch } from "./scratch.ts";
import { minRows } from "./scratch.ts";

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
const rowsInput = "rows";

/** A row of the memory and its index. */
export type MemoryRow = { at: number; vector: Float32Array };
/** `last`: id of the plan's latest action. */
export type DecoderStep = { owner: number; hidden: Float32Array; last: number };
export type DecoderStepResult = { hidden: Float32Array; logits: Float32Array };

/** Output arrays of a step, for a number of rows. */
type Written = { rows: number; hidden: Float32Array; logits: Float32Array };

export type PlanDecoder = {
  /**
   * Encodes memories. Returns each one's first hidden state, and the function that decodes one more action of plans over them. A
   * step's results are overwritten by the second step after it.
   */
  open(memories: readonly (readonly MemoryRow[])[]): Promise<{
    hidden: Float32Array[];
    step(steps: readonly DecoderStep[]): Promise<DecoderStepResult[]>;
  }>;
};

export type DecoderSessions = { open: OnnxSession; step: OnnxSession };

/** Most rows of one run: more are no faster (50 us a row from eight on) and take more memory. */
const rowsPerRun = 16;
/** The runtime sums a memory's rows in groups of four: with a multiple of four rows the bits are those of the whole memory. */
const rowsTogether = 4;

/** Number of rows up to the last one that any memory uses. */
const usedRows = (memories: readonly (readonly MemoryRow[])[]): number =>
  Math.ceil((1 + Math.max(...memories.flat().map(({ at }) => at))) / rowsTogether) * rowsTogether;

/** The outputs of `open` that the steps read. */
type Memories = Record<"keys" | "values" | "memory" | "mask", Floats>;

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

/** The function that writes the next actions over `memories`. */
function createStep(session: OnnxSession, memories: Memories, hiddenWidth: number, scratch: Scratch) {
  const { floats, longs } = createBlocks(scratch);
  const logitsWidth = session.rowShapes.logits!.at(-1)!;

  /** Writes the next action of up to `rowsPerRun` plans into rows of `into` from `begin` on. */
  async function stepRows(steps: readonly DecoderStep[], into: Written, begin: number): Promise<void> {
    const rows = Math.max(minRows, steps.length);
    const hidden = floats(rows, hiddenWidth);
    const owner = longs(rows);
    const last = longs(rows);
    for (let row = 0; row < rows; row++) {
      const one = steps[row] ?? steps[0]!;
      hidden.values.set(one.hidden, row * hiddenWidth);
      owner.values[row] = BigInt(one.owner);
      last.values[row] = BigInt(one.last);
    }
    const outputs = {
      next_hidden: rowsOf(into.hidden, hiddenWidth, begin, rows),
      logits: rowsOf(into.logits, logitsWidth, begin, rows),
    };
    await session.run({ hidden, last, owner, ...memories }, outputs);
    for (const { values } of [last, owner, hidden]) scratch.giveBack(values);
  }

  /** Two sets of arrays in turn: a step reuses those of the second step before it. */
  const written: (Written | undefined)[] = [undefined, undefined];
  function roomFor(rows: number): Written {
    const before = written.shift();
    const room =
      before && before.rows >= rows
        ? before
        : { rows, hidden: scratch.floats(rows * hiddenWidth), logits: scratch.floats(rows * logitsWidth) };
    written.push(room);
    return room;
  }

  return async (steps: readonly DecoderStep[]): Promise<DecoderStepResult[]> => {
    // A last run of a single row is padded to `minRows`, and writes that many rows.
    const into = roomFor(steps.length + minRows - 1);
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
  const widthOf = (name: string) => sessions.open.rowShapes[name]!.at(-1)!;
  return {
    async open(memories) {
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
      const rows = longs(length);
      for (let row = 0; row < length; row++) rows.values[row] = BigInt(row);
      const hidden = floats(count, widthOf("hidden"));
      const keys = floats(count, length, widthOf("keys"));
      const values = floats(count, length, widthOf("values"));
      await sessions.open.run({ memory, mask, [rowsInput]: rows }, { hidden, keys, values });
      const hiddenWidth = widthOf("hidden");
      return {
        hidden: memories.map((_, row) => rowsOf(hidden.values, hiddenWidth, row, 1).values),
        step: createStep(sessions.step, { keys, values, memory, mask }, hiddenWidth, scratch),
      };
    },
  };
}

/** `plan-step.onnx` for a memory of any length, which only its inputs fix. */
export const toShortSteps = (model: Uint8Array): Uint8Array =>
  freeDimension(model, memoryRows.total, rowsInput);

/**
 * `plan-open.onnx` for a memory of any length. It adds a constant with a position vector for each row; now only those of the rows
 * in use are added. @throws Error if it has no such constant
 */
export function toShortMemory(model: Uint8Array): Uint8Array {
  const length = memoryRows.total;
  const { nodes, constants } = readGraph(model);
  const adds = nodes.find(
    ({ operator, inputs }) =>
      operator === "Add" && inputs.some((name) => constants.get(name)?.shape[0] === length),
  );
  const places = adds?.inputs.find((name) => constants.get(name)?.shape[0] === length);
  if (!adds || places === undefined)
    throw new Error(`the plan decoder adds nothing to ${length} rows of memory`);
  const there = createNode("Gather", [places, rowsInput], `${places}/there`);
  const changed = nodes.flatMap((node) =>
    node === adds ? [there, withInput(adds, places, there.outputs[0]!)] : [node],
  );
  const free = freeDimension(withNodes(model, changed), length, rowsInput);
  return withInputs(free, [{ name: rowsInput, type: valueTypes.int64, dimensions: [rowsInput] }]);
}
