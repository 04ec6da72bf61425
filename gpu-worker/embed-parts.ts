/**
 * Divides a large embeddings request into parts of one batch each, so that it never holds a thread for long and several threads
 * share it. A text's vector is the same in any part. Pure.
 */
import type { EmbedRequest, EmbedResponse } from "../shared/embedding.ts";
import { estimateTextTokens } from "./task-cost.ts";

/** `indexes`: positions of the part's texts in the whole request. */
export type EmbedPart = { request: EmbedRequest; indexes: readonly number[] };

/** Parts of a single text, or of at most `maxTokens` estimated tokens. Longest first, so that a text that is too long is found early. */
export function splitEmbed(request: EmbedRequest, maxTokens: number): EmbedPart[] {
  const tokens = request.texts.map(estimateTextTokens);
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
