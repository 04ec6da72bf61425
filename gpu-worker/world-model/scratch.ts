/**
 * The memory of one batch, and runs of a graph over rows, whose arrays lie in it. A bump allocator: one block, handed out from its
 * beginning and freed as a whole. A batch makes tens of megabytes of arrays; as buffers of their own they would wait for the garbage
 * collector and fragment the allocator's memory.
 */
import type { Floats, OnnxSession } from "../onnx.ts";

export type Scratch = {
  /** Of the block. */
  bytes: number;
  /** Arrays of any content, to be written in full. */
  floats(length: number): Float32Array<ArrayBuffer>;
  longs(length: number): BigInt64Array<ArrayBuffer>;
  /** Frees an array early, if it was the last one handed out; else does nothing. */
  giveBack(array: Float32Array | BigInt64Array): void;
  /**
   * Runs `work`. No array handed out meanwhile may outlive it: the block is reused once no work runs. Outside of any work, and
   * when the block is full, arrays are ordinary ones of their own.
   */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
};

/** All kinds begin at multiples of this. */
const alignment = 8;

type ArrayKind<Numbers> = {
  BYTES_PER_ELEMENT: number;
  new (length: number): Numbers;
  new (buffer: ArrayBuffer, byteOffset: number, length: number): Numbers;
};

export function createScratch(bytes: number): Scratch {
  const block = new ArrayBuffer(bytes);
  // Written once, so that the system commits its pages now, and not with each batch that is larger than those before.
  new Uint8Array(block).fill(0);
  let end = 0;
  let running = 0;

  /** Where `size` bytes of the block begin, if there are as many. */
  const take = (size: number): number | undefined => {
    if (running === 0 || end + size > bytes) return undefined;
    const begin = end;
    end += Math.ceil(size / alignment) * alignment;
    return begin;
  };

  const arraysOf =
    <Numbers>(kind: ArrayKind<Numbers>) =>
    (length: number): Numbers => {
      const begin = take(length * kind.BYTES_PER_ELEMENT);
      return begin === undefined ? new kind(length) : new kind(block, begin, length);
    };

  return {
    bytes,
    floats: arraysOf<Float32Array<ArrayBuffer>>(Float32Array),
    longs: arraysOf<BigInt64Array<ArrayBuffer>>(BigInt64Array),
    giveBack({ buffer, byteOffset, byteLength }) {
      const isLast = buffer === block && Math.ceil((byteOffset + byteLength) / alignment) * alignment === end;
      if (isLast) end = byteOffset;
    },
    async during(work) {
      running += 1;
      try {
        return await work();
      } finally {
        running -= 1;
        if (running === 0) end = 0;
      }
    },
  };
}

/** The runtime computes a single row on another code path, whose results differ in the last bits. */
export const minRows = 2;

/**
 * Runs a graph over rows of named inputs, a bounded number of rows in each run; rows of one run do not influence each other. Gives, for
 * each output wanted, its rows, valid until the batch ends. Every input has the same number of rows, at least one.
 */
export type RowRunner = <Name extends string>(
  session: OnnxSession,
  inputs: Record<string, readonly Float32Array[]>,
  wanted: readonly Name[],
) => Promise<Record<Name, Float32Array[]>>;

/** `maxRows`: of one run. More gain nothing, and what the runtime needs between its layers grows with them. */
export function createRowRunner(scratch: Scratch, maxRows: number): RowRunner {
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
    for (let begin = 0; begin < total; begin += maxRows) {
      const rows = Math.min(maxRows, total - begin);
      const count = Math.max(minRows, rows);
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
