/**
 * Text -> unit vector, with a cache of recent texts. Texts of any length share a run (packed-encoder.ts), and a text's vector is
 * the same bits whatever else is in the run. A run costs 1.4 ms plus 0.1 ms for each token.
 */
import { hash } from "node:crypto";
import type { OnnxSession } from "../onnx.ts";
import { packTexts, shareRuns } from "./packed-encoder.ts";
import type { Scratch } from "./scratch.ts";
import type { Tokenizer } from "./tokenizer.ts";

/**
 * Separate caches, so that one kind of text does not evict another. `lasting`: texts that many requests share (a caller's tools).
 * `session`: those of a session with tools, which all come again at its next turn. `passing`: goal and state of a request without
 * tools. The last two belong to one account.
 */
export const memories = ["lasting", "session", "passing"] as const;
export type Memory = (typeof memories)[number];

export type TextToEncode = {
  text: string;
  /** Which end of a text longer than the window is kept. */
  keep: "start" | "end";
  /** The cache that keeps the vector, for a text that may come again. */
  remember: Memory | false;
  /** The account that the text belongs to: `session` and `passing` texts are found again only by it. */
  owner?: string | undefined;
  /** Limit in tokens, below that of the window. */
  maxTokens?: number;
};

export type ReadText = {
  vector: Float32Array;
  /** Tokens that were read, including [CLS] and [SEP]. */
  tokens: number;
};

/** `vector` lies in scratch memory and is valid until the batch ends. */
export type EncodedText = ReadText & {
  /** The same object as long as the text is cached: a cache key for facts about the text. */
  identity: object;
};

export type Encoder = {
  /** Bytes reserved for cached vectors. */
  memoryBytes: number;
  /** One entry per text, in order. Equal texts are encoded once. */
  encode(texts: readonly TextToEncode[]): Promise<EncodedText[]>;
  /**
   * If more than `maxTokens` of the texts would have to be read: entries of the first texts, as many as that allows. Else undefined, and
   * nothing is read.
   */
  encodeFirst(texts: readonly TextToEncode[], maxTokens: number): Promise<EncodedText[] | undefined>;
  /** Caches texts that an encoder of the same checkpoint has read, one entry per text. */
  learn(texts: readonly TextToEncode[], read: readonly ReadText[]): void;
  /** One unit vector per row of token ids, in order, in scratch memory; nothing is cached. */
  encodeTokens(rows: readonly Int32Array[]): Promise<Float32Array[]>;
};

export type EncoderOptions = {
  /** A session over a graph of `toPackedEncoder`. */
  session: OnnxSession;
  tokenizer: Tokenizer;
  dimension: number;
  /** Longest text in tokens, [CLS] and [SEP] included. */
  windowTokens: number;
  /** Most cached vectors; the least recently used is evicted first. */
  cacheSizes: Readonly<Record<Memory, number>>;
  scratch: Scratch;
};

/**
 * Most tokens of one run: as many as of a window. A longer run is no faster (it leaves the processor's cache) and takes more
 * memory.
 */
export const maxTokensPerRun = 256;

