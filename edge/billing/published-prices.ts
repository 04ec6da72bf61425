/**
 * A model's prices as its callers read them: credits per 1M tokens, the pool's markup included. Prices times what was
 * used, summed and rounded up to a micro-credit, are the charge of a request served by the pool.
 */
import type { CatalogModel, PriceCard, TokenPrices } from "../catalog/model.ts";
import type { SizeEntry } from "../catalog/sizes.ts";

/** Micro-dollars per 1M tokens -> credits per 1M tokens. Ten decimals: a whole price and a quarter of it need eight. */
type Publish = (price: number) => number;

const publishWith =
  (markup: number): Publish =>
  (price) =>
    Number(((price * (1 + markup)) / 1_000_000).toFixed(10));

function publishTokens(prices: TokenPrices, publish: Publish) {
  const optional = {
    cache_read: prices.cachedInput,
    cache_write: prices.cacheWrite,
    cache_write_1h: prices.cacheWriteLong,
    input_audio: prices.audioInput,
    output_audio: prices.audioOutput,
    internal_reasoning: prices.reasoningOutput,
  };
  const known = Object.entries(optional).filter(([, price]) => price !== undefined);
  return {
    prompt: publish(prices.input),
    completion: publish(prices.output),
    ...Object.fromEntries(known.map(([name, price]) => [name, publish(price!)])),
  };
}

function publishCard(card: PriceCard, publish: Publish) {
  const { perRequest, perImage, longContext = [] } = card;
  return {
    ...publishTokens(card, publish),
    // Per request and per picture and not per token, so in credits.
    ...(perRequest !== undefined && { request: publish(perRequest) }),
    ...(perImage !== undefined && { image: publish(perImage) }),
    ...(longContext.length > 0 && {
      long_context: longContext.map(({ aboveInputTokens, prices }) => ({
        above_prompt_tokens: aboveInputTokens,
        ...publishTokens(prices, publish),
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
