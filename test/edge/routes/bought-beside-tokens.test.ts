// What an aggregator bills beside tokens is covered by no hold: on the pool none of it can be requested.
import { describe, expect, test } from "vitest";
import { buildCatalog } from "../../../edge/catalog/catalog.ts";
import { readRouterList } from "../../../edge/catalog/router-snapshot.ts";
import { createTestApp, newCaller, openaiStream, openaiUsage } from "../support/app.ts";

const pricing = { prompt: "0.000002", completion: "0.00001" };
const list = readRouterList(
  {
    data: [
      { id: "openai/gpt-4o", pricing, architecture: { input_modalities: ["text", "image", "file"] } },
      { id: "vendor/reads-words:free", pricing, architecture: { input_modalities: ["text"] } },
      { id: "vendor/says-nothing", pricing },
      { id: "vendor/looks", pricing: { ...pricing, image: "0.05" } },
      { id: "vendor/hears", pricing, context_length: 1_000_000 },
      {
        id: "vendor/paints",
        pricing: { ...pricing, image_output: "0.00004" },
        architecture: { output_modalities: ["image", "text"] },
      },
      {
        id: "anthropic/claude-opus-4.8",
        pricing: { prompt: "0.000005", completion: "0.000025", input_cache_write: "0.00000625" },
      },
      { id: "perplexity/sonar", pricing: { ...pricing, web_search: "0.005" } },
      { id: "openai/o3-deep-research", pricing: { ...pricing, web_search: "0.01" } },
      { id: "openai/gpt-4o-search-preview", pricing: { ...pricing, web_search: "0.035" } },
    ],
  },
  0,
);
if (!list.ok) throw new Error(list.reason);
const catalog = buildCatalog({ snapshot: list.snapshot, startedAtMs: Date.UTC(2026, 10, 1) });

async function ask(path: string, llm: string, body: object, headers: Record<string, string> = {}) {
  const caller = await newCaller(100_000_000);
  const app = createTestApp({ catalog: async () => catalog });
  const response = await app.post(path, caller.apiKey, { model: `svc-x1ac-base-${llm}`, ...body }, headers);
  const text = await response.text();
  await response.settled();
  return { response, text, caller, sent: app.sent };
}

const url = "https://a.example/thousand-pages.pdf";
const turn = (part: object) => ({ role: "user", content: [part] });
const chat = { messages: [turn({ type: "file", file: { file_data: url } })], max_tokens: 16 };
const asked: [string, object][] = [
  ["/v1/chat/completions", chat],
  ["/v1/messages", { messages: [turn({ type: "document", source: { type: "url", url } })], max_tokens: 16 }],
  ["/v1/responses", { input: [turn({ type: "input_file", file_url: url })], max_output_tokens: 16 }],
];
const named = (engine: string) => [{ id: "file-parser", pdf: { engine } }];

describe("a document on the pool", () => {
  for (const [path, body] of asked) {
    test.each([
      ["gpt-4o", "native"],
      ["openai/gpt-4o", "native"],
      ["vendor/reads-words:free", "cloudflare-ai"],
      ["vendor/says-nothing", "cloudflare-ai"],
    ])(`of ${path} is read by what costs tokens only: %s by %s`, async (llm, engine) => {
      const { response, text, sent } = await ask(path, llm, body);
      expect(response.status, text).toBe(200);
      expect(sent[0]?.text).toContain(url);
      expect(sent[0]?.body.plugins).toEqual(named(engine));
    });
  }

  test("is not read by the engine that its caller names, which is told", async () => {
    const body = { ...chat, plugins: named("mistral-ocr") };
    const { response, sent } = await ask("/v1/chat/completions", "vendor/reads-words:free", body);
    expect(sent[0]?.body.plugins).toEqual(named("cloudflare-ai"));
    expect(response.headers.get("x-svc-unsupported")).toBe("plugins");
  });

  test.each([
    ["as its caller chose", { plugins: named("mistral-ocr") }, named("mistral-ocr")],
    ["as the aggregator likes where he chose nothing", {}, undefined],
  ])("travels with the caller's own key %s", async (_how, more, plugins) => {
    const own = { "x-router-key": "sk-or-own" };
    const { sent } = await ask("/v1/chat/completions", "vendor/reads-words:free", { ...chat, ...more }, own);
    expect(sent[0]?.text).toContain(url);
    expect(sent[0]?.body.plugins).toEqual(plugins);
  });
});

