/**
 * GET /v1/models and /v1/models/{id}: the names a caller may use, loaded sizes first, and the details of one. A request with
 * `anthropic-version` gets Anthropic's shape, page by page; any other OpenAI's, whole and with an ETag.
 */
import { maxEmbedTokens } from "../../shared/embedding.ts";
import { GatewayError } from "../../shared/errors.ts";
import { ModelSize, sizes } from "../../shared/model-sizes.ts";
import { poolMarkup } from "../billing/price.ts";
import { publishPrices, publishSizePrice } from "../billing/published-prices.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { parseModelName, sizeList } from "../catalog/model-name.ts";
import { loadedFirst, modelEntry } from "../catalog/models-body.ts";
import { authenticate } from "../middleware/authenticate.ts";
import { compress } from "../middleware/compress.ts";
import { createHandlers, type EdgeContext } from "../middleware/context.ts";
import { listSupportedParameters } from "../providers/supported-parameters.ts";
import { describeForAnthropic, listForAnthropic } from "./anthropic-models.ts";

/** Whether the request uses Anthropic's dialect. */
export const speaksAnthropic = (headers: Headers): boolean => headers.has("anthropic-version");

/** The sizes asked for, in order. Throws invalid_request for one that does not exist. */
function readOrder(context: EdgeContext, loaded: readonly ModelSize[]): ModelSize[] {
  const asked = context.req.query("size");
  if (asked === undefined) return loadedFirst(loaded);
  const size = ModelSize.safeParse(asked);
  if (size.success) return [size.data];
  throw new GatewayError("invalid_request", `size must be one of ${sizeList}.`, { param: "size" });
}

/** One address has two shapes: a cache has to keep them apart. */
function allowCaching(context: EdgeContext): void {
  context.header("cache-control", "private, max-age=60");
  context.header("vary", "anthropic-version");
}

const list = createHandlers(authenticate, async (context) => {
  const { services } = context.var;
  const [catalog, { sizes: loaded }] = await Promise.all([services.catalog(), services.gpuWorkers.health()]);
  const order = readOrder(context, loaded);
  const page = speaksAnthropic(context.req.raw.headers)
    ? listForAnthropic(catalog.entries(order), context.req.query())
    : undefined;
  allowCaching(context);
  if (page !== undefined) return context.json(page);
  const { body, etag } = catalog.modelsBody(order);
  const known = context.req
    .header("if-none-match")
    ?.split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""));
  if (known?.includes(etag) || known?.includes("*")) return context.body(null, 304, { etag });
  // Compressed bytes are other bytes, so their tag is a weak one (RFC 9110, 8.8.1).
  const tag = compress(context) ? `W/${etag}` : etag;
  return context.body(body, 200, { etag: tag, "content-type": "application/json" });
});

/** Everything known of one name. Throws model_not_found. */
function describeModel(id: string, catalog: Catalog, loaded: readonly ModelSize[]) {
  const parsed = parseModelName(id);
  if (parsed.kind === "embedding") {
    const { size } = parsed;
    return {
      ...modelEntry(id, catalog.embeddingCreated),
      size,
      llm: null,
      loaded: loaded.includes(size),
      context_length: maxEmbedTokens,
      max_output_tokens: null,
      pricing: publishSizePrice(sizes[size]),
      supported_parameters: ["encoding_format"],
    };
  }
  const { size, llm } = catalog.resolveModel(id);
  return {
    ...modelEntry(id, llm.created),
    size,
    llm: llm.id,
    loaded: loaded.includes(size),
    context_length: llm.contextWindow,
    max_output_tokens: llm.outputLimit ?? null,
    pricing: publishPrices(sizes[size], llm, poolMarkup),
    supported_parameters: listSupportedParameters(llm),
  };
}

const retrieve = createHandlers(authenticate, async (context) => {
  const { services } = context.var;
  const [catalog, { sizes: loaded }] = await Promise.all([services.catalog(), services.gpuWorkers.health()]);
  const described = describeModel(context.req.param("id")!, catalog, loaded);
  allowCaching(context);
  return context.json(speaksAnthropic(context.req.raw.headers) ? describeForAnthropic(described) : described);
});

export const models = { list, retrieve };
