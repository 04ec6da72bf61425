import { describe, expect, it } from "vitest";
import { withoutForbidden } from "../../../gpu-worker/planning/allowed-tools.ts";

const logits = Float64Array.of(1, 2, 0);
const lowest = Number.NEGATIVE_INFINITY;
const from = { open: 0.1, other: 0.25 };
/** Probabilities of two tools and of none, per part. */
const read = (places: number[], ...parts: number[][]) => readOf(false, places, parts);
const readOf = (isOpen: boolean, places: number[], parts: number[][]) => {
  const denied = places.map((part) => ({ part, text: "", isOpen }));
  const refused = { denied, always: new Set<number>(), untilCalled: new Set<number>() };
  const mixed = parts.map((part) => Float64Array.from(part));
  return [...withoutForbidden(logits, { refused, mixedParts: mixed, isBegun: true }, from)];
};

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

  it("is forbidden sooner where a denied part names nothing in particular", () => {
    const parts = [
      [0.2, 0.1, 0.7],
      [0.1, 0.05, 0.85],
    ];
    expect(readOf(true, [0], parts)).toEqual([lowest, lowest, 0]);
    expect(readOf(true, [1], parts)).toEqual([1, 2, 0]);
  });

  it("is forbidden where the message's words rule it out, some only until the first call", () => {
    const refused = { denied: [], always: new Set([1]), untilCalled: new Set([0, 1]) };
    expect([...withoutForbidden(logits, { refused, mixedParts: [], isBegun: true }, from)]).toEqual([
      1,
      lowest,
      0,
    ]);
    expect([...withoutForbidden(logits, { refused, mixedParts: [], isBegun: false }, from)]).toEqual([
      lowest,
      lowest,
      0,
    ]);
  });

  it("is never the place of none of them", () => {
    expect(read([0], [0, 0, 1], [0.5, 0.4, 0.1])).toEqual([1, 2, 0]);
  });
});
