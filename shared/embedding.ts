/** edge <-> gpu-worker: POST /embed. Texts in, unit vectors of the checkpoint's dimension out. */
import { z } from "zod";
import { GatewayError } from "./errors.ts";
import { ModelSize } from "./model-sizes.ts";
import { Timings } from "./planning.ts";

/** Most texts of one request, and most tokens of one text: the public interface's limits. */
export const maxEmbedTexts = 100;
export const maxEmbedTokens = 2048;
/**
 * Most UTF-16 units of one text. The limit of tokens does not bound them, since a word of any length is one token, even ten million letters
 * without a space. Normalising a letter takes up to a quarter of a microsecond of a worker's thread. For this many letters that is less
 * than encoding a text of `maxEmbedTokens`. Words of real languages are so short that the limit of tokens is reached first.
 */
export const maxEmbedLetters = maxEmbedTokens * 64;

/** Thrown by the edge for too many letters, by a worker for too many tokens. */
export const textTooLong = (index: number): GatewayError =>
  new GatewayError(
    "request_too_large",
    `The text at index ${index} is longer than ${maxEmbedTokens} tokens; split it and send the parts.`,
    { param: `input.${index}` },
  );

export const EmbedRequest = z.object({
  size: ModelSize,
  texts: z.array(z.string().min(1).max(maxEmbedLetters)).min(1).max(maxEmbedTexts),
});
export type EmbedRequest = z.infer<typeof EmbedRequest>;

export const EmbedResponse = z.object({
  /** One per text, in order: little-endian 32-bit floats in base64, L2-normalised. */
  vectors: z.array(z.base64()),
  dimension: z.int().positive(),
  /** Tokens of all texts that the encoder read: what embedding is charged by. */
  tokens: z.int().nonnegative(),
  timings: Timings,
});
export type EmbedResponse = z.infer<typeof EmbedResponse>;

/**
 * Format for `accept: application/x-ndjson`: one progress line after each part of a long request; the answer or the refusal is
 * the last line. An edge whose caller leaves thus knows how many tokens to charge.
 */
export const progressType = "application/x-ndjson";
export const EmbedProgress = z.object({
  /** Tokens read so far. */
  done: z.int().nonnegative(),
});
export type EmbedProgress = z.infer<typeof EmbedProgress>;
