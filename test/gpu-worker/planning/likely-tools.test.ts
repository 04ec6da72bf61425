// The few tools that hold the next one with a given probability: the laws of a prediction set, and when none is given.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { likelyTools as likelyOf } from "../../../gpu-worker/planning/likely-tools.ts";

const asked = { from: 0.7, most: 4 };
const likelyTools = (chances: Float64Array, tuned: typeof asked, unasked: readonly number[] = []) =>
  likelyOf(chances, { ...tuned, askedFrom: 0 }, (tool) => unasked.includes(tool));
const chancesOf = (values: readonly number[]) => Float64Array.from(values);
const shareOf = (chances: Float64Array, tools: readonly number[]) =>
  tools.reduce((sum, tool) => sum + chances[tool]!, 0) / chances.reduce((sum, chance) => sum + chance, 0);
const weights = fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 20 });

describe("likely tools", () => {
  it.each<[string, number[], number[]]>([
    ["one that has nearly all", [0.01, 0.9, 0.02, 0.03], [1]],
    ["two that have it together, the likelier first", [0.3, 0.05, 0.1, 0.5], [3, 0]],
    ["as many as half of the tools", [0.35, 0.4, 0.2, 0.05], [1, 0]],
    ["none, where they would be more than half of the tools", [0.3, 0.3, 0.3, 0.1], []],
    ["none, where they would be more than the most", Array<number>(12).fill(1 / 12), []],
    ["none of one tool: that it comes next tells nothing", [1], []],
  ])("are %s", (_name, chances, tools) => {
    expect(likelyTools(chancesOf(chances), asked)).toEqual(tools);
  });

  it("leave out what nobody asked for, but for the likeliest, and name the next likely in its place", () => {
    const chances = chancesOf([0.4, 0.3, 0.1, 0.08, 0.07, 0.05]);
    expect(likelyTools(chances, asked)).toEqual([0, 1]);
    expect(likelyTools(chances, asked, [1])).toEqual([0, 2]);
    expect(likelyTools(chances, asked, [0])).toEqual([0, 1]);
  });

  it("are never forbidden ones, which have no probability", () => {
    expect(likelyTools(chancesOf([0.6, 0.4, 0, 0]), asked, [1])).toEqual([0]);
    expect(likelyTools(chancesOf([0, 0, 0, 0]), asked)).toEqual([]);
  });

  it("are the same however likely an ending is", () => {
    fc.assert(
      fc.property(weights, fc.integer({ min: 1, max: 8 }), (values, halvings) => {
        const chances = chancesOf(values);
        // A power of two, so that no sum rounds differently.
        const beside = chances.map((chance) => chance * 2 ** -halvings);
        expect(likelyTools(beside, asked)).toEqual(likelyTools(chances, asked));
      }),
    );
  });

  it("hold the share that was asked for, one fewer would not, and no other is likelier", () => {
    fc.assert(
      fc.property(weights, (values) => {
        const chances = chancesOf(values);
        const found = likelyTools(chances, asked);
        if (found.length === 0) {
          const ranked = [...chances.keys()].sort((a, b) => chances[b]! - chances[a]!);
          const allowed = ranked.slice(0, Math.min(asked.most, Math.floor(chances.length / 2)));
          expect(shareOf(chances, allowed)).toBeLessThan(asked.from + 1e-9);
          return;
        }
        expect(found.length).toBeLessThanOrEqual(Math.min(asked.most, chances.length / 2));
        expect(shareOf(chances, found)).toBeGreaterThan(asked.from - 1e-9);
        expect(shareOf(chances, found.slice(0, -1))).toBeLessThan(asked.from + 1e-9);
        const least = chances[found.at(-1)!]!;
        const others = [...chances.keys()].filter((tool) => !found.includes(tool));
        for (const other of others) expect(chances[other]!).toBeLessThanOrEqual(least);
      }),
    );
  });
});
