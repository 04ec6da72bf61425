/** What the catalogue knows of one LLM: who serves it, its limits, and what it costs. */
import type { ProviderKind } from "../../shared/providers.ts";

/** Id of the offline responder's only listed model: a router that lists it answers for every other id too. */
export const offlineModelId = "svc/offline-responder";

/** Micro-dollars per one million tokens: an integer, so money stays exact. $3 per 1M is 3_000_000. */
export type MicroPerMillion = number;

export type TokenPrices = {
  input: MicroPerMillion;
  output: MicroPerMillion;
  /** Each falls back to `input` if the provider has no own price for it. */
  cachedInput?: MicroPerMillion;
  cacheWrite?: MicroPerMillion;
  cacheWriteLong?: MicroPerMillion;
  audioInput?: MicroPerMillion;
  /** Each falls back to `output`. */
  audioOutput?: MicroPerMillion;
  imageOutput?: MicroPerMillion;
  reasoningOutput?: MicroPerMillion;
};

/** Micro-dollars a piece, in addition to the tokens. */
export type PiecePrices = {
  perRequest?: number;
  /** Per picture of the prompt. */
  perImage?: number;
};

export type PriceCard = TokenPrices &
  PiecePrices & {
    /** Prices of unknown meaning: the hold assumes that every token, and every request, costs the dearest of them. */
    unknown?: { perToken: MicroPerMillion; perRequest: number };
    /** Prices of a whole request whose input is above a size, highest threshold last. */
    longContext?: { aboveInputTokens: number; prices: TokenPrices }[];
  };

/** What the provider enforces on answers: a JSON Schema, any JSON, or nothing. */
export type ResponseFormats = "schema" | "json" | "none";

/** What the aggregator's list says that a model takes and does there. */
export type RouterFacts = {
  formats?: ResponseFormats;
  /** It may think: those tokens are billed and need not be shown. */
  thinks?: true;
  /** It reads documents itself. */
  files?: true;
};

export type CatalogModel = {
  /** The LLM part of a model name: `gpt-4o`, or `vendor/model` for the aggregator's. */
  id: string;
  provider: ProviderKind;
  /** Tokens, as callers are told. */
  contextWindow: number;
  /** Most tokens that the aggregator may take, if that is more: its window for the model is another, or unknown. */
  routerWindow?: number;
  /** Most tokens of one answer, if known. */
  outputLimit?: number;
  /** Absent if the price is unknown, or no hold can cover it (unbounded-models.ts): then the pool does not serve the model. */
  prices?: PriceCard;
  /** The aggregator's id for the same model, if its list has one. */
  routerId?: string;
  /** The aggregator's prices for it, if they differ from `prices`. */
  routerPrices?: PriceCard;
  routerFacts?: RouterFacts;
  /** Unix seconds. */
  created: number;
};
