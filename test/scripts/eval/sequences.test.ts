import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commonLength, lcsF1, measurePlans, pairsOf, setF1 } from "../../../scripts/eval/sequences.ts";

const sequence = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 7 });

function subsequences(items: readonly number[]): Set<string> {
  let found = [""];
  for (const item of items) found = found.concat(found.map((one) => `${one}${item}`));
  return new Set(found);
}

describe("a longest common subsequence", () => {
  it.each([
    [[], [], 0],
    [[1, 2, 3], [1, 2, 3], 3],
    [[1, 2, 3], [3, 2, 1], 1],
    [[1, 2, 3, 4], [2, 4], 2],
    [[1, 1, 2], [1, 2, 2], 2],
  ])("of %j and %j has length %i", (left, right, wanted) => {
    expect(commonLength(left, right)).toBe(wanted);
  });

  it("is as long as the longest of both sequences' subsequences", () => {
    fc.assert(
      fc.property(sequence, sequence, (left, right) => {
        const both = [...subsequences(left)].filter((one) => subsequences(right).has(one));
        expect(commonLength(left, right)).toBe(Math.max(...both.map(({ length }) => length)));
      }),
    );
  });
});

describe("F1", () => {
  it("lies between 0 and 1, is the same both ways, and 1 for equals alone", () => {
    fc.assert(
      fc.property(sequence, sequence, (left, right) => {
        const found = lcsF1(left, right);
        expect(found).toBe(lcsF1(right, left));
        expect(found >= 0 && found <= 1).toBe(true);
        expect(found === 1).toBe(left.join() === right.join());
        const alike = setF1(left, right);
        expect(alike).toBe(setF1(right, left));
        expect(alike).toBeGreaterThanOrEqual(found === 1 ? 1 : 0);
        expect(alike).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("of sets counts each once", () => {
    expect(setF1(["a", "a", "b"], ["a", "c"])).toBe(0.5);
    expect(setF1([], [])).toBe(1);
    expect(setF1([], ["a"])).toBe(0);
  });

  it("of pairs goes by who follows whom", () => {
    expect(setF1(pairsOf(["a", "b", "c"]), pairsOf(["b", "c", "a"]))).toBe(0.5);
    expect(pairsOf(["a"])).toEqual([]);
    expect(pairsOf(["a b", "c"])).not.toEqual(pairsOf(["a", "b c"]));
  });
});

describe("figures of plans", () => {
  it("are means over the rows; the length is of all steps planned to all done", () => {
    const figures = measurePlans([
      { planned: [1, 2], done: [1, 2], fromMiddle: 1 },
      { planned: [1], done: [1, 3, 4], fromMiddle: 0.5 },
      { planned: [], done: [5], fromMiddle: 0 },
      { planned: [6, 5], done: [5, 6], fromMiddle: 0.5 },
    ]);
    expect(figures).toEqual({
      plan_lcs_f1: (1 + 0.5 + 0 + 0.5) / 4,
      plan_exact: 0.25,
      plan_first: 0.5,
      plan_length_ratio: 5 / 8,
      plan_mid_lcs_f1: 0.5,
    });
  });

  it("are none without rows", () => {
    expect(measurePlans([])).toBeUndefined();
  });
});
