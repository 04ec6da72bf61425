/** Converts the price package's records into price cards: integers, tiers by threshold, dated changes. */
import type { ConditionalPrice } from "@pydantic/genai-prices";
import { priceScale, readDecimalPrice } from "../../edge/catalog/decimal-price.ts";
import type { PriceCard, TokenPrices } from "../../edge/catalog/model.ts";
import type { DatedPrices } from "../../edge/catalog/price-file.ts";
import type { PackagePrices } from "./native-list.ts";

/** The package's name of each price. Its prices of searches, images and hours are not per token, and have no place on a card. */
const packageNames: Readonly<Record<keyof TokenPrices, string>> = {
  input: "input_mtok",
  output: "output_mtok",
  cachedInput: "cache_read_mtok",
  cacheWrite: "cache_write_mtok",
  cacheWriteLong: "cache_write_1h_mtok",
  audioInput: "input_audio_mtok",
  audioOutput: "output_audio_mtok",
  imageOutput: "output_image_mtok",
  reasoningOutput: "output_reasoning_mtok",
};

/** A package price: flat, or a base with tiers that each begin above `start` input tokens. */
function priceAt(price: PackagePrices[string], inputTokens: number): number | undefined {
  if (typeof price !== "object") return price;
  return price.tiers.reduce((chosen, tier) => (inputTokens > tier.start ? tier.price : chosen), price.base);
}

function readTokenPrices(prices: PackagePrices, inputTokens: number): TokenPrices | undefined {
  const entries = Object.entries(packageNames).flatMap(([ours, theirs]) => {
    const price = priceAt(prices[theirs], inputTokens);
    const micro = price === undefined ? undefined : readDecimalPrice(price, priceScale.usdPerMillion);
    return micro === undefined ? [] : [[ours, micro] as const];
  });
  const card: Partial<TokenPrices> = Object.fromEntries(entries);
  const { input, output } = card;
  return input === undefined || output === undefined ? undefined : { ...card, input, output };
}

/** A card of the package's prices; undefined unless it prices both input and output. */
function readPackageCard(prices: PackagePrices): PriceCard | undefined {
  const base = readTokenPrices(prices, 0);
  if (!base) return undefined;
  const starts = Object.values(prices).flatMap((price) =>
    typeof price === "object" ? price.tiers.map((tier) => tier.start) : [],
  );
  const longContext = [...new Set(starts)]
    .sort((left, right) => left - right)
    .flatMap((start) => {
      const tier = readTokenPrices(prices, start + 1);
      return tier ? [{ aboveInputTokens: start, prices: tier }] : [];
    });
  return longContext.length === 0 ? base : { ...base, longContext };
}

/** Prices with their first days, oldest first. Of those already in force on `today` (YYYY-MM-DD) only the last is kept. */
export function readPackagePrices(prices: PackagePrices | ConditionalPrice[], today: string): DatedPrices[] {
  const conditional = Array.isArray(prices) ? prices : [{ prices }];
  const dated = conditional.flatMap(({ constraint, prices: of }): DatedPrices[] => {
    if (constraint?.type === "time_of_date") return [];
    const card = readPackageCard(of);
    return card ? [{ ...(constraint && { from: constraint.start_date }), card }] : [];
  });
  const current = dated.filter(({ from }) => from === undefined || from <= today).at(-1);
  const later = dated.filter(({ from }) => from !== undefined && from > today);
  return [...(current ? [{ card: current.card }] : []), ...later];
}
