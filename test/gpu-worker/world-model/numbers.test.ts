import fc from "fast-check";
import { describe, expect, it } from "vitest";
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
