/**
 * The table of provider kinds: dialect, base URL, how a key travels (docs/architecture.md lists what else a new provider touches).
 * Which of them serves a model: resolve-route.ts. Pure: nothing is called.
 */
import type { ProviderKind } from "../../shared/providers.ts";
import { anthropicVersion } from "../dialects/anthropic-version.ts";
import { anthropicDialect } from "../dialects/provider/anthropic/dialect.ts";
import type { ProviderDialect } from "../dialects/provider/dialect.ts";
import { geminiDialect } from "../dialects/provider/gemini/dialect.ts";
import { alphaDialect, routerDialect } from "../dialects/provider/openai/dialect.ts";

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
