import { describe, expect, it } from "vitest";
import { aliases } from "../../../edge/catalog/aliases.ts";
import { buildCatalog } from "../../../edge/catalog/catalog.ts";
import { offlineModelId } from "../../../edge/catalog/model.ts";
import { nativePriceFile } from "../../../edge/catalog/price-file.ts";
import { type RouterSnapshot, readRouterList } from "../../../edge/catalog/router-snapshot.ts";
import { resolveRoute } from "../../../edge/providers/registry.ts";
import { GatewayError } from "../../../shared/errors.ts";
import { sizes } from "../../../shared/model-sizes.ts";

const startedAtMs = Date.parse("2026-11-20");
const catalog = buildCatalog({ startedAtMs });

type ListBody = { object: string; data: { id: string; object: string; created: number; owned_by: string }[] };
const readBody = (text: string) => JSON.parse(text) as ListBody;

function snapshotOf(data: unknown[]): RouterSnapshot {
  const result = readRouterList({ data }, startedAtMs);
  if (!result.ok) throw new Error(result.reason);
  return result.snapshot;
}

function errorOf(run: () => unknown): GatewayError {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) return error;
  }
  throw new Error("no GatewayError was thrown");
}

describe("the list of models", () => {
  const { data, object } = readBody(catalog.modelsBody().body);

  it("has about 250 native and 1,800 or more aggregator combinations without an aggregator", () => {
    const native = data.filter(({ id }) => !id.includes("/") && id.split("-").length > 3);
    const router = data.filter(({ id }) => id.includes("/"));
    expect(object).toBe("list");
    expect(native).toHaveLength(270);
    expect(router.length).toBeGreaterThanOrEqual(1_800);
    expect(data.length).toBeGreaterThanOrEqual(2_050);
    expect(data.length).toBe(native.length + router.length + 5);
  });

  it("names each combination once, with the four fields of a model entry", () => {
    expect(new Set(data.map(({ id }) => id)).size).toBe(data.length);
    expect(data.find(({ id }) => id === "svc-x1ac-base-gpt-4o")).toEqual({
      id: "svc-x1ac-base-gpt-4o",
      object: "model",
      created: Date.parse("2024-05-13") / 1000,
      owned_by: "svc",
    });
    expect(data.every(({ created }) => Number.isInteger(created) && created > 1_600_000_000)).toBe(true);
    for (const size of Object.keys(sizes))
      expect(data.some(({ id }) => id === `svc-x1ac-${size}`)).toBe(true);
  });

  it("resolves every name it lists", () => {
    const chat = data.filter(({ id }) => /^svc-x1ac-[a-z]+-/.test(id));
    for (const { id } of chat) {
      const { size, llm } = catalog.resolveModel(id);
      expect(`svc-x1ac-${size}-${llm.id}`).toBe(id);
    }
  });

  it("is the same text and etag in every isolate, whenever it started, and written once", () => {
    const first = catalog.modelsBody();
    const other = buildCatalog({ startedAtMs: startedAtMs + 3_600_000 }).modelsBody();
    expect(catalog.modelsBody()).toBe(first);
    expect(other).toEqual(first);
    expect(first.etag).toMatch(/^"[0-9a-f]{16}"$/);
  });

  it("changes its etag with the aggregator's list, not with the list's order", () => {
    const etag = (ids: string[]) =>
      buildCatalog({ startedAtMs, snapshot: snapshotOf(ids.map((id) => ({ id }))) }).modelsBody().etag;
    expect(etag(["a/one", "b/two"])).toBe(etag(["b/two", "a/one"]));
    expect(etag(["a/one", "b/two"])).not.toBe(etag(["a/one", "b/three"]));
  });
});

describe("prices", () => {
  it("are exact for Claude 3.7 Sonnet", () => {
    expect(catalog.find("claude-3-7-sonnet-20250219")?.prices).toEqual({
      input: 3_000_000,
      output: 15_000_000,
      cachedInput: 300_000,
      cacheWrite: 3_750_000,
      cacheWriteLong: 6_000_000,
    });
  });

  it.each([
    ["gpt-5.4", 271_999, 2_500_000, 5_000_000],
    ["gemini-2.5-pro", 200_000, 1_250_000, 2_500_000],
    ["claude-haiku-5-5", 100_000, 100_000, 500_000],
  ])("of %s double above %i input tokens", (id, aboveInputTokens, input, longInput) => {
    expect(catalog.find(id)?.prices).toMatchObject({
      input,
      longContext: [{ aboveInputTokens, prices: { input: longInput } }],
    });
  });

  it("change on the day that was announced", () => {
    const input = (day: string) =>
      buildCatalog({ startedAtMs: Date.parse(day) }).find("gemini-3.8-flash")?.prices?.input;
    expect([input("2026-12-31T23:59:59Z"), input("2027-01-01T00:00:00Z")]).toEqual([750_000, 1_500_000]);
  });

  it("are known for every native model, with its window and output limit", () => {
    for (const model of catalog.nativeModels) {
      expect(model, model.id).toMatchObject({
        contextWindow: expect.any(Number),
        outputLimit: expect.any(Number),
      });
      expect(model.prices!.output, model.id).toBeGreaterThan(0);
      expect(model.outputLimit!, model.id).toBeLessThanOrEqual(model.contextWindow);
    }
  });

  it("go to the provider of the id's family", () => {
    const provider = { gpt: "alpha", claude: "beta", gemini: "gamma" } as const;
    for (const { id, provider: kind } of nativePriceFile.models) {
      expect(kind, id).toBe(provider[id.split("-")[0] as keyof typeof provider]);
    }
  });
});

