import { describe, expect, it } from "vitest";
import { orderByParts } from "../../../../gpu-worker/planning/tools/order-steps.ts";

/** Tools 0 and 1 are asked for by the first and the second part, tool 2 by none. */
const mixedParts = [new Float64Array([0.8, 0.1, 0.01, 0.09]), new Float64Array([0.2, 0.7, 0.02, 0.08])];
const order = (
  tools: readonly number[],
  parts: readonly string[],
  chances: readonly number[] = [],
  before: readonly number[] = [0.3, 0.3, 0.3],
  changes: readonly boolean[] = [true, true, true],
) => {
  const steps = tools.map((tool, at) => ({ tool, probability: chances[at] ?? 0.6 }));
  const limits = { askedFrom: 0.1, firstFrom: 0.3, leadsFrom: 0.1 };
  const read = { parts, mixedParts, tools: Float64Array.from(before), changes };
  return orderByParts(steps, read, limits).map(({ tool }) => tool);
};
const parts = ["Add bananas to my list", "start the vacuum"];

describe("the steps of a plan over tools", () => {
  it("are in the order of the parts that ask for them", () => {
    expect(order([1, 0], parts)).toEqual([0, 1]);
  });

  it("stand before the step after them, if no part asks for them", () => {
    expect(order([2, 1, 0], parts)).toEqual([0, 2, 1]);
    expect(order([1, 2, 0], parts)).toEqual([2, 0, 1]);
  });

  it("begin as the reader does, where another beginning is unlikely", () => {
    expect(order([1, 2, 0], parts, [0.6, 0.2, 0.6])).toEqual([1, 2, 0]);
  });

  it("begin as the reader does, where it found the other tool unlikely before the first step", () => {
    expect(order([1, 2, 0], parts, [], [0.3, 0.6, 0.05])).toEqual([1, 2, 0]);
    expect(order([1, 2, 0], parts, [], [0.3, 0.6, 0.07])).toEqual([2, 0, 1]);
  });

  it("do not begin with a change of what another part finds or makes", () => {
    const pushing = ["Fix the typo in a.ts", "push it"];
    const unlikely = [0.01, 0.6, 0.01];
    expect(order([1, 0], pushing, [], unlikely)).toEqual([0, 1]);
    expect(order([1, 0], pushing, [], unlikely, [true, false, true])).toEqual([1, 0]);
    expect(order([1, 0], ["Fix the typo in a.ts", "push my branch"], [], unlikely)).toEqual([1, 0]);
  });

  it.each([
    ["a message of one part", [parts[0]!]],
    ["a later part that is to be done before", ["Add bananas to my list", "but start the vacuum first"]],
  ])("stay as they are for %s", (_what, said) => {
    expect(order([1, 0], said)).toEqual([1, 0]);
  });

  it("of a part that begins with 'before' come after those of the next", () => {
    expect(order([0, 1], ["Before adding bananas to my list", "start the vacuum"])).toEqual([1, 0]);
    expect(order([1, 0], ["Before the weekend.", "start the vacuum"])).toEqual([0, 1]);
  });

  it("are ordered also where a later part is about the first one, or the first part begins with the word", () => {
    expect(order([1, 0], ["Add bananas to my list", "start the first one"])).toEqual([0, 1]);
    expect(order([1, 0], ["First add bananas to my list", "start the vacuum"])).toEqual([0, 1]);
  });
});
