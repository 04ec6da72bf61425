// A hold covers every charge within its bounds.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chargeMicro, holdMicro } from "../../../edge/billing/price.ts";
import type { PriceCard } from "../../../edge/catalog/model.ts";
import { billableOutput, type Usage } from "../../../shared/chat.ts";

const none = { tokens: 0, priceMicroPerMillion: 0 };

const priceMicro = fc.integer({ min: 0, max: 600_000_000 });
const tokenPrices = fc.record(
  {
    input: priceMicro,
    output: priceMicro,
    cachedInput: priceMicro,
    cacheWrite: priceMicro,
    cacheWriteLong: priceMicro,
    audioInput: priceMicro,
    audioOutput: priceMicro,
    reasoningOutput: priceMicro,
  },
  { requiredKeys: ["input", "output"] },
);
const tokens = fc.integer({ min: 0, max: 2_000_000 });
const card = fc
  .tuple(
    tokenPrices,
    fc.array(fc.record({ aboveInputTokens: tokens, prices: tokenPrices }), { maxLength: 3 }),
    priceMicro,
  )
  .map(([prices, longContext, perRequest]): PriceCard => ({ ...prices, longContext, perRequest }));
const share = fc.double({ min: 0, max: 1, noNaN: true });
const consistentUsage = (input: number, output: number, shares: number[]): Usage => {
  const part = (whole: number, index: number) => Math.floor(whole * shares[index]!);
  const cachedInput = part(input, 0);
  const cacheWrite = part(input - cachedInput, 1);
  const apart = shares[5]! > 0.5;
  const reasoning = part(output, 2);
  const inside = apart ? output - reasoning : output;
  return {
    input,
    output: inside,
    total: input + output,
    cachedInput,
    cacheWrite,
    cacheWriteLong: part(cacheWrite, 3),
    reasoning,
    audioInput: part(input, 4),
    audioOutput: part(inside, 6),
  };
};

describe("holdMicro", () => {
  it("covers the charge of every usage within its bounds", () => {
    const shares = fc.array(share, { minLength: 9, maxLength: 9 });
    const markup = fc.constantFrom(0 as const, 0.25 as const);
    const requests = fc.integer({ min: 1, max: 5 });
    fc.assert(
      fc.property(
        card,
        tokens,
        tokens,
        tokens,
        shares,
        markup,
        requests,
        (prices, inputBound, outputBound, planned, s, rate, n) => {
          const used = consistentUsage(Math.floor(inputBound * s[7]!), Math.floor(outputBound * s[8]!), s);
          expect(billableOutput(used)).toBeLessThanOrEqual(outputBound);
          const planning = { priceMicroPerMillion: 400_000 };
          const held = holdMicro({
            planning: { ...planning, tokenBound: planned },
            llm: { inputBound, outputBound, prices, requests: n },
            markup: rate,
          });
          const llm = { usage: used, prices, requests: n };
          expect(
            chargeMicro({ planning: { ...planning, tokens: planned }, llm, markup: rate }),
          ).toBeLessThanOrEqual(held);
          const oneCall = { usage: used, prices };
          expect(
            chargeMicro({ planning: { ...planning, tokens: planned }, llm: oneCall, markup: rate }),
          ).toBeLessThanOrEqual(held);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("covers calls priced one by one", () => {
    const split = fc.array(fc.tuple(tokens, tokens, fc.array(share, { minLength: 9, maxLength: 9 })), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(card, split, (prices, calls) => {
        const llm = calls.map(([input, output, s]) => ({ usage: consistentUsage(input, output, s), prices }));
        const inputBound = calls.reduce((sum, [input]) => sum + input, 0);
        const outputBound = calls.reduce((sum, [, output]) => sum + output, 0);
        const bounds = { inputBound, outputBound, prices, requests: calls.length };
        const held = holdMicro({
          planning: { tokenBound: 0, priceMicroPerMillion: 0 },
          llm: bounds,
          markup: 0.25,
        });
        expect(chargeMicro({ planning: none, llm, markup: 0.25 })).toBeLessThanOrEqual(held);
      }),
    );
  });
});