describe("older names", () => {
  it.each([
    ["gpt-4-turbo-preview", "gpt-5.6-sol"],
    ["gpt-4.1-2025-04-14", "gpt-4.1"],
    ["claude-3-5-sonnet-latest", "claude-sonnet-4-6"],
    ["claude-3-7-sonnet-latest", "claude-3-7-sonnet-20250219"],
    ["gemini-2.0-flash", "gemini-2.5-flash"],
  ])("%s is served by %s", (older, newer) => {
    expect(catalog.find(older)?.id).toBe(newer);
    expect(catalog.resolveModel(`svc-x1ac-base-${older}`).llm.id).toBe(newer);
  });

  it("always lead to a listed model of the same provider and never hide one", () => {
    const listed = new Map(nativePriceFile.models.map((row) => [row.id, row]));
    for (const [older, newer] of aliases) {
      expect(listed.has(newer), newer).toBe(true);
      expect(listed.has(older), older).toBe(false);
      expect(older.split("-")[0], older).toBe(newer.split("-")[0]);
    }
  });
});

describe("unknown names", () => {
  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("%s is no model", (name) => {
    expect(catalog.find(name)).toBeUndefined();
  });

  it.each([
    ["svc-x1ac-base-gpt4o-mini", "model_not_found", "svc-x1ac-base-gpt-4o-mini"],
    ["svc-x1ac-medium-gpt-4o", "model_not_found", "small, base, large, xl, huge"],
    ["gpt-4o", "model_not_found", "Did you mean svc-x1ac-base-gpt-4o?"],
    ["openai/gpt-4o", "model_not_found", "Did you mean svc-x1ac-base-openai/gpt-4o?"],
    ["nothing-like-it", "model_not_found", "svc-x1ac-base-{llm}"],
    ["svc-x1ac-base", "invalid_request", "/v1/embeddings"],
  ])("%s is %s and says what to do", (name, code, hint) => {
    const error = errorOf(() => catalog.resolveModel(name));
    expect(error).toMatchObject({ code, details: { param: "model" } });
    expect(error.message).toContain(hint);
    expect(error.message).toContain("GET /v1/models");
  });

  it("are cut in the message", () => {
    expect(
      errorOf(() => catalog.resolveModel(`svc-x1ac-base-${"x".repeat(5_000)}`)).message.length,
    ).toBeLessThan(400);
  });
});

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

describe("local servers", () => {
  const local = snapshotOf([
    { id: "llama3.2:latest" },
    { id: "qwen/qwen3", pricing: { prompt: "0.000001", completion: "0.000002" } },
  ]);

  it("list only what they serve", () => {
    const { data } = readBody(buildCatalog({ startedAtMs, snapshot: local }).modelsBody().body);
    expect(data).toHaveLength(5 * (54 + 2) + 5);
  });

  it("are unpriced behind a key and free without one, except where they name a price", () => {
    const keyed = buildCatalog({ startedAtMs, snapshot: local });
    const free = buildCatalog({ startedAtMs, snapshot: local, freeRouter: true });
    expect(keyed.find("llama3.2:latest")).not.toHaveProperty("prices");
    expect(free.find("llama3.2:latest")?.prices).toEqual({ input: 0, output: 0 });
    expect(free.find("qwen/qwen3")?.prices).toEqual({ input: 1_000_000, output: 2_000_000 });
    expect(free.resolveModel("svc-x1ac-base-llama3.2:latest").llm.provider).toBe("router");
  });

  it("keep the whole list when it is the offline responder, each model at the price it is known by", () => {
    const offline = buildCatalog({
      startedAtMs,
      snapshot: snapshotOf([{ id: offlineModelId }]),
      freeRouter: true,
    });
    const { data } = readBody(offline.modelsBody().body);
    expect(data.length).toBeGreaterThanOrEqual(2_050);
    for (const model of offline.nativeModels) {
      expect(model, model.id).toMatchObject({
        routerId: expect.any(String),
        prices: expect.any(Object),
      });
      expect(model.routerPrices?.input, model.id).not.toBe(0);
    }
    expect(offline.find("openai/gpt-4o")?.prices?.input).toBe(2_500_000);
    expect(offline.find(offlineModelId)?.prices).toEqual({ input: 0, output: 0 });
  });
});
