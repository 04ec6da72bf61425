import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  auroc,
  calibrationError,
  createRandom,
  ndcg,
  rankDown,
  spearman,
} from "../../../scripts/eval/measures.ts";

describe("AUROC", () => {
  it.each([
    ["apart", [3, 4], [1, 2], 1],
    ["the wrong way round", [1, 2], [3, 4], 0],
    ["alike", [1, 1], [1, 1], 0.5],
    ["mixed", [1, 3], [2, 0], 0.75],
  ])("of scores %s", (_name, positives, negatives, wanted) => {
    expect(auroc(positives, negatives)).toBe(wanted);
  });

  it("is the share of pairs in the right order", () => {
    const scores = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(scores, scores, (positives, negatives) => {
        const pairs = positives.flatMap((p) => negatives.map((n) => (p > n ? 1 : p === n ? 0.5 : 0)));
        const share = pairs.reduce<number>((sum, one) => sum + one, 0) / pairs.length;
        expect(auroc(positives, negatives)).toBeCloseTo(share, 10);
      }),
    );
  });
});

describe("the other figures", () => {
  it("Spearman goes by order alone", () => {
    expect(spearman([1, 2, 3, 4], [10, 20, 300, 4000])).toBeCloseTo(1, 10);
    expect(spearman([1, 2, 3, 4], [4, 3, 2, 1])).toBeCloseTo(-1, 10);
    expect(spearman([1, 1, 2, 2], [5, 6, 5, 6])).toBeCloseTo(0, 10);
  });

  it("calibration error is the gap between said and true, by the weight of each bin", () => {
    const said = (probability: number, right: boolean) => ({ probability, right });
    expect(calibrationError([said(1, true), said(1, true)])).toBe(0);
    expect(calibrationError([said(0.9, true), said(0.9, false)])).toBeCloseTo(0.4, 10);
    expect(calibrationError([said(0.9, false), said(0.1, true)])).toBeCloseTo(0.9, 10);
  });

  it("nDCG is 1 for the right ones first, less the later they come", () => {
    expect(ndcg([2, 0, 1], new Set([2, 0]))).toBe(1);
    expect(ndcg([1, 2], new Set([2]))).toBeCloseTo(1 / Math.log2(3), 10);
    expect(ndcg([...Array(11).keys()], new Set([10]))).toBe(0);
  });

  it("ranks keep the order of equals", () => {
    expect(rankDown([1, 3, 1, 3])).toEqual([1, 3, 0, 2]);
  });

  it("chance repeats with its seed and is spread evenly", () => {
    const [one, same, other] = [createRandom(7), createRandom(7), createRandom(8)];
    const draw = (chance: typeof one) => Array.from({ length: 2_000 }, () => chance.next());
    const drawn = draw(one);
    expect(draw(same)).toEqual(drawn);
    expect(draw(other)).not.toEqual(drawn);
    expect(drawn.reduce((sum, value) => sum + value, 0) / drawn.length).toBeCloseTo(0.5, 1);
    expect(one.shuffled([1, 2, 3, 4]).sort()).toEqual([1, 2, 3, 4]);
  });
});

it("nDCG is 1 where every place counts a right item, though more are right than places", () => {
  expect(ndcg([0, 1, 2], new Set([0, 1, 2]), 2)).toBe(1);
});
