/**
 * The two providers that speak OpenAI's chat completions: OpenAI itself (alpha) and the aggregator (router). With what the
 * aggregator alone has: engines that read documents, and a record of each answer.
 */
import { readList, readObject } from "../../json.ts";
import type { EncodedRequest, ProviderDialect, ProviderTarget } from "../dialect.ts";
import { alphaFlavour, routerFlavour, type WireFlavour } from "./flavour.ts";
import { readUsage } from "./read-end.ts";
import { readErrorMessage, readFailedHost, readsAsFlagged } from "./read-error.ts";
import { decodeChatReply } from "./read-reply.ts";
import { createChatStreamDecoder } from "./read-stream.ts";
import { encodeChatRequest, holdsFormat } from "./write-request.ts";

const createDialect = (flavour: WireFlavour): ProviderDialect => ({
  name: "openai",
  takesChoices: flavour.takesChoices,
  // API reference, tools.function.name
  longestToolName: 64,
  encodeRequest: (request, target) => namePdfEngine(encodeChatRequest(request, target, flavour), target),
  holdsFormat: (request, target) => holdsFormat(request, target, flavour),
  createStreamDecoder: createChatStreamDecoder,
  decodeReply: decodeChatReply,
  readErrorMessage,
  readFailedHost,
  readsAsFlagged,
});

/**
 * The request with the engine for its documents named, where the target has one and a document travels. Where nobody names one,
 * the aggregator has mistral-ocr read the documents for a model that reads none, at $2 per 1,000 pages beside the tokens. No hold
 * of ours covers that, so on the operator's key the engine is always named (openrouter.ai/docs/guides/overview/multimodal/pdfs).
 */
function namePdfEngine(encoded: EncodedRequest, { pdfEngine }: ProviderTarget): EncodedRequest {
  if (pdfEngine === undefined) return encoded;
  const messages = readList(encoded.body.messages);
  if (!messages.some((message) => readList(readObject(message)?.content).some(isDocument))) return encoded;
  const plugins = [{ id: "file-parser", pdf: { engine: pdfEngine } }];
  return { ...encoded, body: { ...encoded.body, plugins } };
}

/** Also what its caller calls a picture and is none. */
function isDocument(part: unknown): boolean {
  const { type, image_url: image } = readObject(part) ?? {};
  const url = readObject(image)?.url;
  return type === "file" || (typeof url === "string" && /^data:(?!image\/)/i.test(url));
}

/** `GET /generation`: what the aggregator wrote down of one answer (openrouter.ai/docs/api-reference/get-a-generation). */
const generation: NonNullable<ProviderDialect["generation"]> = {
  idHeader: "x-generation-id",
  path: (id) => `/generation?id=${encodeURIComponent(id)}`,
  /** By the model's own tokenizer, as the report of a whole answer counts. */
  readReply(body) {
    const data = readObject(readObject(body)?.data);
    return readUsage({
      prompt_tokens: data?.native_tokens_prompt,
      completion_tokens: data?.native_tokens_completion,
      prompt_tokens_details: { cached_tokens: data?.native_tokens_cached },
      completion_tokens_details: {
        reasoning_tokens: data?.native_tokens_reasoning,
        image_tokens: data?.native_tokens_completion_images,
      },
      cost: data?.total_cost,
    });
  },
};

export const alphaDialect: ProviderDialect = createDialect(alphaFlavour);
export const routerDialect: ProviderDialect = { ...createDialect(routerFlavour), generation };
