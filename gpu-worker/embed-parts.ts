/**
 * Divides a large embeddings request into parts of one batch each, so that it never holds a thread for long and several threads
 * share it. A text's vector is the same in any part.
 */
import type { EmbedRequest, EmbedResponse } from "../shared/embedding.ts";
import { Refusal } from "./refusal.ts";
import { estimateEmbedTokens } from "./task-cost.ts";

/** Parts of one request in the queue at a time. With few, little work is left to drop when its caller leaves. */
const partsAtATime = 4;

/** Who asks: a signal that aborts when the caller leaves, and a listener for the tokens read so far. */
type Caller = { signal: AbortSignal; onProgress?: (tokens: number) => void };

export async function embedInParts(
  request: EmbedRequest,
  maxTokens: number,
  submit: (part: EmbedRequest, signal: AbortSignal) => Promise<EmbedResponse>,
  caller: Caller,
): Promise<EmbedResponse> {
  const parts = splitEmbed(request, maxTokens);
  if (parts.length === 1) return submit(request, caller.signal);
  const failed = new AbortController();
  const either = AbortSignal.any([caller.signal, failed.signal]);
  const count = countProgress(caller);
  const runPart = async ({ request, indexes }: EmbedPart) =>
    count(
      await submit(request, either).catch((error: Error) => {
        // The first failure fails the request: its other parts are removed from the queue.
        failed.abort();
        throw error instanceof Refusal ? inWhole(error, indexes) : error;
      }),
    );
  return joinEmbed(parts, await runSome(parts, partsAtATime, runPart));
}

/** `indexes`: positions of the part's texts in the whole request. */
export type EmbedPart = { request: EmbedRequest; indexes: readonly number[] };

/** Parts of a single text, or of at most `maxTokens` estimated tokens. Longest first, so that a text that is too long is found early. */
export function splitEmbed(request: EmbedRequest, maxTokens: number): EmbedPart[] {
  const tokens = request.texts.map(estimateEmbedTokens);
  const order = [...tokens.keys()].sort((left, right) => tokens[right]! - tokens[left]!);
  const groups: number[][] = [];
  let room = 0;
  for (const index of order) {
    if (groups.length === 0 || tokens[index]! > room) {
      groups.push([]);
      room = maxTokens;
    }
    groups.at(-1)!.push(index);
    room -= tokens[index]!;
  }
  if (groups.length === 1) return [{ request, indexes: [...tokens.keys()] }];
  return groups.map((indexes) => ({
    request: { ...request, texts: indexes.map((index) => request.texts[index]!) },
    indexes,
  }));
}

/** Joins the answers of all parts into the answer of the request. Times: the longest wait, and the sum of all work. */
export function joinEmbed(parts: readonly EmbedPart[], answers: readonly EmbedResponse[]): EmbedResponse {
  const vectors: string[] = [];
  for (const [part, { indexes }] of parts.entries()) {
    for (const [at, index] of indexes.entries()) vectors[index] = answers[part]!.vectors[at]!;
  }
  const sum = (read: (answer: EmbedResponse) => number) =>
    answers.reduce((total, answer) => total + read(answer), 0);
  return {
    vectors,
    dimension: answers[0]!.dimension,
    tokens: sum(({ tokens }) => tokens),
    timings: {
      queueMs: Math.max(...answers.map(({ timings }) => timings.queueMs)),
      modelMs: sum(({ timings }) => timings.modelMs),
    },
  };
}

/** Reports the progress of the whole request after each part. */
function countProgress({ onProgress }: Caller): (part: EmbedResponse) => EmbedResponse {
  let done = 0;
  return (part) => {
    done += part.tokens;
    onProgress?.(done);
    return part;
  };
}

/** The part's refusal, its text's index changed to that in the whole request. */
const inWhole = (refusal: Refusal, indexes: readonly number[]): Refusal => {
  const { index } = refusal.details;
  return index === undefined
    ? refusal
    : new Refusal(refusal.code, { ...refusal.details, index: indexes[index]! });
};

/** Runs all items, `atOnce` at a time; rejects with the first failure and starts no further item. */
async function runSome<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (next < items.length && !failed) {
      const index = next++;
      try {
        results[index] = await run(items[index]!);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return results;
}
