import { describe, expect, it } from "vitest";
import { buildCatalog } from "../../../edge/catalog/catalog.ts";
import type { CatalogModel } from "../../../edge/catalog/model.ts";
import { decodeSnapshot, encodeSnapshot, readRouterList } from "../../../edge/catalog/router-snapshot.ts";
import { isUnbounded, keepOffPool } from "../../../edge/catalog/unbounded-models.ts";

const startedAtMs = Date.parse("2026-11-20");
const searching = [
  "openai/o3-deep-research",
  "openai/o4-mini-deep-research",
  "openai/o4-mini-deep-research-2025-06-26",
  "o3-deep-research",
  "perplexity/sonar",
  "perplexity/sonar-pro",
  "perplexity/sonar-pro-search",
  "perplexity/sonar-reasoning-pro",
  "perplexity/sonar-deep-research",
  "perplexity/llama-3.1-sonar-large-128k-online",
  "sonar-pro",
  "openai/gpt-4o-search-preview",
  "openai/gpt-4o-mini-search-preview",
  "openai/gpt-4o-search-preview-2025-03-11",
  "openai/gpt-5-search-api",
  "openai/gpt-4o:online",
  "x-ai/grok-4.20-multi-agent",
  "openai/gpt-5.6-sol-pro",
  "openai/gpt-5.6-sol-pro-20260709",
  "openai/gpt-6-luna-pro",
  "openai/gpt-6.1-sol-pro:batch",
  "~openai/gpt-pro-latest",
  "openai/gpt-5-image",
  "openai/gpt-5.4-image-2",
  "openai/gpt-5-image-mini",
  "gpt-image-1",
];
const ordinary = [
  "openai/gpt-4o",
  "openai/o3",
  "openai/o4-mini",
  "openai/gpt-5.6-sol",
  "openai/gpt-5.5-pro",
  "openai/gpt-5-pro",
  "openai/o1-pro",
  "perplexity/r1-1776",
  "upstage/solar-pro-3",
  "nousresearch/hermes-4-70b",
  "bytedance-research/ui-tars-72b:free",
  "alibaba/tongyi-deepresearch-30b-a3b",
  "relace/relace-search",
  "x-ai/grok-4",
  "google/gemini-2.5-flash-image",
  "black-forest-labs/flux.2-pro",
];

describe("models that go beyond their prompt and their cap", () => {
  it.each(searching)("%s is one", (id) => {
    expect(isUnbounded(id)).toBe(true);
  });

  it.each(ordinary)("%s is none", (id) => {
    expect(isUnbounded(id)).toBe(false);
  });

  it("have no price in the committed list, and the others keep theirs", () => {
    const { routerModels } = buildCatalog({ startedAtMs });
    const found = routerModels.filter(({ id }) => isUnbounded(id));
    expect(found.map(({ id }) => id)).toContain("openai/o3-deep-research");
    expect(found.length).toBeGreaterThanOrEqual(10);
    for (const model of found) expect(model, model.id).not.toHaveProperty("prices");
    for (const id of ["openai/gpt-4o", "openai/o3"])
      expect(routerModels.find((model) => model.id === id)?.prices, id).toBeDefined();
  });

  it.each([false, true])(
    "have none in a list read later or kept, also where the router is free: %s",
    (freeRouter) => {
      const pricing = { prompt: "0.000002", completion: "0.000008", web_search: "0.01" };
      const list = readRouterList(
        { data: [...searching, ...ordinary].map((id) => ({ id, pricing })) },
        startedAtMs,
      );
      if (!list.ok) throw new Error(list.reason);
      const snapshot = decodeSnapshot(encodeSnapshot(list.snapshot));
      const catalog = buildCatalog({ startedAtMs, snapshot, freeRouter });
      for (const id of searching)
        expect(catalog.find(id), id).toEqual(expect.not.objectContaining({ prices: expect.anything() }));
      for (const id of searching) expect(catalog.find(id)?.id).toBe(id);
      for (const id of ordinary) expect(catalog.find(id)?.prices, id).toBeDefined();
    },
  );

  it("have neither their vendor's price, which the pool takes where the aggregator names none", () => {
    const prices = { input: 1, output: 1 };
    const native: CatalogModel = {
      id: "o3-deep-research",
      provider: "alpha",
      contextWindow: 1,
      created: 1,
      prices,
    };
    const { prices: _, ...unsold } = native;
    expect(keepOffPool({ ...native, routerPrices: prices })).toEqual(unsold);
    const renamed = { ...native, id: "o3-finder", routerId: "openai/o3-deep-research" };
    expect(keepOffPool(renamed)).not.toHaveProperty("prices");
  });
});