export function createEncoder(options: EncoderOptions): Encoder {
  const { session, tokenizer, dimension, windowTokens, cacheSizes, scratch } = options;
  const remembered = Object.fromEntries(
    memories.map((memory) => [memory, createTextMemory(cacheSizes[memory], dimension, scratch)]),
  ) as Record<Memory, TextMemory>;

  async function runTogether(rows: readonly Int32Array[]): Promise<Float32Array[]> {
    const embedding = scratch.floats(rows.length * dimension);
    const packed = packTexts(rows, scratch);
    await session.run(packed, {
      embedding: { kind: "float32", values: embedding, shape: [rows.length, dimension] },
    });
    for (const { values } of Object.values(packed).reverse()) scratch.giveBack(values);
    return rows.map((_, row) => embedding.subarray(row * dimension, (row + 1) * dimension));
  }

  async function encodeTokens(rows: readonly Int32Array[]): Promise<Float32Array[]> {
    const vectors: Float32Array[] = new Array(rows.length);
    for (const indexes of shareRuns(rows, maxTokensPerRun)) {
      const found = await runTogether(indexes.map((index) => rows[index]!));
      for (const [at, index] of indexes.entries()) vectors[index] = found[at]!;
    }
    return vectors;
  }

  const limitOf = ({ maxTokens = windowTokens }: TextToEncode) => maxTokens;
  const tokensOf = (text: TextToEncode) => tokenizer.encode(text.text, limitOf(text), text.keep);
  const recall = (text: TextToEncode, name: string) =>
    text.remember ? remembered[text.remember].recall(name, limitOf(text)) : undefined;

  async function encode(texts: readonly TextToEncode[]): Promise<EncodedText[]> {
    const found = new Map<string, EncodedText>();
    const missing = new Map<string, { text: TextToEncode; tokens: Int32Array; name: string }>();
    const keys = texts.map((text) => {
      const name = nameOf(text);
      const key = `${limitOf(text)}${name}`;
      if (found.has(key) || missing.has(key)) return key;
      const known = recall(text, name);
      if (known) found.set(key, known);
      else missing.set(key, { text, tokens: tokensOf(text), name });
      return key;
    });
    const entries = [...missing];
    const vectors = await encodeTokens(entries.map(([, { tokens }]) => tokens));
    for (const [index, [key, { text, tokens, name }]] of entries.entries()) {
      const vector = vectors[index]!;
      const read = { tokens: tokens.length, limit: limitOf(text) };
      const identity = text.remember ? remembered[text.remember].store(name, vector, read) : tokens;
      found.set(key, { vector, tokens: tokens.length, identity });
    }
    return keys.map((key) => found.get(key)!);
  }

  return {
    memoryBytes: memories.reduce((sum, memory) => sum + remembered[memory].bytes, 0),
    encodeTokens,
    encode,
    async encodeFirst(texts, maxTokens) {
      let tokens = 0;
      const count = texts.findIndex((text) => {
        if (!recall(text, nameOf(text))) tokens += tokensOf(text).length;
        return tokens > maxTokens;
      });
      return count === -1 ? undefined : encode(texts.slice(0, count));
    },
    learn(texts, read) {
      for (const [index, text] of texts.entries()) {
        const { vector, tokens } = read[index]!;
        if (text.remember)
          remembered[text.remember].store(nameOf(text), vector, { tokens, limit: limitOf(text) });
      }
    },
  };
}

const maxKeyChars = 64;

/**
 * A text's name in the cache. A long text is replaced by its digest: 10,000 turns of a kilobyte each would take more memory than their
 * vectors.
 */
const shorten = (text: string): string =>
  text.length <= maxKeyChars ? `\n${text}` : `#${hash("sha256", text, "base64")}`;

const nameOf = ({ text, keep, remember, owner = "" }: TextToEncode): string =>
  `${remember === "lasting" ? "" : owner} ${keep}${shorten(text)}`;

type TextMemory = {
  /** Size of the block of vectors. */
  bytes: number;
  /** The cached text of that name, if `limit` lets the same tokens of it be read; its vector copied into scratch memory. */
  recall(name: string, limit: number): EncodedText | undefined;
  /** Caches a copy of the vector; returns the text's identity. */
  store(name: string, vector: Float32Array, read: Read): object;
};

/** Tokens read of a text, and the most that would have been: what is shorter reads the same under another limit. */
type Read = { tokens: number; limit: number };
const readsSame = ({ tokens, limit }: Read, other: number): boolean =>
  limit === other || (tokens < limit && tokens <= other);

/** A cached vector's row in the block; a new text reuses the row of an evicted one. */
type Remembered = Read & { row: number };

/**
 * Keeps `size` texts and evicts the least recently used. Their vectors lie in one block: separate long-lived buffers would be
 * scattered among the garbage of batches, and keep the allocator from returning that memory.
 */
function createTextMemory(size: number, dimension: number, scratch: Scratch): TextMemory {
  const block = new Float32Array(size * dimension);
  const texts = new Map<string, Remembered>();
  const rowOf = ({ row }: Remembered) => block.subarray(row * dimension, (row + 1) * dimension);
  return {
    bytes: block.byteLength,
    recall(name, limit) {
      const known = texts.get(name);
      if (!known || !readsSame(known, limit)) return undefined;
      texts.delete(name);
      texts.set(name, known);
      const vector = scratch.floats(dimension);
      vector.set(rowOf(known));
      return { vector, tokens: known.tokens, identity: known };
    },
    store(name, vector, read) {
      const known = texts.get(name);
      // Another batch may have stored it meanwhile.
      if (known && readsSame(known, read.limit)) return known;
      let row = known?.row ?? texts.size;
      texts.delete(name);
      if (row === size) {
        const [oldest, { row: freed }] = texts.entries().next().value!;
        texts.delete(oldest);
        row = freed;
      }
      const entry = { ...read, row };
      texts.set(name, entry);
      rowOf(entry).set(vector);
      return entry;
    },
  };
}
