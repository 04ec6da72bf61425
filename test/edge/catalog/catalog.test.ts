import { describe, expect, it } from "vitest";
import { aliases } from "../../../edge/catalog/aliases.ts";
import { buildCatalog } from "../../../edge/catalog/catalog.ts";
import { offlineModelId } from "../../../edge/catalog/model.ts";
import { nativePriceFile } from "../../../edge/catalog/price-file.ts";
import { GatewayError } from "../../../shared/errors.ts";
import { sizes } from "../../../shared/model-sizes.ts";
import { snapshotOf, startedAtMs } from "../support/aggregator-list.ts";

const catalog = buildCatalog({ startedAtMs });

type ListBody = { object: string; data: { id: string; object: string; created: number; owned_by: string }[] };
const readBody = (text: string) => JSON.parse(text) as ListBody;

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
    ["svc-x1ac-base-gpt4o", "model_not_found", "Did you mean svc-x1ac-base-gpt-4o, "],
    ["svc-x1ac-medium-gpt-4o", "model_not_found", "small, base, large, xl, huge"],
    ["gpt-4o", "model_not_found", "Did you mean svc-x1ac-base-gpt-4o?"],
    ["openai/gpt-4o", "model_not_found", "Did you mean svc-x1ac-base-openai/gpt-4o?"],
    ["openai/svc-x1ac-base-gpt-4o", "model_not_found", "Did you mean svc-x1ac-base-gpt-4o?"],
    ["openai/svc-x1ac-large-gpt-4o", "model_not_found", "Did you mean svc-x1ac-large-gpt-4o?"],
    ["SVC-X1AC-XL-GPT-4O", "model_not_found", "Did you mean svc-x1ac-xl-gpt-4o?"],
    ["svc-x1ac-base/gpt-4o", "model_not_found", "Did you mean svc-x1ac-base-gpt-4o?"],
    ["SVC-X1AC-BASE-GPT-4O", "model_not_found", "Did you mean svc-x1ac-base-gpt-4o?"],
    [" svc-x1ac-base-gpt-4o", "model_not_found", "Did you mean svc-x1ac-base-gpt-4o?"],
    ["svc-x1ac-gpt-4o", "model_not_found", "Did you mean svc-x1ac-base-gpt-4o?"],
    [
      "svc-x1ac-base-llama-3.3-70b-instruct",
      "model_not_found",
      "svc-x1ac-base-meta-llama/llama-3.3-70b-instruct",
    ],
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
