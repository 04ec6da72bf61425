import { describe, expect, test } from "vitest";
import type { CatalogModel } from "../../../edge/catalog/model.ts";
import type { StoredKey } from "../../../edge/db/provider-keys.ts";
import type { Pool } from "../../../edge/env.ts";
import { type KeySources, readInlineKeys, resolveRoute } from "../../../edge/providers/resolve-route.ts";
import { GatewayError } from "../../../shared/errors.ts";
import type { ProviderKind } from "../../../shared/providers.ts";

const prices = { input: 3_000_000, output: 15_000_000 };
const native: CatalogModel = {
  id: "claude-sonnet-4-5",
  provider: "beta",
  contextWindow: 200_000,
  prices,
  routerId: "anthropic/claude-sonnet-4.5",
  created: 1,
};
const aggregated: CatalogModel = {
  id: "meta/llama-4",
  provider: "router",
  contextWindow: 100_000,
  prices,
  created: 1,
};
const off: Pool = { on: false };
const pool: Pool = { on: true, key: "pool-key" };
const none = { inline: {}, vault: [], pool: off };
const stored = (provider: ProviderKind): StoredKey => ({
  provider,
  version: 1,
  currentVersion: 1,
  sealed: `k1.${provider}`,
  validatedAt: 1,
});

const cases: [string, CatalogModel, KeySources, Partial<ReturnType<typeof resolveRoute>>][] = [
  [
    "the inline key of the model's own provider comes first",
    native,
    { inline: { beta: "b", router: "r" }, vault: [stored("beta")], pool },
    { provider: "beta", model: "claude-sonnet-4-5", key: "b", keySource: "user", prices: undefined },
  ],
  [
    "an inline router key serves a native model under the aggregator's id",
    native,
    { inline: { router: "r" }, vault: [stored("beta")], pool },
    { provider: "router", model: "anthropic/claude-sonnet-4.5", key: "r", keySource: "user" },
  ],
  [
    "then the vault's own key",
    native,
    { inline: {}, vault: [stored("router"), stored("beta")], pool },
    { provider: "beta", key: stored("beta"), keySource: "user" },
  ],
  [
    "then the vault's router key",
    native,
    { inline: { alpha: "a" }, vault: [stored("router")], pool },
    { provider: "router", key: stored("router"), keySource: "user" },
  ],
  [
    "and the pool last, priced",
    native,
    { ...none, pool },
    { provider: "router", model: "anthropic/claude-sonnet-4.5", key: "pool-key", keySource: "pool", prices },
  ],
  [
    "a pool without a key sends none",
    aggregated,
    { ...none, pool: { on: true, key: undefined } },
    { provider: "router", key: undefined, keySource: "pool" },
  ],
  [
    "the pool has documents read by the model that reads them itself",
    { ...native, routerFacts: { files: true } },
    { ...none, pool },
    { keySource: "pool", pdfEngine: "native" },
  ],
  [
    "the pool has documents read for free where nobody knows that the model does",
    aggregated,
    { ...none, pool },
    { keySource: "pool", pdfEngine: "cloudflare-ai" },
  ],
  [
    "another provider's inline key does not serve",
    aggregated,
    { inline: { alpha: "a" }, vault: [], pool },
    { keySource: "pool" },
  ],
];

describe("the route of a model", () => {
  test.each(cases)("%s", (_name, model, sources, expected) => {
    expect(resolveRoute(model, sources)).toMatchObject(expected);
  });

  test.each([
    ["no key at all and the pool off", native, none, "x-beta-key"],
    [
      "a router key for a model the aggregator does not list",
      { ...native, routerId: undefined },
      { ...none, inline: { router: "r" } },
      "x-beta-key",
    ],
    [
      "a model the pool has no price for",
      { ...aggregated, prices: undefined },
      { ...none, pool },
      "x-router-key",
    ],
  ])("%s is missing_provider_key, naming the header to send", (_name, model, sources, header) => {
    const attempt = () => resolveRoute(model as CatalogModel, sources);
    expect(attempt).toThrow(GatewayError);
    expect(attempt).toThrow(header);
  });

  test("a caller's own key has documents read as its owner chooses", () => {
    const route = resolveRoute(
      { ...native, routerFacts: { files: true } },
      { ...none, inline: { router: "r" }, pool },
    );
    expect(route).toMatchObject({ provider: "router", keySource: "user" });
    expect(route).not.toHaveProperty("pdfEngine");
  });

  test("inline keys are read from their headers, empty ones left out", () => {
    const headers = new Headers({ "X-Alpha-Key": "sk-a", "x-gamma-key": "  ", "x-router-key": " sk-or-1 " });
    expect(readInlineKeys(headers)).toEqual({ alpha: "sk-a", router: "sk-or-1" });
  });
});
