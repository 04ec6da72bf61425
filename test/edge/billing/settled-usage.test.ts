import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { settledUsage } from "../../../edge/billing/settled-usage.ts";
import { billableOutput, type Usage } from "../../../shared/chat.ts";

const bounds = { input: 1000, output: 500 };
const counted = { input: 40, output: 7 };
const zero = { input: 0, output: 0, total: 0, cachedInput: 0, cacheWrite: 0, reasoning: 0 };
const ourCount = { ...zero, input: 40, output: 7, total: 47 };

describe("settledUsage", () => {
  it("believes a report that is whole, consistent and within bounds", () => {
    const reported: Usage = {
      ...zero,
      input: 100,
      output: 50,
      total: 150,
      cachedInput: 60,
      cacheWrite: 40,
      reasoning: 20,
    };
    expect(settledUsage({ reported, counted, bounds })).toEqual({ usage: reported, flag: null });
  });

  it("believes a report of all that was held for", () => {
    const reported = { ...zero, ...bounds, total: 1500 };
    expect(settledUsage({ reported, counted, bounds })).toEqual({ usage: reported, flag: null });
  });

  it("believes an explicit zero instead of estimating (failures 2)", () => {
    expect(settledUsage({ reported: zero, counted, bounds })).toEqual({ usage: zero, flag: null });
  });

  it("counts for itself when nothing was reported", () => {
    expect(settledUsage({ counted, bounds })).toEqual({ usage: ourCount, flag: "usage_missing" });
  });

  it.each<[string, Partial<Usage>]>([
    ["a negative count", { input: -1_000_000 }],
    ["a negative output", { output: -1_000_000 }],
    ["NaN", { output: Number.NaN }],
    ["infinity", { input: Number.POSITIVE_INFINITY }],
    ["1e300", { input: 1e300 }],
    ["a fraction", { output: 1.5 }],
    ["a negative cached count", { input: 10, cachedInput: -10 }],
    ["more cached than read", { input: 10, cachedInput: 11 }],
    ["cached and written together more than read", { input: 10, cachedInput: 6, cacheWrite: 6 }],
    ["more long writes than writes", { input: 10, cacheWrite: 1, cacheWriteLong: 2 }],
    ["more audio than input", { input: 10, audioInput: 11 }],
    ["more audio than output", { output: 6, audioOutput: 7 }],
    ["more pictures than output", { output: 6, imageOutput: 7 }],
    ["negative reasoning", { reasoning: -5 }],
    ["a total that is no number", { total: Number.NaN }],
  ])("does not believe %s (failures 12)", (_, wrong) => {
    expect(settledUsage({ reported: { ...zero, ...wrong }, counted, bounds })).toEqual({
      usage: ourCount,
      flag: "usage_invalid",
    });
  });

  it.each<[Partial<Usage>, Partial<Usage>]>([
    [
      { input: -1, output: 300, cachedInput: 9 },
      { input: 40, output: 300, total: 340 },
    ],
    [
      { input: 300, output: -1, cachedInput: 301 },
      { input: 300, output: 7, total: 307 },
    ],
  ])(
    "takes the larger of both where a report is odd: what was thought is in no count of ours",
    (odd, right) => {
      expect(settledUsage({ reported: { ...zero, ...odd }, counted, bounds })).toEqual({
        usage: { ...zero, ...right },
        flag: "usage_invalid",
      });
    },
  );

  it.each<[string, Partial<Usage>, Partial<Usage>]>([
    ["more input than the hold covers", { input: 1001, output: 490 }, { input: 1000, output: 490 }],
    ["more output than the hold covers", { input: 9, output: 501 }, { input: 9, output: 500 }],
    [
      "more cached, written and thought than either",
      { input: 4000, output: 900, cachedInput: 700, cacheWrite: 600, reasoning: 800 },
      { input: 1000, output: 500, cachedInput: 700, cacheWrite: 300, reasoning: 500 },
    ],
    [
      "more reasoning apart from the output than the hold covers",
      { output: 400, reasoning: 101, total: 501 },
      { output: 500, reasoning: 101 },
    ],
  ])("cuts %s to the bound, never to a lower guess", (_, wrong, right) => {
    const settled = { ...zero, ...right };
    expect(settledUsage({ reported: { ...zero, ...wrong }, counted, bounds })).toEqual({
      usage: { ...settled, total: settled.input + settled.output },
      flag: "usage_out_of_bounds",
    });
  });

  it("never gives more than the bounds, whatever is reported or counted", () => {
    const anything = fc.oneof(fc.integer(), fc.double(), fc.integer({ min: 0, max: 1200 }));
    const usage = fc.record({
      input: anything,
      output: anything,
      total: anything,
      cachedInput: anything,
      cacheWrite: anything,
      reasoning: anything,
    });
    fc.assert(
      fc.property(fc.option(usage, { nil: undefined }), anything, anything, (reported, input, output) => {
        const settled = settledUsage({ reported, counted: { input, output }, bounds }).usage;
        expect(settled.input).toBeGreaterThanOrEqual(0);
        expect(settled.input).toBeLessThanOrEqual(bounds.input);
        expect(billableOutput(settled)).toBeGreaterThanOrEqual(0);
        expect(billableOutput(settled)).toBeLessThanOrEqual(bounds.output);
        expect(Number.isInteger(settled.input) && Number.isInteger(settled.output)).toBe(true);
      }),
    );
  });
});