describe("OpenRouter's reasoning on the pool", () => {
  const hello = { messages: [{ role: "user", content: "hi" }], max_tokens: 16 };
  const harmless = { effort: "low", exclude: true, summary: "concise" };
  const bought = { mode: "pro", context: "all_turns", never_heard_of: 1 };

  test("buys no second pass over the prompt, and names what was left out", async () => {
    const reasoning = { ...harmless, ...bought };
    const { response, sent } = await ask("/v1/chat/completions", "openai/gpt-4o", { ...hello, reasoning });
    expect(response.status).toBe(200);
    expect(sent[0]?.body.reasoning).toEqual(harmless);
    const named = response.headers.get("x-svc-unsupported")?.split(", ");
    expect(named).toEqual(["reasoning.mode", "reasoning.context", "reasoning.never_heard_of"]);
  });

  test("alone leaves nothing to send", async () => {
    const { sent } = await ask("/v1/chat/completions", "openai/gpt-4o", { ...hello, reasoning: bought });
    expect(sent[0]?.body).not.toHaveProperty("reasoning");
  });

  test("travels whole with the caller's own key", async () => {
    const own = { "x-router-key": "sk-or-own" };
    const { sent } = await ask("/v1/chat/completions", "openai/gpt-4o", { ...hello, reasoning: bought }, own);
    expect(sent[0]?.body.reasoning).toEqual(bought);
  });
});

describe("a cache write that lasts an hour", () => {
  // Twice the input's price at Anthropic, which the aggregator's list need not say.
  test.each(["claude-opus-4-8", "anthropic/claude-opus-4.8"])("is held for and charged: %s", async (llm) => {
    const caller = await newCaller(100_000_000);
    const tokens = 40_000;
    const usage = { ...openaiUsage(tokens, 1), cost: (tokens * 10) / 1_000_000 };
    const app = createTestApp({
      catalog: async () => catalog,
      provider: [() => openaiStream(["Hi"], usage)],
    });
    const cached = {
      type: "text",
      text: "7".repeat(tokens),
      cache_control: { type: "ephemeral", ttl: "1h" },
    };
    const messages = [{ role: "user", content: [cached] }];
    const response = await app.chat(caller.apiKey, {
      model: `svc-x1ac-base-${llm}`,
      messages,
      max_tokens: 16,
    });
    await response.text();
    await response.settled();
    expect(app.sent[0]?.text).toContain('"ttl":"1h"');
    const [charge] = await caller.charges();
    expect(-charge!.amountMicro).toBeGreaterThanOrEqual(tokens * 10 * 1.25);
  });
});

test("a call by a provider key of the operator's own at the aggregator is charged by what the provider bills, not by the aggregator's fee", async () => {
  const ask = async (report: object) => {
    const caller = await newCaller(100_000_000);
    const app = createTestApp({
      catalog: async () => catalog,
      provider: [() => openaiStream(["Hi"], { ...openaiUsage(10, 1), ...report })],
    });
    const response = await app.chat(caller.apiKey, {
      model: "svc-x1ac-base-openai/gpt-4o",
      messages: [{ role: "user", content: "hi" }],
      max_tokens: 10_000,
    });
    await response.text();
    await response.settled();
    const [charge] = await caller.charges();
    return charge!;
  };
  const details = { cost_details: { upstream_inference_cost: 0.02 } };
  const own = await ask({ cost: 0.001, is_byok: true, ...details });
  expect(-own.amountMicro).toBeGreaterThanOrEqual(0.021 * 1_250_000);
  expect(own.flag).toBe("cost_above_price");
  // For others the same figure is told beside the cost, of which it is a part.
  const others = await ask({ cost: 0.0001, is_byok: false, ...details });
  expect(-others.amountMicro).toBeLessThan(1_000);
});

