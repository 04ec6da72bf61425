/**
 * Which provider serves a model, with whose key, at what price: decided from data, nothing called. The
 * order is the interface's: inline key, vault key, pool; own provider before the aggregator.
 */
import { GatewayError } from "../../shared/errors.ts";
import { inlineKeyHeaders, type ProviderKind } from "../../shared/providers.ts";
import type { CatalogModel, PriceCard, ResponseFormats } from "../catalog/model.ts";
import type { StoredKey } from "../db/provider-keys.ts";
import { present } from "../dialects/json.ts";
import type { PdfEngine, ProviderTarget } from "../dialects/provider/dialect.ts";
import type { Pool } from "../env.ts";
import { type ProviderKeys, providers } from "./registry.ts";

export type Route = {
  provider: ProviderKind;
  /** The model id in that provider's naming. */
  model: string;
  key: string | undefined;
  keySource: "user" | "pool";
  /** What the pool pays; absent on a caller's key, where the provider bills the caller. */
  prices: PriceCard | undefined;
  contextWindow: number;
  outputLimit: number | undefined;
  /** What an aggregator says of the model. */
  formats?: ResponseFormats;
  /** What an aggregator says of the model: it may think without showing what. */
  thinks?: true;
  /** On the pool: by what the aggregator reads documents. */
  pdfEngine?: PdfEngine;
  /** Hosts of an aggregator that are not to serve this call: one of them has just failed. */
  avoidHosts?: readonly string[];
};

/** What the provider's dialect needs to know of it. */
export const describeTarget = (
  { model, outputLimit, formats, avoidHosts, pdfEngine }: Route,
  maxOutputTokens?: number,
): ProviderTarget => ({
  model,
  ...present({ maxOutputTokens, outputLimit, formats, avoidHosts, pdfEngine }),
});

export type KeySources = { inline: ProviderKeys; vault: readonly StoredKey[]; pool: Pool };

/** A route whose key, if it is a stored one, is still sealed. */
export type ChosenRoute = Omit<Route, "key"> & { key: string | StoredKey | undefined };

type KeyedProvider = Pick<ChosenRoute, "provider" | "key" | "keySource">;

/** In the order in which they are taken. */
function* listKeyed(model: CatalogModel, { inline, vault, pool }: KeySources): Generator<KeyedProvider> {
  const stored: Partial<Record<ProviderKind, StoredKey>> = Object.fromEntries(
    vault.map((key) => [key.provider, key]),
  );
  for (const keys of [inline, stored]) {
    const own = keys[model.provider];
    if (own !== undefined) yield { provider: model.provider, key: own, keySource: "user" };
    if (keys.router !== undefined && model.provider !== "router") {
      yield { provider: "router", key: keys.router, keySource: "user" };
    }
  }
  if (pool.on) yield { provider: "router", key: pool.key, keySource: "pool" };
}

/** Throws missing_provider_key (401) when no key serves the model; the message names the header to send. */
export function resolveRoute(model: CatalogModel, sources: KeySources): ChosenRoute {
  for (const keyed of listKeyed(model, sources)) {
    const id = keyed.provider === model.provider ? model.id : model.routerId;
    const prices = keyed.provider === "router" ? (model.routerPrices ?? model.prices) : model.prices;
    const pooled = keyed.keySource === "pool";
    if (id === undefined || (pooled && prices === undefined)) continue;
    return {
      ...keyed,
      model: id,
      prices: pooled ? prices : undefined,
      contextWindow: model.contextWindow,
      outputLimit: model.outputLimit,
      ...(keyed.provider === "router" && model.routerFormats && { formats: model.routerFormats }),
      ...(keyed.provider === "router" && model.routerThinks && { thinks: model.routerThinks }),
      ...(pooled && { pdfEngine: model.routerFiles ? ("native" as const) : ("cloudflare-ai" as const) }),
    };
  }
  const pool = sources.pool.on ? "the pool does not support this model" : "the pool is off";
  throw new GatewayError(
    "missing_provider_key",
    `No provider key for ${model.id}: send your key for ${providers[model.provider].title} in the header ` +
      `${inlineKeyHeaders[model.provider]} (${pool}).`,
  );
}
