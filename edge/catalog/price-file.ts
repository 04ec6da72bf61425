/**
 * Reads the committed price files (native-models.json, router-models.json). The prices of a row may carry the day on which they
 * begin, so a known change takes effect without a new release. The files are written by `node scripts/generate-catalog.ts`; never
 * edit them by hand.
 */
import type { ProviderKind } from "../../shared/providers.ts";
import type { PriceCard } from "./model.ts";
import nativeFile from "./native-models.json" with { type: "json" };
import routerFile from "./router-models.json" with { type: "json" };

/** Prices from a day on (YYYY-MM-DD, UTC); without `from` they always applied. Oldest first. */
export type DatedPrices = { from?: string; card: PriceCard };

export type NativeRow = {
  id: string;
  provider: Exclude<ProviderKind, "router">;
  contextWindow: number;
  outputLimit: number;
  /** Unix seconds. */
  created: number;
  prices: DatedPrices[];
};

export type RouterRow = { id: string; contextWindow?: number; prices?: DatedPrices[] };

export type PriceFile<Row> = {
  /** Day on which the file was generated; also the `created` of rows whose release day is not recorded. */
  generated: string;
  /** The package the prices come from. */
  source: string;
  models: Row[];
};

export const nativePriceFile = nativeFile as PriceFile<NativeRow>;
export const routerPriceFile = routerFile as PriceFile<RouterRow>;

/** The prices at a moment (Unix milliseconds); undefined if none has begun. */
export function chooseCard(prices: readonly DatedPrices[] | undefined, atMs: number): PriceCard | undefined {
  return prices?.findLast(({ from }) => from === undefined || Date.parse(from) <= atMs)?.card;
}
