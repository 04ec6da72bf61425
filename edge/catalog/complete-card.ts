/**
 * What the aggregator's list leaves out of a model's prices. It is filled in for every name the model goes by: under the
 * aggregator's own id it is the same model, with the same bill.
 */
import type { PriceCard, TokenPrices } from "./model.ts";
import { chooseCard, nativePriceFile } from "./price-file.ts";
import { listRouterIds } from "./router-id.ts";

/** The vendors' own cards, by every id under which the aggregator may list the model. */
export function listOwnCards(startedAtMs: number): ReadonlyMap<string, PriceCard> {
  const cards = new Map<string, PriceCard>();
  for (const { id, provider, prices } of nativePriceFile.models) {
    const card = chooseCard(prices, startedAtMs);
    if (card === undefined) continue;
    for (const routerId of listRouterIds(id, provider)) cards.set(routerId, card);
  }
  return cards;
}

/**
 * The aggregator passes vendors' prices on, but its list often leaves out those of cache writes or long
 * context: where input and output agree, the vendor's card fills the gaps.
 */
export function completeCard(
  id: string,
  listed: PriceCard | undefined,
  ownCards: ReadonlyMap<string, PriceCard>,
): PriceCard | undefined {
  if (listed === undefined) return undefined;
  const own = ownCards.get(id);
  const isSame = own?.input === listed.input && own.output === listed.output;
  return completeWrites(id, isSame ? { ...own, ...listed } : listed);
}

/**
 * Anthropic, "Prompt caching": a write is 1.25 times the input's price, one that lasts an hour twice. Any caller may ask for either
 * (`cache_control`), so a card without them would hold for half of what is billed.
 */
function completeWrites(id: string, card: PriceCard): PriceCard {
  if (!id.startsWith("anthropic/")) return card;
  const writesOf = ({ input }: TokenPrices) => ({
    cacheWrite: Math.ceil(input * 1.25),
    cacheWriteLong: input * 2,
  });
  const { longContext } = card;
  // A tier may have inherited the lower prices of shorter prompts.
  const tiers = longContext?.map(({ prices, ...tier }) => {
    const { cacheWrite, cacheWriteLong } = writesOf(prices);
    const dearer = {
      cacheWrite: Math.max(prices.cacheWrite ?? 0, cacheWrite),
      cacheWriteLong: Math.max(prices.cacheWriteLong ?? 0, cacheWriteLong),
    };
    return { ...tier, prices: { ...prices, ...dearer } };
  });
  const { cacheWrite, cacheWriteLong } = { ...writesOf(card), ...card };
  return { ...card, cacheWrite, cacheWriteLong, ...(tiers && { longContext: tiers }) };
}
