import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chargeMicro, costsMore, holdMicro, reportedMicro } from "../../../edge/billing/price.ts";
import type { PriceCard } from "../../../edge/catalog/model.ts";
import type { Usage } from "../../../shared/chat.ts";
import { toCredits } from "../../../shared/credits.ts";

const none = { tokens: 0, priceMicroPerMillion: 0 };
/** Claude 3.7 Sonnet, US dollars per million: 3 in, 15 out, 3.75 written, 0.30 read. */
const sonnet: PriceCard = {
  input: 3_000_000,
  output: 15_000_000,
  cacheWrite: 3_750_000,
  cachedInput: 300_000,
};

function usage(counts: Partial<Usage>): Usage {
  const { input = 0, output = 0 } = counts;
  return { input, output, total: input + output, cachedInput: 0, cacheWrite: 0, reasoning: 0, ...counts };
}
const charge = (prices: PriceCard, counts: Partial<Usage>, markup: 0 | 0.25 = 0) =>
  chargeMicro({ planning: none, llm: { usage: usage(counts), prices }, markup });

describe("chargeMicro", () => {
  it("prices 3 plain, 12304 written and 550 out on Claude 3.7 Sonnet as its console does: $0.05439 (failures 13)", () => {
    const micro = charge(sonnet, { input: 12_307, cacheWrite: 12_304, output: 550 });
    expect(micro).toBe(54_399); // 3 x 3 + 12304 x 3.75 + 550 x 15, which the console cuts to five decimals
    expect(`${toCredits(micro)}`).toMatch(/^0\.05439/);
  });

  it("charges nothing for a reported usage of zero (failures 2)", () => {
    expect(charge(sonnet, { input: 0, output: 0 }, 0.25)).toBe(0);
  });

  it.each<{ what: string; prices: PriceCard; counts: Partial<Usage>; micro: number }>([
    { what: "plain tokens", prices: sonnet, counts: { input: 1000, output: 100 }, micro: 4500 },
    { what: "cached input once", prices: sonnet, counts: { input: 1000, cachedInput: 1000 }, micro: 300 },
    {
      what: "cached input like input without a price",
      prices: { input: 2_000_000, output: 0 },
      counts: { input: 10, cachedInput: 5 },
      micro: 20,
    },
    {
      what: "long writes apart from short ones",
      prices: { ...sonnet, cacheWriteLong: 6_000_000 },
      counts: { input: 300, cacheWrite: 200, cacheWriteLong: 100 },
      micro: 300 + 375 + 600,
    },
    {
      what: "long writes like short ones without a price",
      prices: sonnet,
      counts: { input: 100, cacheWrite: 100, cacheWriteLong: 100 },
      micro: 375,
    },
    {
      what: "audio input once",
      prices: { input: 1_000_000, output: 0, audioInput: 40_000_000 },
      counts: { input: 100, audioInput: 60 },
      micro: 40 + 2400,
    },
    {
      what: "audio that was cached as cached only",
      prices: { input: 1_000_000, output: 0, cachedInput: 0, audioInput: 40_000_000 },
      counts: { input: 100, cachedInput: 100, audioInput: 60 },
      micro: 0,
    },
    {
      what: "audio output once",
      prices: { input: 0, output: 1_000_000, audioOutput: 80_000_000 },
      counts: { output: 10, audioOutput: 4 },
      micro: 6 + 320,
    },
    {
      what: "reasoning inside the output once",
      prices: sonnet,
      counts: { output: 100, reasoning: 60 },
      micro: 1500,
    },
    {
      what: "reasoning counted apart from the output",
      prices: sonnet,
      counts: { output: 100, reasoning: 60, total: 160 },
      micro: 2400,
    },
    {
      what: "reasoning at its own price",
      prices: { input: 0, output: 1_000_000, reasoningOutput: 3_000_000 },
      counts: { output: 100, reasoning: 60 },
      micro: 220,
    },
    {
      what: "a price per request",
      prices: { ...sonnet, perRequest: 5000 },
      counts: { input: 1000 },
      micro: 8000,
    },
    {
      what: "a part of a micro-credit as a whole one",
      prices: { input: 1, output: 0 },
      counts: { input: 1 },
      micro: 1,
    },
  ])("prices $what", ({ prices, counts, micro }) => {
    expect(charge(prices, counts)).toBe(micro);
  });

  describe("long context", () => {
    const long = { ...sonnet, input: 6_000_000, output: 22_500_000 };
    const tiered: PriceCard = { ...sonnet, longContext: [{ aboveInputTokens: 200_000, prices: long }] };

    it("prices each of several calls by its own size", () => {
      const call = { usage: usage({ input: 150_000 }), prices: tiered };
      expect(chargeMicro({ planning: none, llm: [call, call], markup: 0 })).toBe(900_000);
    });

    it("holds the price of the dearest tier the request can reach (failures 8)", () => {
      const hold = (inputBound: number) =>
        holdMicro({
          planning: { tokenBound: 0, priceMicroPerMillion: 0 },
          llm: { inputBound, outputBound: 0, prices: tiered },
          markup: 0,
        });
      expect(hold(300_000)).toBeGreaterThanOrEqual(charge(tiered, { input: 300_000 }));
      expect(hold(200_000)).toBe(750_000); // all of it could be written to the cache
    });

    const at = (aboveInputTokens: number, input: number) => ({
      aboveInputTokens,
      prices: { input, output: 0 },
    });
    const [low, high] = [at(1_000, 2_000_000), at(10_000, 3_000_000)];
    it.each([
      ["from the lowest on", [low, high]],
      ["from the highest on", [high, low]],
    ])("has the prices of the highest bound that is passed, listed %s", (_name, longContext) => {
      const charged = [1_000, 1_001, 10_000, 10_001].map((input) =>
        charge({ input: 1_000_000, output: 0, longContext }, { input }),
      );
      expect(charged).toEqual([1_000, 2_002, 20_000, 30_003]);
    });
  });

  it("adds the pool's quarter to planning and LLM together, and rounds once", () => {
    const planning = { tokens: 3, priceMicroPerMillion: 100_000 };
    const llm = { usage: usage({ input: 1 }), prices: { input: 100_000, output: 0 } };
    expect(chargeMicro({ planning, llm, markup: 0.25 })).toBe(1); // 0.3 + 0.1, times 1.25 is 0.5
    expect(chargeMicro({ planning: { ...planning, tokens: 1_000_000 }, markup: 0 })).toBe(100_000);
    expect(chargeMicro({ planning: { ...planning, tokens: 1_000_000 }, markup: 0.25 })).toBe(125_000);
  });

  it("marks up calls apart from planning where they were paid otherwise, and rounds the sum once", () => {
    const planning = { tokens: 3, priceMicroPerMillion: 100_000 };
    const llm = { usage: usage({ input: 2 }), prices: { input: 280_000, output: 0 } };
    expect(chargeMicro({ planning, llm, markup: 0, llmMarkup: 0.25 })).toBe(1); // 0.3 + 0.56 x 1.25
    const more = { ...llm, usage: usage({ input: 1_000_000 }) };
    expect(chargeMicro({ planning, llm: more, markup: 0, llmMarkup: 0.25 })).toBe(350_001);
    expect(chargeMicro({ planning, llm: more, markup: 0.25, llmMarkup: 0 })).toBe(280_001);
  });

  it("stays exact where doubles do not", () => {
    const prices = { input: 149_999_999, output: 0 };
    expect(charge(prices, { input: 999_999_999 })).toBe(149_999_998_851); // 149999998850.000001, up
    expect(Math.ceil((149_999_999 * 999_999_999) / 1_000_000)).toBe(149_999_998_850);
  });

  it.each([0.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses to price %s tokens", (input) => {
    expect(() => charge(sonnet, { input })).toThrow(RangeError);
  });
});

