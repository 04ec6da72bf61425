// Some hosts hold an answer to `max_tokens` and bill the thinking before it in addition. Without room for that in the hold, one token of
// answer bought 82,000 of thinking, which the operator paid.
import { expect, test } from "vitest";
import { buildCatalog } from "../../../edge/catalog/catalog.ts";
import { readRouterList } from "../../../edge/catalog/router-snapshot.ts";
import { createTestApp, newCaller, openaiStream, openaiUsage } from "../support/app.ts";

/** US dollars a token. */
const price = { input: 0.00000125, output: 0.00000375 };
const listed = (id: string, parameters: string[]) => ({
  id,
  context_length: 1_000_000,
  pricing: { prompt: String(price.input), completion: String(price.output) },
  supported_parameters: parameters,
});
const thinking = [
  "qwen/qwen3.7-max",
  "bytedance-seed/seed-2.0-lite",
  "z-ai/glm-5",
  "google/gemma-4-31b-it",
  "google/gemini-3.5-flash",
  "x-ai/grok-4.3",
];
const list = readRouterList(
  { data: [...thinking.map((id) => listed(id, ["reasoning"])), listed("qwen/qwen3-coder", ["tools"])] },
  0,
);
if (!list.ok) throw new Error(list.reason);
const catalog = buildCatalog({ snapshot: list.snapshot, startedAtMs: Date.UTC(2026, 10, 1) });

/** What the provider bills for a thought before an answer of one token, and what the caller is charged for it. */
async function think(llm: string, thought: number, cap: number) {
  const caller = await newCaller(100_000_000);
  const cost = 20 * price.input + (thought + 1) * price.output;
  const usage = {
    ...openaiUsage(20, thought + 1),
    completion_tokens_details: { reasoning_tokens: thought },
    cost,
  };
  const provider = [() => openaiStream(["Hi"], usage)];
  const app = createTestApp({ catalog: async () => catalog, provider });
  const response = await app.chat(caller.apiKey, {
    model: `svc-x1ac-base-${llm}`,
    messages: [{ role: "user", content: "hi" }],
    max_tokens: cap,
  });
  expect(response.status, await response.clone().text()).toBe(200);
  await response.text();
  await response.settled();
  const [charge] = await caller.charges();
  return { charge: charge!, costMicro: cost * 1_000_000, sent: app.sent };
}

test.each([
  ["qwen/qwen3.7-max", 81_920, 1],
  ["bytedance-seed/seed-2.0-lite", 32_768, 1],
  ["z-ai/glm-5", 4_096, 1],
  ["z-ai/glm-5", 20_000, 20_000],
  ["google/gemma-4-31b-it", 4_096, 1],
])("what %s thinks beside the cap is charged: %i tokens beside %i", async (llm, thought, cap) => {
  const { charge, costMicro, sent } = await think(llm, thought, cap);
  expect(sent[0]?.body.max_tokens).toBe(cap);
  expect(charge).toMatchObject({ flag: null, reasoningTokens: thought });
  expect(-charge.amountMicro).toBeGreaterThanOrEqual(costMicro * 1.25);
});

test.each([
  ["qwen/qwen3.7-max", 1_000, "choose a model that does not think"],
  ["z-ai/glm-5", 8_000, "ask for fewer output tokens"],
  ["qwen/qwen3-coder", 1_000, "ask for fewer output tokens"],
])("a caller without the credit for %s is told what lowers the hold", async (llm, cap, advice) => {
  const { apiKey } = await newCaller(100);
  const app = createTestApp({ catalog: async () => catalog });
  const messages = [{ role: "user", content: "hi" }];
  const response = await app.chat(apiKey, { model: `svc-x1ac-base-${llm}`, messages, max_tokens: cap });
  expect(response.status).toBe(402);
  expect(await response.text()).toContain(advice);
});

test.each(["x-ai/grok-4.3", "google/gemini-3.5-flash", "qwen/qwen3-coder"])(
  "a cap that counts thinking, or a model that does not think, holds for no more: %s",
  async (llm) => {
    expect((await think(llm, 4_096, 1)).charge).toMatchObject({
      flag: "usage_out_of_bounds",
      outputTokens: 1,
    });
  },
);
