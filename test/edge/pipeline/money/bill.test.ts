// The hold before a request's first call covers the highest charge that its calls can reach.
import { describe, expect, test } from "vitest";
import { stepOutputCap } from "../../../../edge/pipeline/agent-loop.ts";
import { openBill } from "../../../../edge/pipeline/money/bill.ts";
import { boundInputTokens } from "../../../../edge/pipeline/tokens/token-bounds.ts";
import { withTrailingText } from "../../../../edge/pipeline/trailing-text.ts";
import type { Route } from "../../../../edge/providers/resolve-route.ts";
import type { ChatRequest } from "../../../../shared/chat.ts";
import { maxPlanBlockBytes } from "../../../../shared/plan-block.ts";

const route: Route = {
  provider: "router",
  model: "openai/gpt-4o",
  key: "k",
  keySource: "pool",
  prices: { input: 2_500_000, output: 10_000_000 },
  contextWindow: 128_000,
  outputLimit: undefined,
};
const requestOf = (choices: number): ChatRequest => ({
  messages: [{ role: "user", parts: [{ type: "text", text: "hi" }] }],
  tools: [],
  stream: true,
  choices,
  stop: [],
  extra: {},
  maxOutputTokens: 600,
  callerDialect: "openai",
});
function billOf(request: ChatRequest, maxLlmCalls = 1, prices = route.prices) {
  const bill = openBill({
    models: [{ request, route: { ...route, prices } }],
    planningPriceMicro: 100_000,
    planningTokenBound: 50,
    maxLlmCalls,
    planBlock: true,
  });
  const lineItem = bill.lineItems[0]!;
  return { ...bill, ...lineItem, sumUp: (planningTokens: number) => bill.sumUp(planningTokens, lineItem) };
}
type Bill = ReturnType<typeof billOf>;

/** A call that uses all that it may. */
function useAll({ meter, outputCap }: Bill, sent: ChatRequest): number {
  const observer = meter.open(sent, outputCap);
  const [input, output] = [boundInputTokens(sent, route), outputCap!];
  const usage = { input, output, total: input + output, cachedInput: 0, cacheWrite: 0, reasoning: 0 };
  observer.observe([{ type: "usage", usage }]);
  observer.ended();
  return input * 2.5 + output * 10;
}

describe("the hold", () => {
  test.each([1, 3])(
    "covers %i calls that use all of the prompt with its plan, and all of the output",
    (n) => {
      const request = requestOf(n);
      const sent = withTrailingText(request, ["p".repeat(maxPlanBlockBytes)], route.model);
      const bill = billOf(request);
      const cost = Array.from({ length: n }, () => useAll(bill, sent)).reduce((sum, one) => sum + one, 0);
      const { chargeMicro, flag } = bill.sumUp(50);
      expect(flag).toBeNull();
      expect(chargeMicro).toBe(Math.ceil((cost + 5) * 1.25));
      expect(chargeMicro).toBeLessThanOrEqual(bill.holdMicro);
    },
  );

  test("of a loop covers steps that write all that they may, beside the answer", () => {
    const ofOutput = { input: 0, output: 10_000_000 };
    const [once, loop] = [1, 3].map((calls) => billOf(requestOf(1), calls, ofOutput));
    expect(loop!.holdMicro - once!.holdMicro).toBeGreaterThanOrEqual(2 * stepOutputCap * 10 * 1.25);
    expect(loop!.planningTokenBound).toBeGreaterThanOrEqual(3 * once!.planningTokenBound);
  });

  test("is the most that is charged, and the row says so", () => {
    const bill = billOf(requestOf(1));
    const observer = bill.meter.open(requestOf(1), 600);
    const usage = { input: 1e6, output: 1e6, total: 2e6, cachedInput: 0, cacheWrite: 0, reasoning: 0 };
    observer.observe([{ type: "usage", usage: { ...usage, costUsd: 1_000 } }]);
    observer.ended();
    expect(bill.sumUp(50)).toMatchObject({ chargeMicro: bill.holdMicro, flag: "usage_out_of_bounds" });
    const long = billOf(requestOf(1));
    for (const _ of [1, 2]) useAll(long, requestOf(1));
    expect(long.sumUp(50)).toMatchObject({ chargeMicro: long.holdMicro, flag: "capped_at_hold" });
  });
});

describe("before a second model is asked", () => {
  const request = requestOf(1);
  const models = [
    { request, route },
    { request, route },
  ];
  const usage = { input: 10, output: 20, total: 30, cachedInput: 0, cacheWrite: 0, reasoning: 0 };
  function openTwo(planningPriceMicro: number, planningTokenBound: number) {
    const terms = { planningPriceMicro, planningTokenBound, maxLlmCalls: 1, planBlock: true };
    const bill = openBill({ ...terms, models });
    const [failed, next] = [bill.lineItems[0]!, bill.lineItems[1]!];
    return { bill, next, open: () => failed.meter.open(request, 600) };
  }

  test("a call that was not ended counts as all that was held for it, an ended one as its cost", () => {
    const { bill, next, open } = openTwo(100_000, 50);
    expect(bill.shortOf(next)).toBe(0);
    const observer = open();
    // The plan is made once: 50 tokens at 0.10, a quarter more.
    expect(bill.shortOf(next)).toBe(bill.holdMicro - Math.floor(5 * 1.25));
    observer.observe([{ type: "usage", usage }]);
    expect(bill.shortOf(next)).toBe(bill.holdMicro - Math.floor(5 * 1.25));
    observer.ended();
    expect(bill.shortOf(next)).toBe(Math.ceil((10 * 2.5 + 20 * 10) * 1.25));
  });

  test("a failed one counts no more than was held for it, whatever cost it reported", () => {
    const { bill, next, open } = openTwo(0, 0);
    const observer = open();
    observer.observe([{ type: "usage", usage: { ...usage, costUsd: 1_000 } }]);
    observer.ended();
    expect(bill.shortOf(next)).toBe(bill.holdMicro);
  });
});
