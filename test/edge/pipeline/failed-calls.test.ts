import { expect, test } from "vitest";
import { openBill } from "../../../edge/pipeline/bill.ts";
import { createUsageMeter } from "../../../edge/pipeline/usage-meter.ts";
import type { Route } from "../../../edge/providers/registry.ts";
import { saying } from "../support/chat-request.ts";

const request = { ...saying({ type: "text", text: "hi" }), maxOutputTokens: 600 };
const route: Route = {
  provider: "router",
  model: "openai/gpt-4o",
  key: "k",
  keySource: "pool",
  prices: { input: 2_500_000, output: 10_000_000 },
  contextWindow: 128_000,
  outputLimit: undefined,
};

test("before a second model is asked, a failed one counts no more than was held for it, whatever cost it reported", () => {
  const models = [
    { request, route },
    { request, route },
  ];
  const terms = { planningPriceMicro: 0, planningTokenBound: 0, maxLlmCalls: 1, planBlock: true };
  const bill = openBill({ ...terms, models });
  const [failed, next] = [bill.lineItems[0]!, bill.lineItems[1]!];
  const observer = failed.meter.open(request, failed.outputCap);
  const usage = { input: 10, output: 20, total: 30, cachedInput: 0, cacheWrite: 0, reasoning: 0 };
  observer.observe([{ type: "usage", usage: { ...usage, costUsd: 1_000 } }]);
  observer.ended();
  expect(bill.shortOf(next)).toBe(bill.holdMicro);
});

test("no later report is asked for of a call that the provider itself ended with an error", () => {
  const takeAfter = (isFailed: boolean) => {
    const meter = createUsageMeter({ model: "vendor/model", contextWindow: 1_000, thinks: true }, 10);
    const observer = meter.open(request, 10);
    observer.named("gen-1");
    if (isFailed) observer.observe([{ type: "error", code: "upstream_error", message: "" }]);
    return meter.takeUnreported().map(({ id }) => id);
  };
  expect([false, true].map(takeAfter)).toEqual([["gen-1"], []]);
});
