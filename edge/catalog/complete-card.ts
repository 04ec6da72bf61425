/**
 * Fills in prices that the aggregator's list leaves out, from the vendor's own price card: under any of the aggregator's ids it is the same
 * model, with the same bill.
 */
import type { PriceCard, TokenPrices } from "./model.ts";
import { chooseCard, nativePriceFile } from "./price-file.ts";
import { listRouterIds } from "./router-id.ts";

/** The vendors' own price cards, by every id under which the aggregator may list the model; the newest models last. */
export function listOwnCards(startedAtMs: number): ReadonlyMap<string, PriceCard> {
  const cards = new Map<string, PriceCard>();
  const models = nativePriceFile.models.toSorted((left, right) => left.created - right.created);
  for (const { id, provider, prices } of models) {
    const card = chooseCard(prices, startedAtMs);
    if (card === undefined) continue;
    for (const routerId of listRouterIds(id, provider)) cards.set(routerId, card);
  }
  return cards;
}

/**
 * The aggregator passes vendors' prices on, but its list often leaves out those of cache writes or long context. If input and
 * output prices agree, the vendor's card fills the gaps.
 */
export function completeCard(
  id: string,
  listed: PriceCard | undefined,
  ownCards: ReadonlyMap<string, PriceCard>,
): PriceCard | undefined {
  if (listed === undefined) return undefined;
  const own = id.startsWith(latestMark) ? findByPrices(id, listed, ownCards) : ownCards.get(id);
  return completeCaching(id, own && hasPricesOf(own, listed) ? { ...own, ...listed } : listed);
}

/** `~author/family-latest`: the newest model of a family (openrouter.ai/docs/guides/routing/routers/latest-resolution). */
const latestMark = "~";

const hasPricesOf = (own: PriceCard, { input, output }: PriceCard): boolean =>
  own.input === input && own.output === output;

/** The model that an alias stands for, which the list does not say: the author's newest model with the same prices. */
function findByPrices(
  id: string,
  listed: PriceCard,
  ownCards: ReadonlyMap<string, PriceCard>,
): PriceCard | undefined {
  const author = id.slice(latestMark.length, id.indexOf("/") + 1);
  return [...ownCards].findLast(([ownId, own]) => ownId.startsWith(author) && hasPricesOf(own, listed))?.[1];
}

/**
 * For Google's models the list's price of a cache write is the storage alone, and the input is billed on top ("Prompt caching"
 * of its documentation: "the input token cost plus 5 minutes of cache storage").
 */
function addInput<Prices extends TokenPrices>(prices: Prices): Prices {
  const { input, cacheWrite } = prices;
  return cacheWrite === undefined || cacheWrite >= input
    ? prices
    : { ...prices, cacheWrite: input + cacheWrite };
}

/**
 * Fills in the prices of caching, which any caller may ask for (`cache_control`): without those of writes a hold would cover only half of
 * what is billed, and without that of reads a caller would pay ten times as much. Anthropic, "Prompt caching": a write costs 1.25 times
 * the input's price, one that lasts an hour twice, a read a tenth.
 */
function completeCaching(id: string, card: PriceCard): PriceCard {
  if (/^~?google\//.test(id)) {
    const tiers = card.longContext?.map(({ prices, ...tier }) => ({ ...tier, prices: addInput(prices) }));
    return { ...addInput(card), ...(tiers && { longContext: tiers }) };
  }
  if (!/^~?anthropic\//.test(id)) return card;
  const cachingOf = ({ input }: TokenPrices) => ({
    cachedInput: Math.ceil(input / 10),
    cacheWrite: Math.ceil(input * 1.25),
    cacheWriteLong: input * 2,
  });
  const { longContext } = card;
  // A tier may have taken over the lower prices of shorter prompts.
  const tiers = longContext?.map(({ prices, ...tier }) => {
    const { cachedInput, cacheWrite, cacheWriteLong } = cachingOf(prices);
    const completed = {
      cachedInput: prices.cachedInput ?? cachedInput,
      cacheWrite: Math.max(prices.cacheWrite ?? 0, cacheWrite),
      cacheWriteLong: Math.max(prices.cacheWriteLong ?? 0, cacheWriteLong),
    };
    return { ...tier, prices: { ...prices, ...completed } };
  });
  const { cachedInput, cacheWrite, cacheWriteLong } = { ...cachingOf(card), ...card };
  return { ...card, cachedInput, cacheWrite, cacheWriteLong, ...(tiers && { longContext: tiers }) };
}
