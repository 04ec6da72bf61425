/**
 * Everything the gateway must know of each provider kind, in one place: dialect, default root, how its
 * key travels. One row each; docs/architecture.md says what else a new one touches.
 */
import { inlineKeyHeaders, type ProviderKind, providerKinds } from "../../shared/providers.ts";
import { anthropicVersion } from "../dialects/anthropic-version.ts";
import { anthropicDialect } from "../dialects/provider/anthropic/dialect.ts";
import type { ProviderDialect } from "../dialects/provider/dialect.ts";
import { geminiDialect } from "../dialects/provider/gemini/dialect.ts";
import { alphaDialect, routerDialect } from "../dialects/provider/openai/dialect.ts";

export type Provider = {
  /** How errors call it, so that the caller knows whose key is meant. */
  title: string;
  /** How OpenTelemetry's GenAI conventions call it. */
  genAiName: string;
  dialect: ProviderDialect;
  defaultBaseUrl: string;
  /** The key as this provider wants it: always a header, never part of a URL. */
  authHeaders: (key: string) => Record<string, string>;
  keyCheck: KeyCheck;
};

/** How a key for the vault is looked at before it is stored. */
export type KeyCheck = {
  pattern: RegExp;
  /** The pattern in words. */
  shape: string;
  /** The cheapest GET that is answered 2xx for a valid key only. */
  path: string;
  headers?: Record<string, string>;
  /** Statuses by which the provider says that the key is no good. */
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
    // Gemini answers 400 INVALID_ARGUMENT to a key it does not know.
    keyCheck: { pattern: /^AIza[!-~]+$/, shape: "AIza*", path: "/models", rejections: [400, 401, 403] },
  },
  router: {
    title: "router (OpenRouter, vendor/model)",
    genAiName: "openrouter",
    dialect: routerDialect,
    defaultBaseUrl: "https://openrouter.ai/api/v1",
    authHeaders: bearer,
    // Its list of models is public.
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

/** Where a provider is called: the operator's root for it, else its own. */
export const baseUrlOf = (kind: ProviderKind, baseUrls: Partial<Record<ProviderKind, string>>): string =>
  baseUrls[kind] ?? providers[kind].defaultBaseUrl;
