import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { magnitudeOf } from "../../../gpu-worker/world-model/magnitude.ts";
import { transition } from "../../../gpu-worker/world-model/transition.ts";
import { dot, dotRows, norm, softmax } from "../../../gpu-worker/world-model/vectors.ts";

describe("vectors", () => {
  it("multiply rows as the plain sum does", () => {
    const vector = Float32Array.from({ length: 8 }, (_, i) => i - 3);
    const matrix = Float32Array.from({ length: 24 }, (_, i) => Math.sin(i));
    const plain = [0, 1, 2].map((row) =>
      vector.reduce((sum, value, i) => sum + value * matrix[row * 8 + i]!, 0),
    );
    for (const [row, value] of dotRows(matrix, vector).entries()) expect(value).toBeCloseTo(plain[row]!, 5);
    expect(dot(vector, vector)).toBeCloseTo(norm(vector) ** 2, 5);
  });

  it("softmax sums to one and keeps the order, -Infinity being impossible", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 20 }), (logits) => {
        const chances = softmax([...logits, Number.NEGATIVE_INFINITY]);
        expect(chances.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 9);
        expect(chances.at(-1)).toBe(0);
        expect(chances.indexOf(Math.max(...chances))).toBe(logits.indexOf(Math.max(...logits)));
      }),
    );
  });
});

describe("magnitude", () => {
  const knots = [
    [10, 8],
    [50, 15],
    [200, 20],
  ] as const;
  it.each([
    [0, 8],
    [10, 8],
    [30, 11.5],
    [125, 17.5],
    [200, 20],
    [9_999, 20],
  ])("of information %d is %d", (information, expected) => {
    expect(magnitudeOf(information, knots)).toBeCloseTo(expected, 9);
  });
});

describe("transition", () => {
  const config = {
    effect: { none: 0.05, look: 0.25, move: 0.2, write: 0.4, commit: 0.5 },
    completion: 0.45,
    goalShare: 0.6,
    most: 0.95,
  };
  const unit = (...values: number[]) => Float32Array.from(values);
  const state = unit(15, 0, 0, 0);
  const goal = unit(0, 15, 0, 0);
  const action = unit(0, 0.6, 0.8, 0);
  const change = (effect: keyof typeof config.effect, completes: number) =>
    transition({ state, goal, action, effect, completes }, config).stateChange;

  it("leaves the state nearly alone for an action without effect", () => {
    expect(change("none", 0)).toBeLessThan(5);
  });

  it("moves more the more an action changes and the more of the goal it finishes", () => {
    expect(change("look", 0)).toBeGreaterThan(change("none", 0));
    expect(change("write", 0)).toBeGreaterThan(change("look", 0));
    expect(change("commit", 0)).toBeGreaterThan(change("write", 0));
    expect(change("commit", 1)).toBeGreaterThan(change("commit", 0));
    expect(change("commit", 1)).toBeGreaterThan(10);
  });

  it("moves toward the goal", () => {
    const { next } = transition({ state, goal, action, effect: "write", completes: 0.5 }, config);
    expect(dot(next, goal) / (norm(next) * norm(goal))).toBeGreaterThan(0);
  });
});
