/**
 * The aggregator's model list as read at one moment, and its form as stored text. A bad entry is skipped and counted; a list that
 * cannot be read is returned as a reason, not thrown.
 */
import { z } from "zod";
import { boundBody } from "../stream/bounded-body.ts";
import type { PiecePrices, ResponseFormats, TokenPrices } from "./model.ts";
import { readCard, WirePricing } from "./router-prices.ts";

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
  // A price that a schema does not name would be lost when the list is stored, so the compiler demands each, also below.
} satisfies Record<keyof TokenPrices, z.ZodType>;
const piecePrices = {
  perRequest: z.int().nonnegative().exactOptional(),
  perImage: z.int().nonnegative().exactOptional(),
} satisfies Record<keyof PiecePrices, z.ZodType>;

const RouterModel = z.object({
  id: z.string().min(1).max(200),
  contextWindow: z.int().positive().exactOptional(),
  outputLimit: z.int().positive().exactOptional(),
  /** Unix seconds. */
  created: z.int().nonnegative().exactOptional(),
  formats: z.enum(["schema", "json", "none"]).exactOptional(),
  /** The model may think without showing it. */
  thinks: z.literal(true).exactOptional(),
  /** The model reads documents itself. */
  files: z.literal(true).exactOptional(),
  prices: z
    .object({
      ...tokenPrices,
      ...piecePrices,
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

/** Some servers say 1e30 for a window that they do not know; a stored list with such a number could not be read. */
const count = z.number().positive().max(Number.MAX_SAFE_INTEGER).nullish().catch(null);

/** One entry of `GET /models`: OpenRouter's, and the plain OpenAI form of Ollama, vLLM and llama.cpp. */
const WireModel = z.looseObject({
  id: z.string().min(1).max(200).regex(/^\S+$/),
  created: count,
  context_length: count,
  /** vLLM's name for the context window. */
  max_model_len: count,
  top_provider: z.looseObject({ max_completion_tokens: count }).nullish().catch(null),
  architecture: z
    .looseObject({
      input_modalities: z.array(z.string()).nullish().catch(null),
      output_modalities: z.array(z.string()).nullish(),
    })
    .nullish()
    .catch(null),
  supported_parameters: z.array(z.string()).nullish().catch(null),
  pricing: WirePricing.nullish(),
});
const WireList = z.looseObject({ data: z.array(z.unknown()) });

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
    ...(wire.supported_parameters && { formats: readFormats(wire.supported_parameters) }),
    ...(wire.supported_parameters?.includes("reasoning") && { thinks: true as const }),
    ...(wire.architecture?.input_modalities?.includes("file") && { files: true as const }),
    ...(prices && { prices }),
  };
}

/** openrouter.ai/docs/guides/features/structured-outputs (model support) */
function readFormats(parameters: readonly string[]): ResponseFormats {
  if (parameters.includes("structured_outputs")) return "schema";
  return parameters.includes("response_format") ? "json" : "none";
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

/** `GET {baseUrl}/models`. Never throws; a failure is reported as a reason and a status only. */
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
    return readRouterList(parseJson(await boundBody(response, maxListBytes).text()), readAtMs);
  } catch (error) {
    return { ok: false, reason: error instanceof RangeError ? "too-large" : "unreachable" };
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

/** A stored snapshot; undefined for text of an older form, or damaged text. */
export function decodeSnapshot(text: string): RouterSnapshot | undefined {
  return RouterSnapshot.safeParse(parseJson(text)).data;
}
