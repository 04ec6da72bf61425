import { describe, expect, it } from "vitest";
import {
  decodeSnapshot,
  encodeSnapshot,
  type ReadRouterResult,
  readAggregatorModels,
  readRouterList,
} from "../../../edge/catalog/router-snapshot.ts";

const readAtMs = 1_795_000_000_000;

const sonnet = {
  id: "anthropic/claude-3.7-sonnet",
  created: 1_740_422_110,
  context_length: 200_000,
  top_provider: { context_length: 200_000, max_completion_tokens: 64_000, is_moderated: false },
  architecture: { modality: "text+image->text", output_modalities: ["text"] },
  pricing: {
    prompt: "0.000003",
    completion: "0.000015",
    request: "0",
    image: "0.0048",
    input_cache_read: "0.0000003",
    input_cache_write: "0.00000375",
    internal_reasoning: "0",
  },
};
const tiered = {
  id: "google/gemini-2.5-pro",
  context_length: 1_048_576,
  pricing: {
    prompt: "0.00000125",
    completion: "0.00001",
    input_cache_read: "0.000000125",
    request: "0.005",
    overrides: [
      {
        min_prompt_tokens: 200_001,
        prompt: "0.0000025",
        completion: "0.000015",
        input_cache_read: "0.00000025",
      },
    ],
  },
};

function readModels(result: ReadRouterResult) {
  if (!result.ok) throw new Error(result.reason);
  return result.snapshot.models;
}