describe("what a few bytes, or no field, make dear", () => {
  const png = "data:image/png;base64,iVBORw0KGgo=";
  const silence = Buffer.concat([Buffer.from("fLaC"), Buffer.alloc(6_300)]).toString("base64");
  const ways: [string, string, object, { in: number; out: number; cost: number }][] = [
    [
      "a picture that its caller calls a file",
      "vendor/looks",
      { messages: [turn({ type: "file", file: { file_data: png } })] },
      { in: 300, out: 1, cost: 0.05 },
    ],
    [
      "an hour of silence in 6 KB of FLAC",
      "vendor/hears",
      { messages: [turn({ type: "input_audio", input_audio: { data: silence, format: "flac" } })] },
      { in: 115_200, out: 1, cost: 0.2304 },
    ],
    [
      "FLAC that its caller calls MP3",
      "vendor/hears",
      { messages: [turn({ type: "input_audio", input_audio: { data: silence, format: "mp3" } })] },
      { in: 115_200, out: 1, cost: 0.2304 },
    ],
    [
      "a picture of an answer of one token",
      "vendor/paints",
      { messages: [{ role: "user", content: "draw" }], modalities: ["image", "text"] },
      { in: 10, out: 6_240, cost: 0.25 },
    ],
  ];

  test.each(ways)("is held for and charged: %s", async (_what, llm, body, used) => {
    const caller = await newCaller(100_000_000);
    const usage = { ...openaiUsage(used.in, used.out), cost: used.cost };
    const app = createTestApp({
      catalog: async () => catalog,
      provider: [() => openaiStream(["Hi"], usage)],
    });
    const model = `svc-x1ac-base-${llm}`;
    const response = await app.chat(caller.apiKey, { model, max_tokens: 1, ...body });
    expect(response.status, await response.text()).toBe(200);
    await response.settled();
    const [charge] = await caller.charges();
    expect(-charge!.amountMicro).toBeGreaterThanOrEqual(used.cost * 1_250_000);
    expect(app.sent[0]?.body.max_tokens).toBe(1);
  });
});

describe("a model that searches by itself", () => {
  const hello = { messages: [{ role: "user", content: "hi" }], max_tokens: 16 };
  const models = ["perplexity/sonar", "openai/o3-deep-research", "openai/gpt-4o-search-preview"];

  test.each(models)("is not sold on the pool: %s", async (llm) => {
    const { response, text, caller, sent } = await ask("/v1/chat/completions", llm, hello);
    expect(response.status, text).toBe(401);
    expect(JSON.parse(text)).toMatchObject({ error: { type: "missing_provider_key" } });
    expect(text).toContain("x-router-key");
    expect(text).toContain("the pool does not support this model");
    expect(sent).toEqual([]);
    expect(await caller.charges()).toEqual([]);
  });

  test.each(models)("is not sold on the pool as one to fall back on: %s", async (llm) => {
    const body = { ...hello, models: [`svc-x1ac-base-${llm}`] };
    const { response, sent } = await ask("/v1/chat/completions", "openai/gpt-4o", body);
    expect(response.status).toBe(401);
    expect(sent).toEqual([]);
  });

  test.each(models)("is served with the caller's own key: %s", async (llm) => {
    const own = { "x-router-key": "sk-or-own" };
    const { response, sent } = await ask("/v1/chat/completions", llm, hello, own);
    expect(response.status).toBe(200);
    expect(sent[0]?.body.model).toBe(llm);
    expect(sent[0]?.headers.get("authorization")).toBe("Bearer sk-or-own");
  });

  test.each(models)("is listed without a price for the pool: %s", async (llm) => {
    const { apiKey } = await newCaller(1);
    const app = createTestApp({ catalog: async () => catalog });
    const path = `/v1/models/${encodeURIComponent(`svc-x1ac-base-${llm}`)}`;
    const response = await app.send(path, { headers: { authorization: `Bearer ${apiKey}` } });
    expect(await response.json()).toMatchObject({ pricing: { prompt: null, completion: null } });
  });
});
