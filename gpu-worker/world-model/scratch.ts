/**
 * The memory of one batch, and runs of a graph over rows whose arrays lie in it. A bump allocator: one block, handed out from its
 * beginning and freed as a whole. A batch makes tens of megabytes of arrays; as separate buffers they would wait for the garbage
 * collector and fragment the allocator's memory.
 */
import type { Floats, OnnxSession } from "../inference/session.ts";

export type Scratch = {
  /** Size of the block. */
  bytes: number;
  /** Arrays with undefined content, which must be written in full. */
  floats(length: number): Float32Array<ArrayBuffer>;
  longs(length: number): BigInt64Array<ArrayBuffer>;
  /** Frees an array early if it is the last one handed out; otherwise does nothing. */
  giveBack(array: Float32Array | BigInt64Array): void;
  /**
   * Runs `work`. Arrays handed out meanwhile are valid until it ends: the block is reused when no work runs. Outside of any work,
   * and when the block is full, ordinary arrays are returned.
   */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
};

/** Arrays of every kind begin at multiples of this. */
const alignment = 8;

type ArrayKind<Numbers> = {
  BYTES_PER_ELEMENT: number;
  new (length: number): Numbers;
  new (buffer: ArrayBuffer, byteOffset: number, length: number): Numbers;
};

export function createScratch(bytes: number): Scratch {
  const block = new ArrayBuffer(bytes);
  // Written once, so that the system commits all its pages now, and not during the first large batch.
  new Uint8Array(block).fill(0);
  let end = 0;
  let running = 0;

  /** The place of `size` bytes in the block; undefined if there is no room. */
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
 * Runs a graph over rows of named inputs, with a bounded number of rows in each run; the rows of a run do not influence each
 * other. Returns the rows of each wanted output, valid until the batch ends. All inputs have the same number of rows; for none
 * nothing is run.
 */
export type RowRunner = <Name extends string>(
  session: OnnxSession,
  inputs: Record<string, readonly Float32Array[]>,
  wanted: readonly Name[],
) => Promise<Record<Name, Float32Array[]>>;

/** `maxRows`: most rows of one run. More are no faster and take the runtime more memory between its layers. */
export function createRowRunner(scratch: Scratch, maxRows: number): RowRunner {
  const floatsOf = (count: number, rowShape: readonly number[]): Floats => ({
    kind: "float32",
    values: scratch.floats(rowShape.reduce((size, dimension) => size * dimension, count)),
    shape: [count, ...rowShape],
  });

  /** `rows` one after the other; the first is repeated if there are fewer than `count`. */
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
