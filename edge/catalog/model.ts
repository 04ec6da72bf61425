/** What the catalogue knows of one LLM: who serves it, its limits, and what it costs. */
import type { ProviderKind } from "../../shared/providers.ts";

/** Id of the offline responder's only listed model: a router that lists it answers for every other id too. */
export const offlineModelId = "svc/offline-responder";

/** Micro-dollars per one million tokens: an integer, so money stays exact. $3 per 1M is 3_000_000. */
export type MicroPerMillion = number;

export type TokenPrices = {
  input: MicroPerMillion;
  output: MicroPerMillion;
  /** Each falls back to `input` where the provider has no own price. */
  cachedInput?: MicroPerMillion;
  cacheWrite?: MicroPerMillion;
  cacheWriteLong?: MicroPerMillion;
  audioInput?: MicroPerMillion;
  /** Each falls back to `output`. */
  audioOutput?: MicroPerMillion;
  imageOutput?: MicroPerMillion;
  reasoningOutput?: MicroPerMillion;
};

export type PriceCard = TokenPrices & {
  /** Micro-dollars per request, beside the tokens. */
  perRequest?: number;
  /** Micro-dollars per picture of the prompt: held, and charged where the aggregator reports it as cost. */
  perImage?: number;
  /** Prices whose meaning nobody here knows: held for as if every token, and every request, had the dearest. */
  unknown?: { perToken: MicroPerMillion; perRequest: number };
  /** Prices of a whole request once its input passes a size, highest threshold last. */
  longContext?: { aboveInputTokens: number; prices: TokenPrices }[];
};

/** Answers that are held to a JSON Schema, to any JSON, or to nothing. */
export type ResponseFormats = "schema" | "json" | "none";

export type CatalogModel = {
  /** The LLM part of a model name: `gpt-4o`, or `vendor/model` for the aggregator's. */
  id: string;
  provider: ProviderKind;
  contextWindow: number;
  /** Most tokens one answer may hold, where known. */
  outputLimit?: number;
  /** Absent: nobody knows the price, or no hold can cover it (unbounded-models.ts), so the pool does not serve it. */
  prices?: PriceCard;
  /** The aggregator's id for the same model, where its list has one. */
  routerId?: string;
  /** What the aggregator charges for it, where that differs from `prices`. */
  routerPrices?: PriceCard;
  /** Which response formats it takes at the aggregator, where its list says so. */
  routerFormats?: ResponseFormats;
  /** The aggregator's list says that it may think: tokens that are billed and need not be shown. */
  routerThinks?: true;
  /** The aggregator's list says that it reads documents itself. */
  routerFiles?: true;
  created: number;
};
