// A native model at the aggregator: its name, prices and limits there.
import { describe, expect, it } from "vitest";
import { buildCatalog } from "../../../edge/catalog/catalog.ts";
import { nativePriceFile } from "../../../edge/catalog/price-file.ts";
import { resolveRoute } from "../../../edge/providers/resolve-route.ts";
import { snapshotOf, startedAtMs } from "../support/aggregator-list.ts";

const catalog = buildCatalog({ startedAtMs });

type ListBody = { object: string; data: { id: string; object: string; created: number; owned_by: string }[] };
const readBody = (text: string) => JSON.parse(text) as ListBody;

describe("the aggregator's form of native models", () => {
  it.each([
    ["gpt-4o", "openai/gpt-4o"],
    ["gpt-4o-2024-08-06", "openai/gpt-4o-2024-08-06"],
    ["claude-3-7-sonnet-20250219", "anthropic/claude-3.7-sonnet"],
    ["claude-haiku-4-5-20251001", "anthropic/claude-haiku-4.5"],
    ["claude-opus-4-8", "anthropic/claude-opus-4.8"],
    ["claude-opus-5", "anthropic/claude-opus-5"],
    ["gemini-2.5-pro", "google/gemini-2.5-pro"],
  ])("%s is %s", (id, routerId) => {
    expect(catalog.find(id)?.routerId).toBe(routerId);
  });

  const pricing = { prompt: "0.000003", completion: "0.000015" };
  const withSnapshot = (data: unknown[]) => buildCatalog({ startedAtMs, snapshot: snapshotOf(data) });

  it("is absent where the aggregator does not list it", () => {
    const model = withSnapshot([{ id: "anthropic/claude-3.7-sonnet", pricing }]).find("gpt-4o");
    expect(model).toBeDefined();
    expect(model).not.toHaveProperty("routerId");
  });

  it("costs the vendor's cache prices where the list gives none of its own", () => {
    const model = withSnapshot([{ id: "anthropic/claude-3.7-sonnet", pricing }]).find("claude-3-7-sonnet");
    expect(model).toMatchObject({ routerId: "anthropic/claude-3.7-sonnet" });
    expect(model).not.toHaveProperty("routerPrices");
  });

  it.each([
    ["anthropic/claude-haiku-5.5", "claude-haiku-5-5", { prompt: "0.0000001", completion: "0.0000005" }],
    ["google/gemini-2.5-pro", "gemini-2.5-pro", { prompt: "0.00000125", completion: "0.00001" }],
    ["anthropic/claude-opus-4.8", "claude-opus-4-8", { prompt: "0.000005", completion: "0.000025" }],
  ])("costs the same under the aggregator's own name: %s", (id, native, pricing) => {
    const snapshots = [undefined, snapshotOf([{ id, pricing }])];
    for (const snapshot of snapshots) {
      const listed = buildCatalog({ startedAtMs, snapshot });
      const { routerPrices, prices } = listed.find(native)!;
      if (listed.find(id) !== undefined) expect(listed.find(id)?.prices).toEqual(routerPrices ?? prices);
    }
    const own = nativePriceFile.models.find((row) => row.id === native)!.prices[0]!.card;
    expect(buildCatalog({ startedAtMs, snapshot: snapshots[1] }).find(id)?.prices).toEqual(own);
  });

  it("has a price for cache reads of Claude's, also where the list has none: a tenth of the input's", () => {
    const long = { min_prompt_tokens: 200_001, prompt: "0.000006", completion: "0.0000225" };
    const listed = withSnapshot([
      { id: "anthropic/claude-new", pricing: { ...pricing, overrides: [long] } },
      { id: "anthropic/claude-newer", pricing: { ...pricing, input_cache_read: "0.000000075" } },
      { id: "vendor/other", pricing },
    ]);
    expect(listed.find("anthropic/claude-new")?.prices).toMatchObject({
      cachedInput: 300_000,
      longContext: [{ prices: { cachedInput: 600_000 } }],
    });
    expect(listed.find("anthropic/claude-newer")?.prices).toMatchObject({ cachedInput: 75_000 });
    expect(listed.find("vendor/other")?.prices).not.toHaveProperty("cachedInput");
  });

  it("has a price for each cache write of Claude's that a caller may ask for", () => {
    const long = { min_prompt_tokens: 200_001, prompt: "0.000006", completion: "0.0000225" };
    const written = { input_cache_write: "0.00000375", input_cache_write_1h: "0.000006" };
    const listed = withSnapshot([
      { id: "anthropic/claude-new", pricing: { ...pricing, overrides: [long] } },
      { id: "anthropic/claude-newer", pricing: { ...pricing, ...written, overrides: [long] } },
      { id: "anthropic/claude-opus-5-fast", pricing: { ...pricing, input_cache_write: "0.000004" } },
      { id: "vendor/other", pricing },
    ]);
    for (const id of ["anthropic/claude-new", "anthropic/claude-newer"]) {
      expect(listed.find(id)?.prices).toMatchObject({
        cacheWrite: 3_750_000,
        cacheWriteLong: 6_000_000,
        longContext: [{ prices: { cacheWrite: 7_500_000, cacheWriteLong: 12_000_000 } }],
      });
    }
    expect(listed.find("anthropic/claude-opus-5-fast")?.prices).toMatchObject({
      cacheWrite: 4_000_000,
      cacheWriteLong: 6_000_000,
    });
    expect(listed.find("vendor/other")?.prices).toEqual({ input: 3_000_000, output: 15_000_000 });
    const claude = catalog.routerModels.filter(({ id, prices }) => id.startsWith("anthropic/") && prices);
    expect(claude.length).toBeGreaterThan(20);
    for (const { id, prices } of claude)
      expect(prices!.cacheWriteLong, id).toBeGreaterThanOrEqual(prices!.input * 2);
  });

  it("has them under an alias that stands for the newest of a family, too", () => {
    const opus = { prompt: "0.000004", completion: "0.00002" };
    const gemini = { prompt: "0.000002", completion: "0.000012" };
    const listed = withSnapshot([
      { id: "~anthropic/claude-opus-latest", pricing: { ...opus, input_cache_write: "0.000005" } },
      { id: "~google/gemini-pro-latest", pricing: gemini },
      { id: "~google/gemini-next-latest", pricing: { prompt: "0.000007", completion: "0.00007" } },
    ]);
    expect(listed.find("~anthropic/claude-opus-latest")?.prices).toMatchObject({
      cacheWrite: 5_000_000,
      cacheWriteLong: 8_000_000,
    });
    const { longContext } = catalog.find("gemini-3.1-pro-preview")!.prices!;
    expect(longContext).toHaveLength(1);
    expect(listed.find("~google/gemini-pro-latest")?.prices).toMatchObject({ longContext });
    expect(listed.find("~google/gemini-next-latest")?.prices).not.toHaveProperty("longContext");
  });

  it("adds the input to a cache write of Gemini's, of which the list names the storage alone", () => {
    const pricing = { prompt: "0.0000001", completion: "0.0000004", input_cache_write: "0.000000083333" };
    const long = { min_prompt_tokens: 200_001, prompt: "0.0000002", completion: "0.0000006" };
    const listed = withSnapshot([
      { id: "google/gemini-2.5-flash-lite", pricing: { ...pricing, overrides: [long] } },
      { id: "vendor/other", pricing },
    ]);
    expect(listed.find("google/gemini-2.5-flash-lite")?.prices).toMatchObject({
      cacheWrite: 183_333,
      longContext: [{ prices: { cacheWrite: 283_333 } }],
    });
    expect(listed.find("vendor/other")?.prices?.cacheWrite).toBe(83_333);
    const google = catalog.routerModels.filter(
      ({ id, prices }) => /^~?google\//.test(id) && prices?.cacheWrite,
    );
    expect(google.length).toBeGreaterThan(5);
    for (const { id, prices } of google) expect(prices!.cacheWrite, id).toBeGreaterThanOrEqual(prices!.input);
  });

  it("costs what the aggregator charges where that differs", () => {
    const model = withSnapshot([
      { id: "anthropic/claude-3.7-sonnet", pricing: { ...pricing, completion: "0.00002" } },
    ]).find("claude-3-7-sonnet");
    expect(model?.routerPrices).toEqual({
      input: 3_000_000,
      output: 20_000_000,
      cachedInput: 300_000,
      cacheWrite: 3_750_000,
      cacheWriteLong: 6_000_000,
    });
    expect(model?.prices?.output).toBe(15_000_000);
  });

  it("is bounded at the aggregator by the aggregator's window, where that is larger, and elsewhere by its vendor's", () => {
    const id = "anthropic/claude-sonnet-4.5";
    const wide = withSnapshot([{ id, pricing, context_length: 1_000_000 }]).find("claude-sonnet-4-5")!;
    expect(wide).toMatchObject({ contextWindow: 200_000, routerWindow: 1_000_000 });
    const keys = { inline: {}, vault: [], pool: { on: true, key: "k" } } as const;
    expect(resolveRoute(wide, keys).contextWindow).toBe(1_000_000);
    const own = { ...keys, inline: { beta: "sk-ant-own" } };
    expect(resolveRoute(wide, own).contextWindow).toBe(200_000);
    const narrow = withSnapshot([{ id, pricing, context_length: 100_000 }]).find("claude-sonnet-4-5")!;
    expect(narrow).not.toHaveProperty("routerWindow");
    expect(resolveRoute(narrow, keys).contextWindow).toBe(200_000);
  });

  it("of which nobody tells the window is told as usual, and held for without it", () => {
    const model = withSnapshot([{ id: "vendor/unheard", pricing }]).find("vendor/unheard")!;
    expect(model.contextWindow).toBe(128_000);
    const route = resolveRoute(model, { inline: {}, vault: [], pool: { on: true, key: "k" } });
    expect(route.contextWindow).toBeGreaterThanOrEqual(10 * 1024 * 1024);
  });

  it("is never bounded by less than the aggregator's committed list says", () => {
    for (const model of catalog.nativeModels) {
      const listed = catalog.routerModels.find(({ id }) => id === model.routerId);
      const most = Math.max(model.contextWindow, model.routerWindow ?? 0);
      expect(most, model.id).toBeGreaterThanOrEqual(listed?.routerWindow ?? listed?.contextWindow ?? 0);
    }
  });

  it("is the bare id at a proxy that keeps the vendors' names, and is listed once", () => {
    const proxied = withSnapshot([{ id: "gpt-4o", pricing }]);
    expect(proxied.find("gpt-4o")).toMatchObject({ provider: "alpha", routerId: "gpt-4o" });
    const named = readBody(proxied.modelsBody().body).data.filter(({ id }) => id === "svc-x1ac-base-gpt-4o");
    expect(named).toHaveLength(1);
  });
});
