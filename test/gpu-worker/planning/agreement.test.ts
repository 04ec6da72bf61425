// The consensus of made-up proposals, by its laws.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agree, type Proposal } from "../../../gpu-worker/planning/agreement.ts";

const plan = fc.array(fc.integer({ min: 10, max: 14 }), { maxLength: 6 });
/** Weights of sixteenths, as proposals have them. */
const proposal = fc.record({
  actions: plan,
  weight: fc.integer({ min: 1, max: 16 }).map((count) => count / 16),
});
const proposals = fc.array(proposal, { minLength: 1, maxLength: 8 });

/** Longest common subsequence by its definition. */
function common(left: readonly number[], right: readonly number[]): number {
  if (left.length === 0 || right.length === 0) return 0;
  if (left[0] === right[0]) return 1 + common(left.slice(1), right.slice(1));
  return Math.max(common(left.slice(1), right), common(left, right.slice(1)));
}
const f1 = (left: readonly number[], right: readonly number[]) =>
  left.length + right.length === 0 ? 1 : (2 * common(left, right)) / (left.length + right.length);
const scoreOf = (actions: readonly number[], all: readonly Proposal[]) =>
  all.reduce((sum, other) => sum + other.weight * f1(actions, other.actions), 0);

describe("the plan that proposals agree on", () => {
  it("is one of them, and none scores higher against all", () => {
    fc.assert(
      fc.property(proposals, (all) => {
        const { actions } = agree(all);
        expect(all.map((one) => one.actions.join())).toContain(actions.join());
        const best = Math.max(...all.map((one) => scoreOf(one.actions, all)));
        expect(scoreOf(actions, all)).toBeCloseTo(best, 6);
      }),
    );
  });

  it("has a support between 0 and 1 for every step, 1 where all agree", () => {
    fc.assert(
      fc.property(proposals, (all) => {
        const { actions, support } = agree(all);
        expect(support).toHaveLength(actions.length);
        for (const share of support) {
          expect(share).toBeGreaterThan(0);
          expect(share).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
    expect(
      agree([
        { actions: [3, 4], weight: 0.5 },
        { actions: [3, 4], weight: 0.5 },
      ]).support,
    ).toEqual([1, 1]);
  });

  it("counts one proposal of some weight as several of its parts", () => {
    fc.assert(
      fc.property(proposals, (all) => {
        const halves = all.flatMap((one) =>
          [one, one].map(({ actions, weight }) => ({ actions, weight: weight / 2 })),
        );
        expect(agree(halves).actions).toEqual(agree(all).actions);
      }),
    );
  });

  it("does not depend on the scale of the weights", () => {
    fc.assert(
      fc.property(proposals, (all) => {
        const doubled = all.map(({ actions, weight }) => ({ actions, weight: 2 * weight }));
        expect(agree(doubled)).toEqual(agree(all));
      }),
    );
  });

  it("scores the same in any order of the proposals", () => {
    fc.assert(
      fc.property(proposals, (all) => {
        const there = scoreOf(agree(all).actions, all);
        expect(scoreOf(agree(all.toReversed()).actions, all)).toBeCloseTo(there, 6);
      }),
    );
  });

  it("is the first of equals, the heavier of two, and the middle of three", () => {
    const of = (...all: [number[], number][]) =>
      agree(all.map(([actions, weight]) => ({ actions, weight }))).actions;
    expect(of([[1], 0.5], [[2], 0.5])).toEqual([1]);
    expect(of([[1], 0.4], [[2], 0.6])).toEqual([2]);
    expect(of([[1, 2], 0.33], [[1, 2, 3], 0.33], [[2, 3], 0.33])).toEqual([1, 2, 3]);
  });

  it("is empty where nothing is proposed, and where doing nothing is", () => {
    expect(agree([])).toEqual({ actions: [], support: [] });
    expect(
      agree([
        { actions: [], weight: 0.9 },
        { actions: [7], weight: 0.1 },
      ]),
    ).toEqual({ actions: [], support: [] });
  });
});
