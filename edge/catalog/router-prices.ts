/** Reads the prices of the aggregator's list into a price card: every field of known meaning, and the dearest of the others. */
import { z } from "zod";
import { priceScale, readDecimalPrice } from "./decimal-price.ts";
import type { PiecePrices, PriceCard, TokenPrices } from "./model.ts";

const decimal = z.union([z.string(), z.number()]).nullish();
const pieceNames = {
  perRequest: "request",
  perImage: "image",
} as const satisfies Record<keyof PiecePrices, string>;
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
/** `min_prompt_tokens`: null for a band that depends on something else, such as the hour. */
const WireBand = z.looseObject({
  ...wirePrices,
  min_prompt_tokens: z.coerce.number().positive().max(Number.MAX_SAFE_INTEGER).nullable().catch(null),
});
export const WirePricing = z.looseObject({
  ...wirePrices,
  request: decimal,
  image: decimal,
  /** Other rates from `min_prompt_tokens` input tokens on, that number included. */
  overrides: z.array(WireBand.nullable().catch(null)).nullish().catch(null),
});
type WireTokenPrices = Pick<z.infer<typeof WireBand>, keyof typeof wirePrices>;

/** The aggregator's name of each price. */
const wireNames: Readonly<Record<keyof TokenPrices, keyof typeof wirePrices>> = {
  input: "prompt",
  output: "completion",
  cachedInput: "input_cache_read",
  cacheWrite: "input_cache_write",
  cacheWriteLong: "input_cache_write_1h",
  reasoningOutput: "internal_reasoning",
  audioInput: "audio",
  audioOutput: "audio_output",
  imageOutput: "image_output",
};
const priceNames = Object.keys(wireNames) as (keyof TokenPrices)[];
/** Zero means "free" only here. For every other price it means "not priced apart" in the aggregator's list. */
const mayBeFree: ReadonlySet<keyof TokenPrices> = new Set(["input", "output"]);
/**
 * Fields that need no place on the card: read above, bought only with request fields that the pool does not send, or a cheaper
 * part of another price. `web_search`: models that search without being asked are not sold on the pool (unbounded-models.ts).
 */
const understood: ReadonlySet<string> = new Set([
  ...Object.values(wireNames),
  ...Object.values(pieceNames),
  "overrides",
  "web_search",
  "discount",
  "input_audio_cache",
]);
/** Dollars. No token costs a tenth of a cent, so a higher price is that of something larger. */
const dearestToken = 0.001;

/** The dearest of the prices whose names we do not know. */
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
  for (const name of priceNames) {
    const value = wire[wireNames[name]];
    const price = value == null ? undefined : readDecimalPrice(value, priceScale.usdPerToken);
    if (price !== undefined && (price > 0 || mayBeFree.has(name))) card[name] = price;
  }
  const { input, output } = card;
  return input === undefined || output === undefined ? undefined : { ...card, input, output };
}

const listDearer = (prices: TokenPrices, base: TokenPrices): number[] =>
  priceNames.map((name) => prices[name] ?? 0).filter((price, at) => price > (base[priceNames[at]!] ?? 0));

function readPiecePrices(wire: z.infer<typeof WirePricing>): PiecePrices {
  const prices: PiecePrices = {};
  for (const piece of Object.keys(pieceNames) as (keyof PiecePrices)[]) {
    const value = wire[pieceNames[piece]];
    const price = value == null ? undefined : readDecimalPrice(value, priceScale.usdPerRequest);
    if (price !== undefined && price > 0) prices[piece] = price;
  }
  return prices;
}

/** A price card; undefined if the aggregator gives no usable price ("-1" means that it varies). */
export function readCard(wire: z.infer<typeof WirePricing> | null | undefined): PriceCard | undefined {
  const base = wire ? readTokenPrices(wire) : undefined;
  if (!wire || !base) return undefined;
  const unknown = readUnknown(wire);
  const longContext: NonNullable<PriceCard["longContext"]> = [];
  for (const band of wire.overrides ?? []) {
    const prices = band && readTokenPrices(band, base);
    if (!prices) continue;
    const from = band.min_prompt_tokens;
    if (from !== null) longContext.push({ aboveInputTokens: Math.ceil(from) - 1, prices });
    // Whether it applies is only told by the cost that the aggregator reports, so the hold has to cover it.
    else unknown.perToken = Math.max(unknown.perToken, ...listDearer(prices, base));
  }
  longContext.sort((left, right) => left.aboveInputTokens - right.aboveInputTokens);
  return {
    ...base,
    ...readPiecePrices(wire),
    ...(unknown.perToken + unknown.perRequest > 0 && { unknown }),
    ...(longContext.length > 0 && { longContext }),
  };
}
