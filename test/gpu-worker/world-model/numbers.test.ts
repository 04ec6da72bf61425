import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  chanceOf,
  dot,
  dotRows,
  norm,
  softmax,
  sumExponentials,
} from "../../../gpu-worker/world-model/vectors.ts";

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

  it("gives one probability of softmax to the same bits", () => {
    const logits = fc.array(fc.double({ min: -40, max: 40, noNaN: true }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(logits, (list) => {
        const given = Float32Array.from(list);
        expect(list.map((_, index) => chanceOf(given, index))).toEqual([...softmax(given)]);
      }),
    );
  });

  it("sums exponentials to eight digits, -Infinity being nothing", () => {
    const logits = fc.array(fc.double({ min: -40, max: 0, noNaN: true }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(logits, fc.double({ min: 0.1, max: 2, noNaN: true }), (list, temperature) => {
        const given = Float32Array.from([...list, 0, Number.NEGATIVE_INFINITY]);
        const plain = given.reduce((sum, logit) => sum + Math.exp(logit / temperature), 0);
        expect(Math.abs(sumExponentials(given, 0, temperature) / plain - 1)).toBeLessThan(1e-8);
      }),
    );
  });
});
