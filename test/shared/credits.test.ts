import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { maxCredits, microPerCredit, toCredits, toMicro, writeCredits } from "../../shared/credits.ts";

describe("credits", () => {
  test("hold every whole number of micro-credits exactly", () => {
    const micro = fc.integer({ min: 0, max: maxCredits * microPerCredit });
    fc.assert(fc.property(micro, (amount) => toMicro(toCredits(amount)) === amount));
  });

  test.each([
    [1.005, 1_005_000],
    [0.000029, 29],
    [1.1, 1_100_000],
  ])("%d credits are %d micro-credits, though no binary number is exactly as much", (credits, micro) =>
    expect(toMicro(credits)).toBe(micro),
  );

  test.each([
    [0, "0"],
    [1, "0.000001"],
    [10_000_000, "10"],
    [2_500_000, "2.5"],
  ])("%d micro-credits are written %s in a header", (micro, text) => expect(writeCredits(micro)).toBe(text));
});
