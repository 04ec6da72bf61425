/**
 * The table of provider kinds: dialect, base URL, how a key travels (docs/architecture.md lists what else a new provider touches).
 * Also chooses which of them serves a model, with whose key and at what price. Pure: nothing is called.
 */
import { GatewayError } from "../../shared/errors.ts";
import {
  inlineKeyHeaders,
  type KeySource,
  type ProviderKind,
  providerKinds,
} from "../../shared/providers.ts";
import type { CatalogModel, PriceCard } from "../catalog/model.ts";
import type { StoredKey } from "../db/provider-keys.ts";
import { anthropicVersion } from "../dialects/anthropic-version.ts";
import { present } from "../dialects/json.ts";
import { anthropicDialect } from "../dialects/provider/anthropic/dialect.ts";
import type { ProviderDialect, ProviderTarget } from "../dialects/provider/dialect.ts";
import { geminiDialect } from "../dialects/provider/gemini/dialect.ts";
import { alphaDialect, routerDialect } from "../dialects/provider/openai/dialect.ts";
import type { Pool } from "../env.ts";

export type Provider = {
  /** The provider's name in error messages, so that the caller knows whose key is meant. */
  title: string;
  /** The provider's name in OpenTelemetry's GenAI conventions. */
  genAiName: string;
  dialect: ProviderDialect;
  defaultBaseUrl: string;
  /** The key in the form that this provider reads: always a header, never part of a URL. */
  authHeaders: (key: string) => Record<string, string>;
  keyCheck: KeyCheck;
  /** Models that may think for minutes while this provider sends nothing, not even a comment. */
  silentModels?: RegExp;
};

/** How a key is checked before the vault stores it. */
export type KeyCheck = {
  pattern: RegExp;
  /** The pattern in words. */
  shape: string;
  /** The cheapest GET that is answered 2xx for a valid key only. */
  path: string;
  headers?: Record<string, string>;
  /** Statuses by which the provider says that the key is invalid. */
  rejections: readonly number[];
};

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

export const providers: Readonly<Record<ProviderKind, Provider>> = {
  alpha: {
    title: "alpha (OpenAI, gpt-*)",
    genAiName: "openai",
    dialect: alphaDialect,
    defaultBaseUrl: "https://api.openai.com/v1",
    authHeaders: bearer,
    // A key of another provider in this field would be sent to the wrong company.
    keyCheck: {
      pattern: /^sk-(?!ant-|or-)[!-~]+$/,
      shape: "sk-proj-* or sk-*",
      path: "/models",
      rejections: [401, 403],
    },
    silentModels: /^(o\d|codex-|gpt-([5-9]|\d\d)(?!-chat))/,
  },
  beta: {
    title: "beta (Anthropic, claude-*)",
    genAiName: "anthropic",
    dialect: anthropicDialect,
    defaultBaseUrl: "https://api.anthropic.com/v1",
    authHeaders: (key) => ({ "x-api-key": key }),
    keyCheck: {
      pattern: /^sk-ant-[!-~]+$/,
      shape: "sk-ant-*",
      path: "/models",
      headers: { "anthropic-version": anthropicVersion },
      rejections: [401, 403],
    },
  },
  gamma: {
    title: "gamma (Gemini, gemini-*)",
    genAiName: "gcp.gemini",
    dialect: geminiDialect,
    defaultBaseUrl: "https://generativelanguage.googleapis.com/v1beta",
    authHeaders: (key) => ({ "x-goog-api-key": key }),
    // Gemini answers 400 INVALID_ARGUMENT to a key it does not know. Newer keys begin with AQ.
    // (ai.google.dev/gemini-api/docs/api-key).
    keyCheck: {
      pattern: /^(?:AIza|AQ\.)[!-~]+$/,
      shape: "AIza* or AQ.*",
      path: "/models",
      rejections: [400, 401, 403],
    },
    silentModels: /^gemini-(?!1|2\.0)/,
  },
  router: {
    title: "router (OpenRouter, vendor/model)",
    genAiName: "openrouter",
    dialect: routerDialect,
    defaultBaseUrl: "https://openrouter.ai/api/v1",
    authHeaders: bearer,
    // The aggregator's list of models is public, so it would not test the key.
    keyCheck: { pattern: /^sk-or-[!-~]+$/, shape: "sk-or-*", path: "/key", rejections: [401, 403] },
  },
};

/**
 * A request to a provider, with the key in the header that it reads; `key` undefined: a local server that asks for none. No redirect
 * is followed, as it would carry the key to another host.
 */
export const withKey = (
  kind: ProviderKind,
  key: string | undefined,
  init: RequestInit & { headers: Record<string, string> },
): RequestInit => ({
  ...init,
  headers: { ...init.headers, ...(key !== undefined && providers[kind].authHeaders(key)) },
  redirect: "manual",
});

/** Where a provider is called: the operator's base URL for it, or the provider's own. */
export const baseUrlOf = (kind: ProviderKind, baseUrls: Partial<Record<ProviderKind, string>>): string =>
  baseUrls[kind] ?? providers[kind].defaultBaseUrl;

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

/** Throws missing_provider_key (401) when no key serves the model; the message names the header to send. */
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
