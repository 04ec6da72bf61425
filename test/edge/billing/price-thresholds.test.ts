import { describe, expect, it } from "vitest";
import { chargeMicro, costsMore } from "../../../edge/billing/price.ts";
import type { PriceCard } from "../../../edge/catalog/model.ts";
import type { Usage } from "../../../shared/chat.ts";

const card: PriceCard = { input: 1_000_000, output: 1_000_000 };
const usage = (input: number): Usage => ({
  input,
  output: 0,
  total: input,
  cachedInput: 0,
  cacheWrite: 0,
  reasoning: 0,
});

describe("a reported cost", () => {
  /** Our own price of it is 1,000 micro-dollars. */
  const reported = (reportedCostUsd: number) => ({ usage: usage(1_000), prices: card, reportedCostUsd });

  it.each([
    ["our own price", 0.001, false],
    ["a part of a micro-dollar more, which the aggregator may have rounded up", 0.001_000_5, false],
    ["a whole micro-dollar more", 0.001_001, false],
    ["more than that", 0.001_001_1, true],
    ["less", 0.000_9, false],
  ])("of %s: whether something was bought that we do not price", (_name, costUsd, expected) => {
    expect(costsMore(reported(costUsd))).toBe(expected);
  });
});

describe("prices of long contexts", () => {
  const at = (aboveInputTokens: number, input: number) => ({
    aboveInputTokens,
    prices: { input, output: 0 },
  });
  const low = at(1_000, 2_000_000);
  const high = at(10_000, 3_000_000);

  it.each([
    ["from the lowest on", [low, high]],
    ["from the highest on", [high, low]],
  ])("are those of the highest that is passed, listed %s", (_name, longContext) => {
    const charge = (input: number) =>
      chargeMicro({
        planning: { tokens: 0, priceMicroPerMillion: 0 },
        llm: { usage: usage(input), prices: { ...card, longContext } },
        markup: 0,
      });
    expect([1_000, 1_001, 10_000, 10_001].map(charge)).toEqual([1_000, 2_002, 20_000, 30_003]);
  });
});
