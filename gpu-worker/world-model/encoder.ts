/**
 * Text -> unit vector, with a cache of recent texts. Texts of any length share a run (packed-encoder.ts), and a text's vector is
 * the same bits whatever else is in the run. A run costs half a millisecond, and a millisecond for each 15 to 20 tokens.
 */
import type { OnnxSession } from "../inference/session.ts";
import { createFairCache, textKey } from "./fair-cache.ts";
import { packTexts, shareRuns } from "./packed-encoder.ts";
import type { Scratch } from "./scratch.ts";
import type { Tokenizer } from "./tokenizer.ts";

/**
 * Separate caches, so that one kind of text does not evict another. `lasting`: texts that many requests share (a caller's tools).
 * `session`: those of a session with tools, which all come again at its next turn. `passing`: goal and state of a request without
 * tools. The last two belong to one account.
 */
export const cacheNames = ["lasting", "session", "passing"] as const;
export type CacheName = (typeof cacheNames)[number];

/**
 * Cached texts per thread, 1.5 KiB a vector: the tools of hundreds of callers, some 300 sessions of 20 texts, and the goals of
 * the last seconds. A session that is no longer cached is encoded whole at each turn: 160 to 240 ms, where the newest result
 * alone takes 8.
 */
export const textCacheSizes: Readonly<Record<CacheName, number>> = {
  lasting: 8_192,
  session: 6_144,
  passing: 2_048,
};

export type TextToEncode = {
  text: string;
  /** Which end of a text longer than the window is kept. */
  keep: "start" | "end";
  /** The cache that keeps the vector, for a text that may come again. */
  remember: CacheName | false;
  /** The account that the text belongs to, and whose share of a cache it takes. Only this account finds `session` and `passing` texts. */
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
   * Reads as many of the first texts as need at most `maxTokens` tokens that are not cached, and returns their entries. If all of them
   * fit, it reads none and returns undefined.
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
  /** Most cached vectors; fair-cache.ts says which are evicted. */
  cacheSizes: Readonly<Record<CacheName, number>>;
  scratch: Scratch;
  /** Milliseconds, monotonic. */
  now: () => number;
};

/** Most tokens of one run: a window's. A longer run is no faster (it leaves the processor's cache) and takes more memory. */
export const maxTokensPerRun = 256;

/** Runs rows of token ids through the graph, up to `maxTokensPerRun` tokens at a time. */
function createTokenEncoder({ session, dimension, scratch }: EncoderOptions): Encoder["encodeTokens"] {
  async function runTogether(rows: readonly Int32Array[]): Promise<Float32Array[]> {
    const embedding = scratch.floats(rows.length * dimension);
    const packed = packTexts(rows, scratch);
    await session.run(packed, {
      embedding: { kind: "float32", values: embedding, shape: [rows.length, dimension] },
    });
    for (const { values } of Object.values(packed).reverse()) scratch.giveBack(values);
    return rows.map((_, row) => embedding.subarray(row * dimension, (row + 1) * dimension));
  }

  return async (rows) => {
    const vectors: Float32Array[] = new Array(rows.length);
    for (const indexes of shareRuns(rows, maxTokensPerRun)) {
      const found = await runTogether(indexes.map((index) => rows[index]!));
      for (const [at, index] of indexes.entries()) vectors[index] = found[at]!;
    }
    return vectors;
  };
}

