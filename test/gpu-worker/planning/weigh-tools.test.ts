// What is multiplied into the reader's probabilities.
import { describe, expect, it } from "vitest";
import { trustMixer, weighEvidence } from "../../../gpu-worker/planning/weigh-tools.ts";

const evidence = (...logOdds: number[]) => ({
  logOdds: Float64Array.from(logOdds),
  progress: "unclear" as const,
  hasSequel: false,
});
const sum = (chances: Iterable<number>) => [...chances].reduce((total, chance) => total + chance, 0);

describe("evidence", () => {
  it("moves probability between the tools and leaves the endings theirs", () => {
    const weighed = weighEvidence(Float64Array.of(0.3, 0.3, 0.4), evidence(Math.log(2), 0));
    expect(weighed[0]! / weighed[1]!).toBeCloseTo(2, 9);
    expect(weighed[2]).toBe(0.4);
    expect(sum(weighed)).toBeCloseTo(1, 9);
  });

  it("lets no forbidden tool back in", () => {
    expect([...weighEvidence(Float64Array.of(0, 0, 1), evidence(5, 5))]).toEqual([0, 0, 1]);
    expect(weighEvidence(Float64Array.of(0, 0.5, 0.5), evidence(5, -5))[0]).toBe(0);
  });

  it("that says nothing changes nothing", () => {
    const chances = Float64Array.of(0.5, 0.3, 0.2);
    expect(weighEvidence(chances, evidence(0, 0))).toBe(chances);
  });
});

it("the mixer decides alone where it is trusted wholly, its own `none` included", () => {
  const read = Float64Array.of(0.2, 0.3, 0.1, 0.3, 0.1);
  const weighed = trustMixer(read, Float64Array.of(0.6, 0.1, 0.3), "Find a lamp", { whole: 1, inParts: 0 });
  expect([...weighed.subarray(0, 2)].map((chance) => Number(chance.toFixed(9)))).toEqual([0.6, 0.1]);
  expect(sum(weighed.subarray(2))).toBeCloseTo(0.3, 9);
  expect(weighed[3]! / weighed[2]!).toBeCloseTo(3, 9);
});
