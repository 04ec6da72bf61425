import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readToolWords } from "../../../gpu-worker/world-model/list-words.ts";
import { readToolList } from "../../../gpu-worker/world-model/tool-choice.ts";
import { dot, norm } from "../../../gpu-worker/world-model/vectors.ts";

const unit = fc
  .array(fc.integer({ min: -9, max: 9 }), { minLength: 4, maxLength: 4 })
  .filter((values) => values.some((value) => value !== 0))
  .map((values) => {
    const vector = Float32Array.from(values);
    const length = norm(vector);
    return vector.map((value) => value / length);
  });
const words = readToolWords("a tool", "");
const likenessOf = (vectors: readonly Float32Array[], tool: Float32Array): number =>
  readToolList({ text: "a goal", vectors }, [{ vector: tool, words }]).likeness[0]!;

describe("how like a tool is to a goal", () => {
  it("is their cosine where the goal is one sentence", () => {
    fc.assert(
      fc.property(unit, unit, (goal, tool) => {
        expect(likenessOf([goal], tool)).toBeCloseTo(dot(goal, tool), 6);
      }),
    );
  });

  it("lies between the mean and the best of its cosines with the goal's parts", () => {
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 9 }), unit, (parts, tool) => {
        const cosines = parts.map((part) => dot(part, tool));
        const likeness = likenessOf(parts, tool);
        const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
        expect(likeness).toBeGreaterThanOrEqual(mean - 1e-9);
        expect(likeness).toBeLessThanOrEqual(Math.max(...cosines) + 1e-9);
      }),
    );
  });

  it("does not depend on the order of the parts", () => {
    fc.assert(
      fc.property(fc.array(unit, { minLength: 2, maxLength: 9 }), unit, (parts, tool) => {
        expect(likenessOf(parts, tool)).toBeCloseTo(likenessOf(parts.toReversed(), tool), 9);
      }),
    );
  });
});
