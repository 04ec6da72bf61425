/**
 * The aggregator's model list as read at one moment, and its form as text for whoever keeps it. One bad
 * entry is skipped and counted; a list that cannot be read at all is a value with a reason, not an exception.
 */
import { z } from "zod";
import { priceScale, readDecimalPrice } from "./decimal-price.ts";
import type { PriceCard, TokenPrices } from "./model.ts";
import { readText } from "./read-text.ts";

const tokenPrices = {
  input: z.int().nonnegative(),
  output: z.int().nonnegative(),
  cachedInput: z.int().nonnegative().exactOptional(),
  cacheWrite: z.int().nonnegative().exactOptional(),
  cacheWriteLong: z.int().nonnegative().exactOptional(),
  audioInput: z.int().nonnegative().exactOptional(),
  audioOutput: z.int().nonnegative().exactOptional(),
  imageOutput: z.int().nonnegative().exactOptional(),
  reasoningOutput: z.int().nonnegative().exactOptional(),
};

const RouterModel = z.object({
  id: z.string().min(1).max(200),
  contextWindow: z.int().positive().exactOptional(),
  outputLimit: z.int().positive().exactOptional(),
  /** Unix seconds. */
  created: z.int().nonnegative().exactOptional(),
  prices: z
    .object({
      ...tokenPrices,
      perRequest: z.int().nonnegative().exactOptional(),
      perImage: z.int().nonnegative().exactOptional(),
      unknown: z
        .object({ perToken: z.int().nonnegative(), perRequest: z.int().nonnegative() })
        .exactOptional(),
      longContext: z
        .array(z.object({ aboveInputTokens: z.int().nonnegative(), prices: z.object(tokenPrices) }))
        .exactOptional(),
    })
    .exactOptional(),
});
type RouterModel = z.infer<typeof RouterModel>;

export const RouterSnapshot = z.object({
  version: z.literal(1),
  /** Unix milliseconds. */
  readAtMs: z.int().nonnegative(),
  models: z.array(RouterModel).min(1),
  /** Entries of the list that could not be read. */
  skipped: z.int().nonnegative(),
});
export type RouterSnapshot = z.infer<typeof RouterSnapshot>;

const decimal = z.union([z.string(), z.number()]).nullish();
const wirePrices = {
  prompt: decimal,
  completion: decimal,
  input_cache_read: decimal,
  input_cache_write: decimal,
  input_cache_write_1h: decimal,
  internal_reasoning: decimal,
  audio: decimal,
  audio_output: decimal,
  image_output: decimal,
};
const WireBand = z.looseObject({ ...wirePrices, min_prompt_tokens: z.int().positive().nullish() });
const WirePricing = z.looseObject({
  ...wirePrices,
  request: decimal,
  /** Of a picture in the prompt, where its tokens are not the whole of it. */
  image: decimal,
  /** Other rates from `min_prompt_tokens` input tokens on, that number included. */
  overrides: z.array(WireBand).nullish().catch(null),
});
type WireTokenPrices = z.infer<typeof WireBand>;

/** One entry of `GET /models`: OpenRouter's, and the plain OpenAI form of Ollama, vLLM and llama.cpp. */
const WireModel = z.looseObject({
  id: z.string().min(1).max(200).regex(/^\S+$/),
  created: z.number().nonnegative().nullish().catch(null),
  context_length: z.number().positive().nullish().catch(null),
  /** vLLM's name for it. */
  max_model_len: z.number().positive().nullish().catch(null),
  top_provider: z
    .looseObject({ max_completion_tokens: z.number().positive().nullish() })
    .nullish()
    .catch(null),
  architecture: z
    .looseObject({ output_modalities: z.array(z.string()).nullish() })
    .nullish()
    .catch(null),
  pricing: WirePricing.nullish(),
});
const WireList = z.looseObject({ data: z.array(z.unknown()) });

const wireFields: readonly [keyof typeof wirePrices, keyof TokenPrices][] = [
  ["prompt", "input"],
  ["completion", "output"],
  ["input_cache_read", "cachedInput"],
  ["input_cache_write", "cacheWrite"],
  ["input_cache_write_1h", "cacheWriteLong"],
  ["internal_reasoning", "reasoningOutput"],
  ["audio", "audioInput"],
  ["audio_output", "audioOutput"],
  ["image_output", "imageOutput"],
];
/** Zero here means "not priced apart" in the aggregator's list, not "free". */
const zeroMeansAbsent: ReadonlySet<keyof TokenPrices> = new Set([
  "cachedInput",
  "cacheWrite",
  "cacheWriteLong",
  "reasoningOutput",
  "audioInput",
  "audioOutput",
  "imageOutput",
]);
/** Named by us, or bought only with fields that the pool does not send, or a part of one above at a lower price. */
const understood: ReadonlySet<string> = new Set([
  ...wireFields.map(([theirs]) => theirs),
  "request",
  "image",
  "overrides",
  "web_search",
  "discount",
  "input_audio_cache",
]);
/** Dollars: nobody's token costs a tenth of a cent, so a price above it is of something larger. */
const dearestToken = 0.001;

