/**
 * Embeds the texts of requests. A text longer than the encoder's window is encoded in several windows, whose vectors are
 * averaged by token count. A text's vector does not depend on the texts beside it.
 */
import { Buffer } from "node:buffer";
import { type EmbedRequest, type EmbedResponse, maxEmbedTokens } from "../../shared/embedding.ts";
import { norm } from "../world-model/vectors.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { inOneCall } from "./in-one-call.ts";

/** A request with a text above the token limit: `index` is its place. None of the request's texts was encoded. */
export type TextTooLong = { refused: "text_too_long"; index: number };

/** One answer per request, in order; `timings` are left 0. */
export async function embedTexts(
  model: WorldModel,
  requests: readonly EmbedRequest[],
): Promise<(EmbedResponse | TextTooLong)[]> {
  const { tokenizer, encoder, heads, manifest } = model;
  const read = requests.map(({ texts }) => {
    const windows: Int32Array[][] = [];
    for (const [index, text] of texts.entries()) {
      const found = tokenizer.encodeWindows(text, manifest.windowTokens, maxEmbedTokens);
      if (!found) return { refused: "text_too_long", index } as const;
      windows.push(found);
    }
    return windows;
  });
  const latents = await inOneCall(
    read.map((one) => ("refused" in one ? [] : one)),
    async (texts) => {
      const encoded = await inOneCall(texts, encoder.encodeTokens);
      return heads.latents(texts.map((windows, at) => poolWindows(windows, encoded[at]!)));
    },
  );
  return read.map((one, at) => {
    if ("refused" in one) return one;
    return {
      // The latent's direction: half what the text says, half the learned planning part.
      vectors: latents[at]!.map(({ latent, magnitude }) =>
        writeVector(latent.map((value) => value / magnitude)),
      ),
      dimension: manifest.dimension,
      tokens: one.flat().reduce((sum, { length }) => sum + length, 0),
      timings: { queueMs: 0, modelMs: 0 },
    };
  });
}

/** The mean of the windows' vectors, weighted by tokens and scaled to length 1. A single window's vector is returned as it is. */
function poolWindows(windows: readonly Int32Array[], vectors: readonly Float32Array[]): Float32Array {
  if (vectors.length === 1) return vectors[0]!;
  const sum = new Float32Array(vectors[0]!.length);
  for (const [place, vector] of vectors.entries()) {
    const weight = windows[place]!.length;
    for (let i = 0; i < sum.length; i++) sum[i]! += weight * vector[i]!;
  }
  const length = norm(sum);
  return sum.map((value) => value / length);
}

/** Little-endian 32-bit floats in base64, whatever this machine's byte order. */
function writeVector(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [place, value] of vector.entries()) bytes.writeFloatLE(value, place * 4);
  return bytes.toString("base64");
}
