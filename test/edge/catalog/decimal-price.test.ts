import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { priceScale, readDecimalPrice } from "../../../edge/catalog/decimal-price.ts";

describe("decimal prices", () => {
  it.each([
    ["0.000003", priceScale.usdPerToken, 3_000_000],
    ["0.00000375", priceScale.usdPerToken, 3_750_000],
    ["3e-7", priceScale.usdPerToken, 300_000],
    ["0", priceScale.usdPerToken, 0],
    ["0.000000000075", priceScale.usdPerToken, 75],
    [3.75, priceScale.usdPerMillion, 3_750_000],
    [0.1, priceScale.usdPerMillion, 100_000],
    [1e-7, priceScale.usdPerToken, 100_000],
    ["0.005", priceScale.usdPerRequest, 5_000],
    // Digits beyond a micro-dollar round up: a price is never understated.
    ["0.08333333333333334", priceScale.usdPerMillion, 83_334],
    ["0.0000000000000001", priceScale.usdPerToken, 1],
  ])("reads %s at scale %i as %i", (value, scale, expected) => {
    expect(readDecimalPrice(value, scale)).toBe(expected);
  });

  it.each(["-1", "", ".", "abc", "1,5", "NaN", "Infinity", "0x10", "99999999999999"])(
    "refuses %j",
    (value) => {
      expect(readDecimalPrice(value, priceScale.usdPerToken)).toBeUndefined();
    },
  );

  it("gives back every amount of whole micro-dollars exactly", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (micro) => {
        const digits = String(micro).padStart(13, "0");
        expect(readDecimalPrice(`${digits.slice(0, -12)}.${digits.slice(-12)}`, priceScale.usdPerToken)).toBe(
          micro,
        );
      }),
    );
  });
});
