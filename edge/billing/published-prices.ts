/**
 * A model's prices as its callers read them: credits per 1M tokens, the pool's markup included. Prices times what was
 * used, summed and rounded up to a micro-credit, are the charge of a request served by the pool.
 */
import { microPerCredit } from "../../shared/credits.ts";
import type { SizeEntry } from "../../shared/model-sizes.ts";
import type { CatalogModel, PiecePrices, PriceCard, TokenPrices } from "../catalog/model.ts";

/** Micro-dollars per 1M tokens -> credits per 1M tokens. A price and its quarter have eight decimals; ten cut nothing off. */
type Publish = (price: number) => number;

const publishWith =
  (markup: number): Publish =>
  (price) =>
    Number(((price * (1 + markup)) / microPerCredit).toFixed(10));

/** The published name of each price; the price of written pictures is charged without being published. */
const publishedNames = {
  input: "prompt",
  output: "completion",
  cachedInput: "cache_read",
  cacheWrite: "cache_write",
  cacheWriteLong: "cache_write_1h",
  audioInput: "input_audio",
  audioOutput: "output_audio",
  reasoningOutput: "internal_reasoning",
} as const satisfies Record<Exclude<keyof TokenPrices, "imageOutput">, string>;
export type PublishedPrice = (typeof publishedNames)[keyof typeof publishedNames];

/** These are in credits a piece, where the others are in credits per 1M tokens. */
const publishedPieces = {
  perRequest: "request",
  perImage: "image",
} as const satisfies Record<keyof PiecePrices, string>;
export type PublishedPiece = (typeof publishedPieces)[keyof PiecePrices];

type Prices = TokenPrices & PiecePrices;

/** Those of `names` that the card has. */
function writePrices(
  card: Prices,
  names: Readonly<Partial<Record<keyof Prices, string>>>,
  publish: Publish,
): Record<string, number> {
  return Object.fromEntries(
    (Object.entries(names) as [keyof Prices, string][]).flatMap(([price, name]) => {
      const value = card[price];
      return value === undefined ? [] : [[name, publish(value)]];
    }),
  );
}

function publishCard(card: PriceCard, publish: Publish) {
  const { longContext = [] } = card;
  return {
    ...writePrices(card, publishedNames, publish),
    ...writePrices(card, publishedPieces, publish),
    ...(longContext.length > 0 && {
      long_context: longContext.map(({ aboveInputTokens, prices }) => ({
        above_prompt_tokens: aboveInputTokens,
        ...writePrices(prices, publishedNames, publish),
      })),
    }),
  };
}

const publishSize = ({ priceMicroPerMillion: price }: SizeEntry, publish: Publish) => ({
  planning: price === undefined ? null : publish(price),
});

/**
 * A chat model on the pool. One that the pool does not serve runs on its caller's key: then only planning is charged,
 * without markup, and the prices of input and output are null.
 */
export function publishPrices(size: SizeEntry, model: CatalogModel, markup: number) {
  const card = model.routerPrices ?? model.prices;
  const isPooled = model.provider === "router" || model.routerId !== undefined;
  if (card === undefined || !isPooled)
    return { ...publishSize(size, publishWith(0)), prompt: null, completion: null };
  const publish = publishWith(markup);
  return { ...publishSize(size, publish), ...publishCard(card, publish) };
}

/** Planning and embedding alone have no markup. */
export const publishSizePrice = (size: SizeEntry) => publishSize(size, publishWith(0));