export function createEncoder(options: EncoderOptions): Encoder {
  const { tokenizer, windowTokens, cacheSizes } = options;
  const caches = Object.fromEntries(
    cacheNames.map((name) => [name, createTextCache(cacheSizes[name], options)]),
  ) as Record<CacheName, TextCache>;

  const encodeTokens = createTokenEncoder(options);
  const limitOf = ({ maxTokens = windowTokens }: TextToEncode) => maxTokens;
  const tokensOf = (text: TextToEncode) => tokenizer.encode(text.text, limitOf(text), text.keep);
  const recall = (text: TextToEncode, name: string) =>
    text.remember ? caches[text.remember].recall(name, limitOf(text)) : undefined;

  async function encode(texts: readonly TextToEncode[]): Promise<EncodedText[]> {
    const found = new Map<string, EncodedText>();
    const missing = new Map<string, { text: TextToEncode; ids: Int32Array; tokens: number }>();
    const keys = texts.map((text) => {
      const [name, limit] = [nameOf(text), limitOf(text)];
      const asked = findKey(found, name, limit) ?? findKey(missing, name, limit);
      if (asked !== undefined) return asked;
      const known = recall(text, name);
      if (known) {
        const key = keyOf(name, known.tokens, limit);
        found.set(key, known);
        return key;
      }
      const ids = tokensOf(text);
      const key = keyOf(name, ids.length, limit);
      missing.set(key, { text, ids, tokens: ids.length });
      return key;
    });
    const entries = [...missing];
    const vectors = await encodeTokens(entries.map(([, { ids }]) => ids));
    for (const [index, [key, { text, ids, tokens }]] of entries.entries()) {
      const vector = vectors[index]!;
      const read = { vector, tokens };
      const identity = text.remember ? caches[text.remember].store(key, read, text.owner) : ids;
      found.set(key, { ...read, identity });
    }
    return keys.map((key) => found.get(key)!);
  }

  return {
    memoryBytes: cacheNames.reduce((sum, name) => sum + caches[name].bytes, 0),
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
        const known = read[index]!;
        const key = keyOf(nameOf(text), known.tokens, limitOf(text));
        if (text.remember) caches[text.remember].store(key, known, text.owner);
      }
    },
  };
}

const nameOf = ({ text, keep, remember, owner = "" }: TextToEncode): string =>
  `${remember === "lasting" ? "" : owner} ${keep}${textKey(text)}`;

/**
 * Cache key of a text. One that was read whole has its name alone; one that was cut has its limit in the key, too, since another limit
 * reads other tokens. A text with exactly as many tokens as the limit may have been cut.
 */
const keyOf = (name: string, tokens: number, limit: number): string =>
  tokens < limit ? name : `${limit} ${name}`;

/** The key under which `entries` holds the text as it reads under this limit: whole if that fits, else cut. Undefined if it holds neither. */
function findKey(
  entries: { get(key: string): { tokens: number } | undefined },
  name: string,
  limit: number,
): string | undefined {
  const whole = entries.get(name);
  const key = whole && whole.tokens <= limit ? name : `${limit} ${name}`;
  return entries.get(key) && key;
}

type TextCache = {
  /** Size of the block of vectors. */
  bytes: number;
  /** The cached entry of `findKey`; its vector is copied into scratch memory. */
  recall(name: string, limit: number): EncodedText | undefined;
  /** Caches a copy of the vector under a key of `keyOf`, in the owner's share; returns the text's identity. */
  store(key: string, read: ReadText, owner?: string): object;
};

/** A cached vector's row in the block; a new text reuses the row of an evicted one. */
type CachedRow = { tokens: number; row: number };

/**
 * Keeps `size` texts. Their vectors lie in one block: separate long-lived buffers would be scattered among the garbage of batches, and
 * keep the allocator from returning that memory.
 */
function createTextCache(size: number, { dimension, scratch, now }: EncoderOptions): TextCache {
  const block = new Float32Array(size * dimension);
  const texts = createFairCache<CachedRow>(size, now);
  const rowOf = ({ row }: CachedRow) => block.subarray(row * dimension, (row + 1) * dimension);
  return {
    bytes: block.byteLength,
    recall(name, limit) {
      const key = findKey(texts, name, limit);
      const known = key !== undefined && texts.use(key);
      if (!known) return undefined;
      const vector = scratch.floats(dimension);
      vector.set(rowOf(known));
      return { vector, tokens: known.tokens, identity: known };
    },
    store(key, { vector, tokens }, owner = "") {
      const known = texts.get(key);
      // Another batch may have stored it meanwhile.
      if (known) return known;
      const row = texts.taken() < size ? texts.taken() : texts.evict().row;
      const entry = { tokens, row };
      texts.add(key, owner, entry);
      rowOf(entry).set(vector);
      return entry;
    },
  };
}
