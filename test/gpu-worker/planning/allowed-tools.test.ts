import { describe, expect, it } from "vitest";
import { leaveForbidden } from "../../../gpu-worker/planning/allowed-tools.ts";

const logits = Float64Array.of(1, 2, 0);
const lowest = Number.NEGATIVE_INFINITY;
/** Probabilities of two tools and of none, per part. */
const read = (denied: number[], ...parts: number[][]) => [
  ...leaveForbidden(
    logits,
    denied,
    parts.map((part) => Float64Array.from(part)),
  ),
];

describe("a tool", () => {
  it("is forbidden where a denied part asks for it", () => {
    expect(read([1], [0.1, 0.8, 0.1], [0.9, 0.05, 0.05])).toEqual([lowest, 2, 0]);
  });

  it("is allowed where another part asks for it more: the denial says how", () => {
    expect(read([1], [0.7, 0.1, 0.2], [0.3, 0.1, 0.6])).toEqual([1, 2, 0]);
  });

  it("is allowed where a denied part hardly means it", () => {
    expect(read([0], [0.2, 0.1, 0.7], [0.1, 0.1, 0.8])).toEqual([1, 2, 0]);
  });

  it("is never the place of none of them", () => {
    expect(read([0], [0, 0, 1], [0.5, 0.4, 0.1])).toEqual([1, 2, 0]);
  });
});
