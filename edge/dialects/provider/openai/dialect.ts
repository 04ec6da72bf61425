/**
 * The two providers that speak OpenAI's chat completions, OpenAI itself (alpha) and the aggregator (router), and the differences
 * of their wires. Also holds what only the aggregator has: document engines, and a record of each answer.
 */
import type { Effort } from "../../efforts.ts";
import { readList, readObject } from "../../json.ts";
import type { EncodedRequest, ProviderDialect, ProviderTarget } from "../dialect.ts";
import type { WireFlavour } from "./flavour.ts";
import { readUsage } from "./read-end.ts";
import {
  readErrorMessage,
  readFailedHost,
  readRetryDelay,
  readsAsFlagged,
  saysOutOfCredit,
  saysTooLong,
} from "./read-error.ts";
import { decodeReply } from "./read-reply.ts";
import { createChatStreamDecoder } from "./read-stream.ts";
import { encodeChatRequest, enforcesFormat } from "./write-request.ts";

/** OpenAI has no token budget for reasoning: returns an effort instead, by the budgets that OpenRouter gives to efforts. */
function nearestEffort(budgetTokens: number): Effort {
  if (budgetTokens < 1_024) return "minimal";
  if (budgetTokens < 4_096) return "low";
  return budgetTokens < 16_384 ? "medium" : "high";
}

/** Fields of OpenAI's API reference that have no place in the hub. */
const openaiFields: ReadonlySet<string> = new Set([
  "audio",
  "modalities",
  "moderation",
  "prediction",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "safety_identifier",
  "store",
  "verbosity",
  "web_search_options",
]);

const alphaFlavour: WireFlavour = {
  takesChoices: true,
  outputLimit: "max_completion_tokens",
  takesTopK: false,
  takesCustomTools: true,
  servesVendors: false,
  takesToolsWithReasoning: false,
  // github.com/maximhq/bifrost/pull/1000
  maxUserChars: 64,
  takesHosts: false,
  usage: {},
  writeReasoning(reasoning) {
    const budget = reasoning?.budgetTokens;
    return {
      reasoning_effort: reasoning?.effort ?? (budget === undefined ? undefined : nearestEffort(budget)),
    };
  },
  takesExtra: (name) => openaiFields.has(name),
  openaiModel: (model) => model,
  messages: {
    developerRole: true,
    reasoning: false,
    objectArguments: false,
    answerImages: false,
    partFields: new Set(["prompt_cache_breakpoint"]),
    fileUrls: false,
    fileIds: true,
    originalDetail: true,
    audioFormats: new Set(["wav", "mp3"]),
  },
};

const routerFlavour: WireFlavour = {
  takesChoices: false,
  outputLimit: "max_tokens",
  takesTopK: true,
  takesCustomTools: false,
  servesVendors: true,
  takesToolsWithReasoning: true,
  // github.com/ujisati/claude-code-provider-proxy/pull/11
  maxUserChars: 128,
  takesHosts: true,
  usage: { usage: { include: true } },
  writeReasoning(reasoning, extra) {
    const { effort, budgetTokens } = reasoning ?? {};
    // Only one of the two can be sent: the budget is more exact.
    const asked =
      budgetTokens !== undefined ? { max_tokens: budgetTokens } : effort !== undefined ? { effort } : {};
    const rest = typeof extra.reasoning === "object" ? extra.reasoning : {};
    const fields = { ...rest, ...asked };
    return Object.keys(fields).length === 0 ? {} : { reasoning: fields };
  },
  // OpenRouter ignores what a model does not take; local servers have fields of their own. `reasoning` is written above. `usage`
  // and `stream_options` are set by us, since billing depends on them.
  takesExtra: (name) => !/^(reasoning(_effort)?|(usage|stream_options|response_format)(\..*)?)$/.test(name),
  openaiModel: (model) => (model.startsWith("openai/") ? model.slice("openai/".length) : undefined),
  messages: {
    developerRole: false,
    reasoning: true,
    objectArguments: true,
    answerImages: true,
    partFields: new Set(["cache_control", "prompt_cache_breakpoint"]),
    fileUrls: true,
    fileIds: false,
    originalDetail: false,
    audioFormats: undefined,
  },
};

const createDialect = (flavour: WireFlavour): ProviderDialect => ({
  name: "openai",
  takesChoices: flavour.takesChoices,
  // API reference, tools.function.name
  toolNames: { fits: /^[\w-]{1,64}$/, maxChars: 64, first: /^[\w-]/ },
  encodeRequest: (request, target) => namePdfEngine(encodeChatRequest(request, target, flavour), target),
  enforcesFormat: (request, target) => enforcesFormat(request, target, flavour),
  createStreamDecoder: createChatStreamDecoder,
  decodeReply,
  readErrorMessage,
  readFailedHost,
  readsAsFlagged,
  saysOutOfCredit,
  saysTooLong,
});

/**
 * Names the engine that reads the request's documents, if the target has one and there is a document. Otherwise the aggregator
 * has mistral-ocr read them for a model that cannot, at $2 per 1,000 pages beside the tokens. No hold of ours covers that, so on
 * the operator's key the engine is always named (openrouter.ai/docs/guides/overview/multimodal/pdfs).
 */
function namePdfEngine(encoded: EncodedRequest, { pdfEngine }: ProviderTarget): EncodedRequest {
  if (pdfEngine === undefined) return encoded;
  const messages = readList(encoded.body.messages);
  if (!messages.some((message) => readList(readObject(message)?.content).some(isDocument))) return encoded;
  const plugins = [{ id: "file-parser", pdf: { engine: pdfEngine } }];
  return { ...encoded, body: { ...encoded.body, plugins } };
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
export const routerDialect: ProviderDialect = { ...createDialect(routerFlavour), generation, readRetryDelay };
