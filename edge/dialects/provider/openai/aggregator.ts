/**
 * What only the aggregator has: its variant of OpenAI's format, marks of the prompt's cache, hosts to leave out, document engines, and a
 * record of each answer.
 */
import type { ChatRequest, ContentPart } from "../../../../shared/chat.ts";
import { type JsonObject, readList, readObject } from "../../json.ts";
import type { ProviderDialect, ProviderRequest, ProviderTarget } from "../dialect.ts";
import type { WireFlavour } from "./flavour.ts";
import { readUsage } from "./read-end.ts";

export const routerFlavour: WireFlavour = {
  takesChoices: false,
  outputLimit: "max_tokens",
  takesTopK: true,
  takesCustomTools: false,
  servesVendors: true,
  takesToolsWithReasoning: true,
  // github.com/ujisati/claude-code-provider-proxy/pull/11
  maxUserChars: 128,
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

/** Models that read marks of the prompt's cache. */
export const readsMarks = /claude/;

type Markable = Extract<ContentPart, { type: "text" | "image" | "file" | "tool-result" }>;

/** Whether the part, or one inside it, can have a mark: an empty text is not sent. */
function carriesMark(part: ContentPart): part is Markable {
  if (part.type === "tool-result") return part.content.some(carriesMark);
  return part.type === "text" ? part.text !== "" : part.type === "image" || part.type === "file";
}

/**
 * Puts Anthropic's automatic cache (`cache_control` beside the messages) as a mark on the last part of the caller's own. The aggregator would
 * put it on the last part of all. If that is the gateway's plan, no later request has it, and nothing is read from the cache. The request is
 * unchanged if it has no such field, or its model reads no marks.
 */
export function placeCacheMark(request: ChatRequest, model: string): ChatRequest {
  const { messages, added } = request;
  const { cache_control: mark, ...extra } = request.extra;
  if (mark == null || !readsMarks.test(model)) return request;
  const own = added?.place === "new-turn" ? messages.slice(0, -1) : messages;
  const at = own.findLastIndex(
    ({ role, parts }) => (role === "user" || role === "tool") && parts.some(carriesMark),
  );
  const turn = own[at];
  if (turn === undefined) return request;
  const ownParts = added?.place === "into" ? turn.parts.slice(0, -added.texts.length) : turn.parts;
  const last = ownParts.findLastIndex(carriesMark);
  const part = ownParts[last];
  if (part === undefined || !carriesMark(part)) return request;
  const marked = { ...part, providerData: { cache_control: mark, ...part.providerData } };
  return {
    ...request,
    extra,
    messages: messages.with(at, { ...turn, parts: turn.parts.with(last, marked) }),
  };
}

/** The request with the aggregator's own fields in its body, where the target asks for them. */
export function writeRouting(
  written: ProviderRequest,
  { avoidHosts, pdfEngine }: ProviderTarget,
): ProviderRequest {
  const { body } = written;
  return { ...written, body: { ...body, ...leaveOut(avoidHosts, body), ...nameEngine(pdfEngine, body) } };
}

/** The aggregator reports a host as "Amazon Bedrock" and expects it as "amazon-bedrock". */
const toSlug = (host: string): string =>
  host
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9./]+/g, "-");

/** The hosts that must not serve this call, in addition to those that the caller leaves out. */
function leaveOut(hosts: ProviderTarget["avoidHosts"] = [], { provider }: JsonObject) {
  if (hosts.length === 0) return {};
  const { ignore, ...routing } = readObject(provider) ?? {};
  return { provider: { ...routing, ignore: [...readList(ignore), ...hosts.map(toSlug)] } };
}

/**
 * The engine that reads the request's documents. If none is named, the aggregator has mistral-ocr read them for a model that cannot, at $2
 * per 1,000 pages beside the tokens. No hold of ours covers that, so on the operator's key the engine is always named
 * (openrouter.ai/docs/guides/overview/multimodal/pdfs).
 */
function nameEngine(engine: ProviderTarget["pdfEngine"], { messages }: JsonObject) {
  const hasDocument = () =>
    readList(messages).some((message) => readList(readObject(message)?.content).some(isDocument));
  return engine !== undefined && hasDocument() ? { plugins: [{ id: "file-parser", pdf: { engine } }] } : {};
}

/** A file, or an `image_url` whose data is not of an image type. */
function isDocument(part: unknown): boolean {
  const { type, image_url: image } = readObject(part) ?? {};
  const url = readObject(image)?.url;
  return type === "file" || (typeof url === "string" && /^data:(?!image\/)/i.test(url));
}

/** `GET /generation`: the aggregator's record of one answer (openrouter.ai/docs/api-reference/get-a-generation). */
export const generation: NonNullable<ProviderDialect["generation"]> = {
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