describe("prices that are not of a token we count", () => {
  const prices: PriceCard = { input: 1_000_000, output: 2_000_000 };
  const hold = (more: Partial<PriceCard>, images = 0) =>
    holdMicro({
      planning: { tokenBound: 0, priceMicroPerMillion: 0 },
      llm: { inputBound: 100, outputBound: 10, requests: 2, images, prices: { ...prices, ...more } },
      markup: 0,
    });

  it("are held for: pictures of the prompt, pictures of the answer, and prices nobody knows", () => {
    expect(hold({})).toBe(120);
    expect(hold({ perImage: 50 }, 3)).toBe(270);
    expect(hold({ imageOutput: 30_000_000 })).toBe(400);
    expect(hold({ unknown: { perToken: 5_000_000, perRequest: 7 } })).toBe(564);
  });

  it("a picture of an answer costs its own price (books 7)", () => {
    const usage: Usage = {
      input: 10,
      output: 1_300,
      total: 1_310,
      cachedInput: 0,
      cacheWrite: 0,
      reasoning: 0,
      imageOutput: 1_290,
    };
    const llm = { usage, prices: { ...prices, imageOutput: 30_000_000 } };
    expect(chargeMicro({ planning: none, llm, markup: 0 })).toBe(10 + 10 * 2 + 1_290 * 30);
  });

  it("what the aggregator took is charged where it is more, never where it is less (books 1)", () => {
    const usage: Usage = { input: 10, output: 10, total: 20, cachedInput: 0, cacheWrite: 0, reasoning: 0 };
    const charge = (reportedCostUsd: number | undefined) =>
      chargeMicro({ planning: none, llm: { usage, prices, reportedCostUsd }, markup: 0.25 });
    expect(charge(undefined)).toBe(38);
    expect(charge(0.000_001)).toBe(38);
    expect(charge(0.001)).toBe(1_250);
    for (const odd of [-1, Number.NaN, 0]) expect(charge(odd)).toBe(38);
    expect([undefined, 0.000_001, 0.000_001_1].map(reportedMicro)).toEqual([undefined, 1, 2]);
    // Beyond any amount is not nothing: the hold cuts it.
    for (const huge of [1e300, Number.POSITIVE_INFINITY]) expect(charge(huge)).toBeGreaterThan(1e9);
  });
});

describe("credits", () => {
  it("writes no more than six decimals", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 50 }), (micro) => {
        const text = toCredits(micro) < 1e-6 ? toCredits(micro).toFixed(6) : `${toCredits(micro)}`;
        const [whole, fraction = ""] = text.split(".");
        expect(BigInt(whole! + fraction.padEnd(6, "0"))).toBe(BigInt(micro));
      }),
    );
  });
});

describe("a reported cost", () => {
  /** Our own price of it is 1,000 micro-dollars. */
  const reported = (reportedCostUsd: number) => ({
    usage: usage({ input: 1_000 }),
    prices: { input: 1_000_000, output: 0 },
    reportedCostUsd,
  });

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