describe("the aggregator's list", () => {
  it("keeps window, output limit and exact prices", () => {
    expect(readModels(readRouterList({ data: [sonnet] }, readAtMs))).toEqual([
      {
        id: "anthropic/claude-3.7-sonnet",
        contextWindow: 200_000,
        outputLimit: 64_000,
        created: 1_740_422_110,
        prices: {
          input: 3_000_000,
          output: 15_000_000,
          cachedInput: 300_000,
          cacheWrite: 3_750_000,
          perImage: 4_800,
        },
      },
    ]);
  });

  it("keeps long-context bands and a price per request", () => {
    const [model] = readModels(readRouterList({ data: [tiered] }, readAtMs));
    expect(model?.prices).toEqual({
      input: 1_250_000,
      output: 10_000_000,
      cachedInput: 125_000,
      perRequest: 5_000,
      longContext: [
        { aboveInputTokens: 200_000, prices: { input: 2_500_000, output: 15_000_000, cachedInput: 250_000 } },
      ],
    });
  });

  it.each([
    ["a local server that names no price", { id: "llama3.2:latest", object: "model", owned_by: "library" }],
    ["a router whose price varies", { id: "openrouter/auto", pricing: { prompt: "-1", completion: "-1" } }],
    ["a price that is no number", { id: "odd/price", pricing: { prompt: "cheap", completion: "0.1" } }],
  ])("leaves %s unpriced", (_case, entry) => {
    const [model] = readModels(readRouterList({ data: [entry] }, readAtMs));
    expect(model).toEqual({ id: entry.id });
  });

  it.each([
    [["tools", "response_format", "structured_outputs"], "schema"],
    [["tools", "response_format"], "json"],
    [["tools"], "none"],
    [undefined, undefined],
    ["all", undefined],
  ])("reads of the parameters %j that answers are held to: %s", (supported_parameters, formats) => {
    const entry = { id: "some/model", supported_parameters };
    const result = readRouterList({ data: [entry] }, readAtMs);
    expect(readModels(result)[0]).toEqual({ id: "some/model", ...(formats && { formats }) });
    if (result.ok) expect(decodeSnapshot(encodeSnapshot(result.snapshot))).toEqual(result.snapshot);
  });

  it.each([
    [["text", "image", "file"], true],
    [["text", "image"], undefined],
    [undefined, undefined],
    ["file", undefined],
  ])("reads of the kinds of input %j that it reads documents itself: %s", (input_modalities, files) => {
    const entry = { id: "some/model", architecture: { input_modalities, output_modalities: ["text"] } };
    const result = readRouterList({ data: [entry] }, readAtMs);
    expect(readModels(result)[0]).toEqual({ id: "some/model", ...(files && { files }) });
    if (result.ok) expect(decodeSnapshot(encodeSnapshot(result.snapshot))).toEqual(result.snapshot);
  });

  it("reads vLLM's name for the window", () => {
    const [model] = readModels(readRouterList({ data: [{ id: "qwen", max_model_len: 32_768 }] }, readAtMs));
    expect(model?.contextWindow).toBe(32_768);
  });

  it.each<[string, object]>([
    ["window", { context_length: 1e30 }],
    ["vLLM window", { max_model_len: 1e30 }],
    ["output limit", { top_provider: { max_completion_tokens: 1e30 } }],
    ["date", { created: 1e30 }],
    ["band", { pricing: { ...tiered.pricing, overrides: [{ min_prompt_tokens: 1e30 }] } }],
  ])("stays readable when it is stored with a %s of 1e30", (_what, entry) => {
    const result = readRouterList({ data: [sonnet, { id: "some/model", ...entry }] }, readAtMs);
    expect(readModels(result)).toHaveLength(2);
    if (result.ok) expect(decodeSnapshot(encodeSnapshot(result.snapshot))).toEqual(result.snapshot);
  });

  it("skips and counts bad entries, and leaves out models that write no text", () => {
    const painter = { id: "paint/er", architecture: { output_modalities: ["image"] } };
    const data = [sonnet, null, 7, { id: 5 }, { id: "" }, { id: "has space" }, painter, sonnet];
    const result = readRouterList({ data }, readAtMs);
    expect(result).toMatchObject({ ok: true, snapshot: { skipped: 5, readAtMs } });
    expect(readModels(result).map(({ id }) => id)).toEqual([sonnet.id]);
  });

  it("survives odd types beside good ones", () => {
    const entry = { ...sonnet, created: "yesterday", context_length: -5, top_provider: "x", architecture: 3 };
    const [model] = readModels(readRouterList({ data: [entry] }, readAtMs));
    expect(model).toMatchObject({ id: sonnet.id, prices: { input: 3_000_000 } });
    expect(model?.contextWindow).toBeUndefined();
  });

  it.each([
    [{ models: [] }, "not-a-list"],
    ["<html>", "not-a-list"],
    [undefined, "not-a-list"],
    [{ data: [] }, "no-models"],
    [{ data: [1, 2] }, "no-models"],
  ])("refuses %j as %s", (body, reason) => {
    expect(readRouterList(body, readAtMs)).toEqual({ ok: false, reason });
  });
});

