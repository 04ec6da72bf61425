/**
 * The two providers that speak OpenAI's chat completions: OpenAI itself (alpha) and the aggregator (router). Also holds what only the
 * aggregator has: document engines, and a record of each answer.
 */
import { readList, readObject } from "../../json.ts";
import type { ProviderDialect, ProviderRequest, ProviderTarget } from "../dialect.ts";
import { alphaFlavour, routerFlavour, type WireFlavour } from "./flavour.ts";
import { placeCacheMark } from "./place-cache-mark.ts";
import { createStreamReader, readReply } from "./read-answer.ts";
import { readUsage } from "./read-end.ts";
import { readRefusal } from "./read-error.ts";
import { enforcesFormat, writeRequest } from "./write-request.ts";

const createDialect = (flavour: WireFlavour): ProviderDialect => ({
  name: "openai",
  takesChoices: flavour.takesChoices,
  // API reference, tools.function.name
  toolNames: { fits: /^[\w-]{1,64}$/, maxChars: 64, first: /^[\w-]/ },
  writeRequest: (request, target) =>
    namePdfEngine(writeRequest(placeCacheMark(request, target.model, flavour), target, flavour), target),
  enforcesFormat: (request, target) => enforcesFormat(request, target, flavour),
  createStreamReader,
  readReply,
  readRefusal,
});

/**
 * Names the engine that reads the request's documents, if the target has one and there is a document. Otherwise the aggregator
 * has mistral-ocr read them for a model that cannot, at $2 per 1,000 pages beside the tokens. No hold of ours covers that, so on
 * the operator's key the engine is always named (openrouter.ai/docs/guides/overview/multimodal/pdfs).
 */
function namePdfEngine(written: ProviderRequest, { pdfEngine }: ProviderTarget): ProviderRequest {
  if (pdfEngine === undefined) return written;
  const messages = readList(written.body.messages);
  if (!messages.some((message) => readList(readObject(message)?.content).some(isDocument))) return written;
  const plugins = [{ id: "file-parser", pdf: { engine: pdfEngine } }];
  return { ...written, body: { ...written.body, plugins } };
}

/** A file, or an `image_url` whose data is not of an image type. */
function isDocument(part: unknown): boolean {
  const { type, image_url: image } = readObject(part) ?? {};
  const url = readObject(image)?.url;
  return type === "file" || (typeof url === "string" && /^data:(?!image\/)/i.test(url));
}

/** `GET /generation`: the aggregator's record of one answer (openrouter.ai/docs/api-reference/get-a-generation). */
const generation: NonNullable<ProviderDialect["generation"]> = {
  idHeader: "x-generation-id",
  path: (id) => `/generation?id=${encodeURIComponent(id)}`,
  /** Counts by the model's own tokenizer, as in the report of a complete answer. */
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
      is_byok: data?.is_byok,
      cost_details: { upstream_inference_cost: data?.upstream_inference_cost },
    });
  },
};

export const alphaDialect: ProviderDialect = createDialect(alphaFlavour);
export const routerDialect: ProviderDialect = { ...createDialect(routerFlavour), generation };
