/**
 * A large embeddings request as parts of one batch each, so that it never holds a thread for long and
 * several threads share it. A text's vector is the same in any part. Pure.
 */
import type { EmbedRequest, EmbedResponse } from "../shared/embedding.ts";
import { estimateTextTokens } from "./token-estimates.ts";

/** `places`: of the part's texts in the whole request. */
export type EmbedPart = { request: EmbedRequest; places: readonly number[] };

/** Parts of at most `maxTokens` estimated tokens, or one text. Longest texts first: one too long is found early. */
export function splitEmbed(request: EmbedRequest, maxTokens: number): EmbedPart[] {
  const tokens = request.texts.map(estimateTextTokens);
  const order = [...tokens.keys()].sort((left, right) => tokens[right]! - tokens[left]!);
  const groups: number[][] = [];
  let room = 0;
  for (const place of order) {
    if (groups.length === 0 || tokens[place]! > room) {
      groups.push([]);
      room = maxTokens;
    }
    groups.at(-1)!.push(place);
    room -= tokens[place]!;
  }
  if (groups.length === 1) return [{ request, places: [...tokens.keys()] }];
  return groups.map((places) => ({
    request: { ...request, texts: places.map((place) => request.texts[place]!) },
    places,
  }));
}

/** The answer to the whole from the answers to its parts, in the same order. Times are the slowest wait and all work. */
export function joinEmbed(parts: readonly EmbedPart[], answers: readonly EmbedResponse[]): EmbedResponse {
  const vectors: string[] = [];
  for (const [part, { places }] of parts.entries()) {
    for (const [at, place] of places.entries()) vectors[place] = answers[part]!.vectors[at]!;
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