describe("the prices of a list (books 7)", () => {
  const priced = (pricing: object) =>
    readModels(readRouterList({ data: [{ id: "a/b", pricing: { ...base, ...pricing } }] }, readAtMs))[0]
      ?.prices;
  const base = { prompt: "0.000001", completion: "0.000002" };
  const card = { input: 1_000_000, output: 2_000_000 };

  it.each<[string, object, object]>([
    ["pictures of an answer", { image_output: "0.00003" }, { imageOutput: 30_000_000 }],
    ["spoken answers", { audio_output: "0.00008" }, { audioOutput: 80_000_000 }],
    ["pictures of a prompt", { image: "0.0012" }, { perImage: 1_200 }],
    [
      "what a model that does not search by itself sells by fields the pool does not send",
      { web_search: "0.01", discount: 0.5 },
      {},
    ],
    [
      "what nobody here knows, by token",
      { hologram: "0.00005", smell: "0.00002" },
      { unknown: { perToken: 50_000_000, perRequest: 0 } },
    ],
    [
      "what nobody here knows, larger than a token",
      { film: "0.25" },
      { unknown: { perToken: 0, perRequest: 250_000 } },
    ],
    [
      "what nobody here knows, a tenth of a cent: dearer than any token",
      { film: "0.001" },
      { unknown: { perToken: 0, perRequest: 1_000 } },
    ],
    ["nothing", { hologram: "0", film: "n/a", list: [1] }, {}],
  ])("read %s", (_what, pricing, expected) => {
    expect(priced(pricing)).toEqual({ ...card, ...expected });
  });

  const long = { min_prompt_tokens: 200_001, prompt: "0.000003" };
  const longContext = [{ aboveInputTokens: 200_000, prices: { ...card, input: 3_000_000 } }];
  const held = (perToken: number) => ({ unknown: { perToken, perRequest: 0 } });

  it.each<[string, unknown, object]>([
    ["beside one that cannot be read", [null, { min_prompt_tokens: 9, prompt: {} }, long], { longContext }],
    ["from a number that is written as text", [{ ...long, min_prompt_tokens: "200001" }], { longContext }],
    [
      "of certain hours: the dearest is held for",
      [{ utc_start: "01:00", completion: "0.000004" }],
      held(4_000_000),
    ],
    ["of certain hours that are cheaper", [{ utc_start: "16:30", completion: "0.000001" }], {}],
    ["in no list", { long }, {}],
  ])("read bands %s", (_what, overrides, expected) => {
    expect(priced({ overrides })).toEqual({ ...card, ...expected });
  });
});

describe("reading from the aggregator", () => {
  const answer = (response: () => Response) => async () => response();
  const read = (fetch: typeof globalThis.fetch, apiKey?: string) =>
    readAggregatorModels({
      fetch,
      baseUrl: "http://router.test/v1/",
      apiKey,
      readAtMs,
      signal: AbortSignal.timeout(5_000),
    });

  it("asks for /models below the base URL, with the key only when there is one", async () => {
    const seen: { url: string; authorization: string | null }[] = [];
    const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
      seen.push({ url: String(input), authorization: new Headers(init?.headers).get("authorization") });
      return Response.json({ data: [sonnet] });
    };
    expect((await read(fetch)).ok).toBe(true);
    await read(fetch, "sk-or-canary");
    expect(seen).toEqual([
      { url: "http://router.test/v1/models", authorization: null },
      { url: "http://router.test/v1/models", authorization: "Bearer sk-or-canary" },
    ]);
  });

  it("follows no redirect: the key would go with it (books 9)", async () => {
    const fetch = async (_input: RequestInfo | URL, init?: RequestInit) => {
      expect(init?.redirect).toBe("manual");
      return new Response(null, { status: 302, headers: { location: "https://elsewhere.example" } });
    };
    expect(await read(fetch, "sk-or-canary")).toEqual({ ok: false, reason: "refused", status: 302 });
  });

  it.each([
    ["is down", () => Promise.reject(new TypeError("connect refused")), { reason: "unreachable" }],
    ["refuses", answer(() => new Response("no", { status: 503 })), { reason: "refused", status: 503 }],
    ["answers with a page", answer(() => new Response("<html>")), { reason: "not-a-list" }],
    ["sends too much", answer(() => new Response("x".repeat(17 * 1024 * 1024))), { reason: "too-large" }],
  ])("gives a reason when it %s", async (_case, fetch, expected) => {
    expect(await read(fetch)).toEqual({ ok: false, ...expected });
  });

  it("keeps a snapshot as text, and refuses a damaged one", () => {
    const result = readRouterList({ data: [sonnet, tiered] }, readAtMs);
    if (!result.ok) throw new Error(result.reason);
    const text = encodeSnapshot(result.snapshot);
    expect(decodeSnapshot(text)).toEqual(result.snapshot);
    expect(decodeSnapshot(text.slice(0, -1))).toBeUndefined();
    expect(decodeSnapshot(text.replace('"version":1', '"version":9'))).toBeUndefined();
    expect(decodeSnapshot(text.replace("3000000", "-3"))).toBeUndefined();
  });
});
