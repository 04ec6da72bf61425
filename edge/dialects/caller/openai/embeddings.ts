/** POST /v1/embeddings in OpenAI's format: the caller's request, and the list that answers it. */
import { z } from "zod";
import { maxEmbedLetters, maxEmbedTexts, textTooLong } from "../../../../shared/embedding.ts";
import { GatewayError } from "../../../../shared/errors.ts";
import { readBinary } from "../../base64.ts";

/** Token ids of an OpenAI tokenizer instead of text, which this model cannot read. */
const Tokens = z.union([z.array(z.number()), z.array(z.array(z.number()))]);
const tokensAdvice =
  "must be text: this model has a tokenizer of its own. Clients that send tokens have a switch, such as check_embedding_ctx_length=False of LangChain's OpenAIEmbeddings";

export const EmbeddingRequest = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string()), Tokens]).transform((input, context): string | string[] => {
    if (typeof input === "string" || typeof input[0] === "string") return input as string | string[];
    if (input.length > 0) context.addIssue({ code: "custom", message: tokensAdvice });
    return [];
  }),
  encoding_format: z.enum(["float", "base64"]).nullish(),
  dimensions: z.int().positive().nullish(),
  user: z.string().nullish(),
});
export type EmbeddingRequest = z.infer<typeof EmbeddingRequest>;

/** The texts to embed, in order. Throws GatewayError: 400 for no text, too many texts or an empty text, 413 for a huge text. */
export function readTexts({ input }: EmbeddingRequest): string[] {
  const texts = typeof input === "string" ? [input] : input;
  const refuse = (message: string) => new GatewayError("invalid_request", message, { param: "input" });
  if (texts.length === 0) throw refuse("input is empty; send at least one text.");
  if (texts.length > maxEmbedTexts) {
    throw refuse(`input has ${texts.length} texts; send at most ${maxEmbedTexts} in one request.`);
  }
  const empty = texts.findIndex((text) => text.trim() === "");
  if (empty !== -1) throw refuse(`The text at index ${empty} is empty; leave it out.`);
  const huge = texts.findIndex((text) => text.length > maxEmbedLetters);
  if (huge !== -1) throw textTooLong(huge);
  return texts;
}

export type EmbeddingList = {
  object: "list";
  data: { object: "embedding"; index: number; embedding: number[] | string }[];
  model: string;
  usage: { prompt_tokens: number; total_tokens: number };
};

/** The numbers of little-endian 32-bit floats in base64, on a machine of any byte order. */
export function decodeVector(base64: string): number[] {
  const bytes = readBinary(atob(base64));
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / 4 }, (_, index) => view.getFloat32(index * 4, true));
}

/** `vectors` are base64, in the order of the input. */
export function buildEmbeddingList(
  vectors: readonly string[],
  facts: { model: string; tokens: number; format: "float" | "base64" },
): EmbeddingList {
  return {
    object: "list",
    data: vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding: facts.format === "base64" ? vector : decodeVector(vector),
    })),
    model: facts.model,
    usage: { prompt_tokens: facts.tokens, total_tokens: facts.tokens },
  };
}
