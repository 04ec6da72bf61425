import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dot, dotRows, norm, softmax } from "../../../gpu-worker/world-model/vectors.ts";

describe("vectors", () => {
  it.each([1, 3, 4, 11])("multiply %i rows as the plain sum does", (count) => {
    const vector = Float32Array.from({ length: 8 }, (_, i) => i - 3);
    const matrix = Float32Array.from({ length: 8 * count }, (_, i) => Math.sin(i));
    const products = dotRows(matrix, vector);
    expect(products).toHaveLength(count);
    for (const [row, value] of products.entries()) {
      const plain = vector.reduce((sum, one, i) => sum + one * matrix[row * 8 + i]!, 0);
      expect(value).toBeCloseTo(plain, 5);
    }
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