/** The dearest of the prices whose names are new to us. */
function readUnknown(wire: Readonly<Record<string, unknown>>): NonNullable<PriceCard["unknown"]> {
  const unknown = { perToken: 0, perRequest: 0 };
  for (const [name, value] of Object.entries(wire)) {
    const isPrice = typeof value === "string" || typeof value === "number";
    if (understood.has(name) || !isPrice || !(Number(value) > 0)) continue;
    const [unit, scale] =
      Number(value) < dearestToken
        ? (["perToken", priceScale.usdPerToken] as const)
        : (["perRequest", priceScale.usdPerRequest] as const);
    unknown[unit] = Math.max(unknown[unit], readDecimalPrice(value, scale) ?? 0);
  }
  return unknown;
}

function readTokenPrices(wire: WireTokenPrices, fallback?: TokenPrices): TokenPrices | undefined {
  const card: Partial<TokenPrices> = { ...fallback };
  for (const [theirs, ours] of wireFields) {
    const value = wire[theirs];
    const price = value == null ? undefined : readDecimalPrice(value, priceScale.usdPerToken);
    if (price !== undefined && !(price === 0 && zeroMeansAbsent.has(ours))) card[ours] = price;
  }
  const { input, output } = card;
  return input === undefined || output === undefined ? undefined : { ...card, input, output };
}

/** A card, or undefined where the aggregator gives no usable price ("-1" is its word for "varies"). */
function readCard(wire: z.infer<typeof WirePricing> | null | undefined): PriceCard | undefined {
  const base = wire ? readTokenPrices(wire) : undefined;
  if (!wire || !base) return undefined;
  const readUnit = (value: typeof wire.request) =>
    value == null ? 0 : (readDecimalPrice(value, priceScale.usdPerRequest) ?? 0);
  const perRequest = readUnit(wire.request);
  const perImage = readUnit(wire.image);
  const unknown = readUnknown(wire);
  const longContext = (wire.overrides ?? [])
    .flatMap((band) => {
      const prices = readTokenPrices(band, base);
      return prices && band.min_prompt_tokens
        ? [{ aboveInputTokens: band.min_prompt_tokens - 1, prices }]
        : [];
    })
    .sort((left, right) => left.aboveInputTokens - right.aboveInputTokens);
  return {
    ...base,
    ...(perRequest > 0 && { perRequest }),
    ...(perImage > 0 && { perImage }),
    ...(unknown.perToken + unknown.perRequest > 0 && { unknown }),
    ...(longContext.length > 0 && { longContext }),
  };
}

function readModel(entry: unknown): RouterModel | "skipped" | "not-chat" {
  const parsed = WireModel.safeParse(entry);
  if (!parsed.success) return "skipped";
  const wire = parsed.data;
  const modalities = wire.architecture?.output_modalities;
  if (modalities && !modalities.includes("text")) return "not-chat";
  const contextWindow = wire.context_length ?? wire.max_model_len;
  const outputLimit = wire.top_provider?.max_completion_tokens;
  const prices = readCard(wire.pricing);
  return {
    id: wire.id,
    ...(contextWindow && { contextWindow: Math.ceil(contextWindow) }),
    ...(outputLimit && { outputLimit: Math.ceil(outputLimit) }),
    ...(wire.created && { created: Math.floor(wire.created) }),
    ...(prices && { prices }),
  };
}

export type ReadRouterResult =
  | { ok: true; snapshot: RouterSnapshot }
  | {
      ok: false;
      reason: "unreachable" | "refused" | "too-large" | "not-a-list" | "no-models";
      status?: number;
    };

/** Reads a list body already parsed as JSON. */
export function readRouterList(body: unknown, readAtMs: number): ReadRouterResult {
  const list = WireList.safeParse(body);
  if (!list.success) return { ok: false, reason: "not-a-list" };
  const byId = new Map<string, RouterModel>();
  let skipped = 0;
  for (const entry of list.data.data) {
    const model = readModel(entry);
    if (model === "skipped") skipped += 1;
    else if (model !== "not-chat") byId.set(model.id, model);
  }
  if (byId.size === 0) return { ok: false, reason: "no-models" };
  return { ok: true, snapshot: { version: 1, readAtMs, models: [...byId.values()], skipped } };
}

export type ReadRouterOptions = {
  fetch: typeof fetch;
  baseUrl: string;
  apiKey?: string | undefined;
  signal: AbortSignal;
  readAtMs: number;
};

const maxListBytes = 16 * 1024 * 1024;

/** `GET {baseUrl}/models`. Never throws, and never reports more than a reason and a status. */
export async function readAggregatorModels(options: ReadRouterOptions): Promise<ReadRouterResult> {
  const { baseUrl, apiKey, signal, readAtMs, fetch } = options;
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/models`, {
      headers: { accept: "application/json", ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
      // A redirect would carry the key to another host.
      redirect: "manual",
      signal,
    });
    if (!response.ok) {
      await response.body?.cancel();
      return { ok: false, reason: "refused", status: response.status };
    }
    const text = await readText(response, maxListBytes);
    if (text === undefined) return { ok: false, reason: "too-large" };
    return readRouterList(parseJson(text), readAtMs);
  } catch {
    return { ok: false, reason: "unreachable" };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The snapshot as text to store. */
export function encodeSnapshot(snapshot: RouterSnapshot): string {
  return JSON.stringify(snapshot);
}

/** A stored snapshot; undefined where the text is not one (an older form, or damaged). */
export function decodeSnapshot(text: string): RouterSnapshot | undefined {
  return RouterSnapshot.safeParse(parseJson(text)).data;
}
