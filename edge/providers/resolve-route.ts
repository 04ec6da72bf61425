/** Which provider serves a model, with whose key and at what price. Pure: nothing is called. */
import { GatewayError } from "../../shared/errors.ts";
import {
  inlineKeyHeaders,
  type KeySource,
  type ProviderKind,
  providerKinds,
} from "../../shared/providers.ts";
import type { CatalogModel, PriceCard } from "../catalog/model.ts";
import type { StoredKey } from "../db/provider-keys.ts";
import { present } from "../dialects/json.ts";
import type { ProviderTarget } from "../dialects/provider/dialect.ts";
import type { Pool } from "../env.ts";
import { providers } from "./registry.ts";

/** Where a request goes, and what is known of the model there. Windows and limits are in tokens. */
export type Route = Pick<ProviderTarget, "model" | "formats" | "avoidHosts" | "pdfEngine"> & {
  provider: ProviderKind;
  key: string | undefined;
  keySource: KeySource;
  /** What the pool pays; absent on a caller's key, where the provider bills the caller. */
  prices: PriceCard | undefined;
  contextWindow: number;
  outputLimit: number | undefined;
  /** The aggregator's list says that the model may think without showing its reasoning. */
  thinks?: true;
};

/**
 * Whether minutes of silence may be the model at work. An aggregator route without a key is a local server, which loads its model first.
 */
export const maySendNothing = ({ provider, model, key }: Route): boolean =>
  (provider === "router" && key === undefined) || providers[provider].silentModels?.test(model) === true;

/** What the provider's dialect needs to know about the route. */
export const describeTarget = (
  { model, outputLimit, formats, avoidHosts, pdfEngine }: Route,
  maxOutputTokens?: number,
): ProviderTarget => ({
  model,
  ...present({ maxOutputTokens, outputLimit, formats, avoidHosts, pdfEngine }),
});

/** A caller's own keys, by provider. */
export type ProviderKeys = Partial<Record<ProviderKind, string>>;

/** Reads the inline keys of a request; an empty header is no key. */
export function readInlineKeys(headers: Headers): ProviderKeys {
  const keys: ProviderKeys = {};
  for (const kind of providerKinds) {
    const key = headers.get(inlineKeyHeaders[kind])?.trim();
    if (key) keys[kind] = key;
  }
  return keys;
}

export type KeySources = { inline: ProviderKeys; vault: readonly StoredKey[]; pool: Pool };

/** A route whose key may still be sealed, if it is a stored one. */
export type ChosenRoute = Omit<Route, "key"> & { key: string | StoredKey | undefined };

type KeyedProvider = Pick<ChosenRoute, "provider" | "key" | "keySource">;

/** In the interface's order: inline key, stored key, pool; the model's own provider before the aggregator. */
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

/**
 * The first provider that has a key for the model, and on the pool a price. Throws missing_provider_key (401) if there is none; the message
 * names the header to send.
 */
export function resolveRoute(model: CatalogModel, sources: KeySources): ChosenRoute {
  for (const keyed of listKeyed(model, sources)) {
    const id = keyed.provider === model.provider ? model.id : model.routerId;
    const atRouter = keyed.provider === "router";
    const prices = atRouter ? (model.routerPrices ?? model.prices) : model.prices;
    const { formats, thinks, files } = (atRouter && model.routerFacts) || {};
    const pooled = keyed.keySource === "pool";
    if (id === undefined || (pooled && prices === undefined)) continue;
    return {
      ...keyed,
      model: id,
      prices: pooled ? prices : undefined,
      contextWindow: (atRouter ? model.routerWindow : undefined) ?? model.contextWindow,
      outputLimit: model.outputLimit,
      ...present({ formats, thinks }),
      ...(pooled && { pdfEngine: files ? ("native" as const) : ("cloudflare-ai" as const) }),
    };
  }
  const pool = sources.pool.on ? "the pool does not support this model" : "the pool is off";
  throw new GatewayError(
    "missing_provider_key",
    `No provider key for ${model.id}: send your key for ${providers[model.provider].title} in the header ` +
      `${inlineKeyHeaders[model.provider]} (${pool}).`,
  );
}
