/**
 * A bump allocator for the arrays of one batch: one block, handed out from its beginning and freed as a whole. A batch makes
 * tens of megabytes of arrays; as buffers of their own they would wait for the garbage collector and fragment the
 * allocator's memory.
 */
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
