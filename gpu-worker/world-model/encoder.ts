/**
 * encode: text -> unit vector. Texts of equal token length share a run, so nothing is ever padded and a
 * text's vector is the same bits whatever is encoded beside it (measured: batching short texts gains
 * under 15 % on a CPU, padding them would cost more).
 */
import type { OnnxSession } from "../onnx.ts";
import type { Scratch } from "./scratch.ts";
import { createTextMemory, type EncodedText } from "./text-memory.ts";
import type { Tokenizer } from "./tokenizer.ts";

/**
 * What is remembered apart, so that neither drives the other out: `lasting` texts that many requests share (a
 * caller's tools), and `passing` ones of one conversation (its goal, state and steps).
 */
export type Memory = "lasting" | "passing";

export type TextToEncode = {
  text: string;
  /** Which end survives when the text is longer than the window. */
  keep: "start" | "end";
  /** Where its vector is kept, for a text that comes again. */
  remember: Memory | false;
  /** A tighter limit than the window, in tokens. */
  maxTokens?: number;
};

export type Encoder = {
  dimension: number;
  /** Kept for the vectors of remembered texts. */
  memoryBytes: number;
  /** One entry per text, in order. Fewest possible runs; equal texts are encoded once. */
  encode(texts: readonly TextToEncode[]): Promise<EncodedText[]>;
  /** One unit vector per row of token ids, in order, in scratch memory; nothing is remembered. */
  encodeTokens(rows: readonly Int32Array[]): Promise<Float32Array[]>;
};

export type EncoderOptions = {
  session: OnnxSession;
  tokenizer: Tokenizer;
  dimension: number;
  /** Longest text in tokens, [CLS] and [SEP] included. */
  windowTokens: number;
  /** Remembered vectors; the one unused longest goes first. */
  cacheSizes: Readonly<Record<Memory, number>>;
  scratch: Scratch;
};

/** Tokens of one run: small texts gain a little from company, long ones lose (their work leaves the cache). */
export const maxTokensPerRun = 512;

export function createEncoder(options: EncoderOptions): Encoder {
  const { session, tokenizer, dimension, windowTokens, cacheSizes, scratch } = options;
  const memories = {
    lasting: createTextMemory(cacheSizes.lasting, dimension, scratch),
    passing: createTextMemory(cacheSizes.passing, dimension, scratch),
  };

  async function runSameLength(rows: readonly Int32Array[]): Promise<Float32Array[]> {
    const length = rows[0]!.length;
    const shape = [rows.length, length];
    const embedding = scratch.floats(rows.length * dimension);
    const ids = scratch.longs(rows.length * length);
    const mask = scratch.longs(ids.length).fill(1n);
    for (const [row, tokens] of rows.entries()) {
      for (let i = 0; i < length; i++) ids[row * length + i] = BigInt(tokens[i]!);
    }
    await session.run(
      {
        input_ids: { kind: "int64", values: ids, shape },
        attention_mask: { kind: "int64", values: mask, shape },
      },
      { embedding: { kind: "float32", values: embedding, shape: [rows.length, dimension] } },
    );
    scratch.giveBack(mask);
    scratch.giveBack(ids);
    return rows.map((_, row) => embedding.subarray(row * dimension, (row + 1) * dimension));
  }

  async function encodeTokens(rows: readonly Int32Array[]): Promise<Float32Array[]> {
    const vectors: Float32Array[] = new Array(rows.length);
    const byLength = Map.groupBy(rows.keys(), (place) => rows[place]!.length);
    for (const [length, places] of byLength) {
      const most = Math.max(1, Math.floor(maxTokensPerRun / length));
      for (let begin = 0; begin < places.length; begin += most) {
        const chunk = places.slice(begin, begin + most);
        const found = await runSameLength(chunk.map((place) => rows[place]!));
        for (const [at, place] of chunk.entries()) vectors[place] = found[at]!;
      }
    }
    return vectors;
  }

  return {
    dimension,
    memoryBytes: memories.lasting.bytes + memories.passing.bytes,
    encodeTokens,
    async encode(texts) {
      const found = new Map<string, EncodedText>();
      const missing = new Map<string, { tokens: Int32Array; memory: Memory | false }>();
      const keys = texts.map(({ text, keep, maxTokens = windowTokens }) => `${keep}${maxTokens}\n${text}`);
      for (const [index, key] of keys.entries()) {
        if (found.has(key) || missing.has(key)) continue;
        const { text, keep, remember: memory, maxTokens = windowTokens } = texts[index]!;
        const known = memory ? memories[memory].recall(key) : undefined;
        if (known) found.set(key, known);
        else missing.set(key, { tokens: tokenizer.encode(text, maxTokens, keep), memory });
      }
      const entries = [...missing];
      const vectors = await encodeTokens(entries.map(([, { tokens }]) => tokens));
      for (const [place, [key, { tokens, memory }]] of entries.entries()) {
        const vector = vectors[place]!;
        const identity = memory ? memories[memory].store(key, vector, tokens.length) : tokens;
        found.set(key, { vector, tokens: tokens.length, identity });
      }
      return keys.map((key) => found.get(key)!);
    },
  };
}
