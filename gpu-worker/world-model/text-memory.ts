/**
 * The texts that were encoded last, with their vectors in one block: each in a buffer of its own they would lie
 * scattered among what batches leave behind, and keep the allocator from giving that back.
 */
import type { Scratch } from "./scratch.ts";

/** `vector` lies in scratch memory: during a batch it must not outlive the batch. */
export type EncodedText = {
  vector: Float32Array;
  /** Tokens that were read, marks included. */
  tokens: number;
  /** The same for as long as the text is remembered: what is known of a text can be kept by it. */
  identity: object;
};

export type TextMemory = {
  /** Of the block. */
  bytes: number;
  /** The text of that key, its vector copied into scratch memory. */
  recall(key: string): EncodedText | undefined;
  /** Remembers a copy of the vector; gives the text's identity. */
  store(key: string, vector: Float32Array, tokens: number): object;
};

/** Where a remembered vector lies: a row of its memory's block, which the next text takes over. */
type Remembered = { row: number; tokens: number };

/** Keeps `size` texts; the one unused longest goes first. */
export function createTextMemory(size: number, dimension: number, scratch: Scratch): TextMemory {
  const block = new Float32Array(size * dimension);
  const texts = new Map<string, Remembered>();
  const rowOf = ({ row }: Remembered) => block.subarray(row * dimension, (row + 1) * dimension);
  return {
    bytes: block.byteLength,
    recall(key) {
      const known = texts.get(key);
      if (!known) return undefined;
      texts.delete(key);
      texts.set(key, known);
      const vector = scratch.floats(dimension);
      vector.set(rowOf(known));
      return { vector, tokens: known.tokens, identity: known };
    },
    store(key, vector, tokens) {
      // Two batches at a time may both have missed it.
      const known = texts.get(key);
      if (known) return known;
      let row = texts.size;
      if (row === size) {
        const [oldest, { row: freed }] = texts.entries().next().value!;
        texts.delete(oldest);
        row = freed;
      }
      const entry = { row, tokens };
      texts.set(key, entry);
      rowOf(entry).set(vector);
      return entry;
    },
  };
}
