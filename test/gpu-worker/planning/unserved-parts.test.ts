// Which wishes of a message are still open after some calls.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { partsLeft } from "../../../gpu-worker/planning/unserved-parts.ts";

const rows = (...parts: number[][]): Float64Array[] => parts.map((part) => Float64Array.from(part));

describe("the parts of a goal that no call has served", () => {
  it.each([
    ["are all of them before a call", rows([0.9, 0.1], [0.1, 0.9]), [], [0, 1]],
    ["lose the part that asks for the called tool", rows([0.9, 0.1], [0.1, 0.9]), [1], [0]],
    ["stay where the tool serves none of them", rows([0.95, 0.05], [0.96, 0.04]), [1], [0, 1]],
    ["lose a part for each call of the same tool", rows([0.9, 0.1], [0.8, 0.2]), [0, 0], []],
    ["lose the one that asks most, wherever it stands", rows([0.4, 0.6], [0.9, 0.1]), [0], [0]],
    ["are none once all are served", rows([1, 0]), [0, 0, 0], []],
  ])("%s", (_name, parts, called, left) => {
    expect(partsLeft(parts, called)).toEqual(left);
  });

  it("never grow with a call, and keep their order", () => {
    const chance = fc.double({ min: 0, max: 1, noNaN: true });
    const part = fc.array(chance, { minLength: 3, maxLength: 3 });
    const called = fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), called, (parts, calls) => {
        const before = partsLeft(rows(...parts), calls.slice(0, -1));
        const after = partsLeft(rows(...parts), calls);
        expect(before).toEqual(expect.arrayContaining(after));
        expect(after).toEqual([...after].sort((a, b) => a - b));
      }),
    );
  });
});
