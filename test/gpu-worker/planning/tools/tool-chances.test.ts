// What is done with the session reader's probabilities: what is ruled out, multiplied in, when a plan stops, which tools are listed.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Progress } from "../../../../gpu-worker/planning/session/progress.ts";
import {
  likelyTools as likelyOf,
  stopThreshold,
  weighTools,
  withoutForbidden,
} from "../../../../gpu-worker/planning/tools/tool-chances.ts";
import { type SessionView, toolNumbers } from "../../../../gpu-worker/world-model/session-reader.ts";

describe("tools that may be next", () => {
  const logits = Float64Array.of(1, 2, 0);
  const lowest = Number.NEGATIVE_INFINITY;
  const from = { open: 0.1, other: 0.25 };
  /** Probabilities of two tools and of none, per part. */
  const read = (places: number[], ...parts: number[][]) => readOf(false, places, parts);
  const readOf = (isOpen: boolean, places: number[], parts: number[][]) => {
    const denied = places.map((part) => ({ part, text: "", verbs: [], isOpen }));
    const refused = { denied, always: new Set<number>(), untilCalled: new Set<number>() };
    const mixed = parts.map((part) => Float64Array.from(part));
    return [...withoutForbidden(logits, { refused, mixedParts: mixed, isBegun: true }, from)];
  };

  describe("a tool", () => {
    it("is forbidden where a denied part asks for it", () => {
      expect(read([1], [0.1, 0.8, 0.1], [0.9, 0.05, 0.05])).toEqual([lowest, 2, 0]);
    });

    it("is allowed where another part asks for it as much, or more: the denial says how", () => {
      expect(read([1], [0.7, 0.1, 0.2], [0.3, 0.1, 0.6])).toEqual([1, 2, 0]);
      expect(read([1], [0.5, 0.1, 0.4], [0.5, 0.1, 0.4])).toEqual([1, 2, 0]);
      expect(read([1], [0.49, 0.1, 0.41], [0.5, 0.1, 0.4])).toEqual([lowest, 2, 0]);
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
});

describe("log odds of the tools", () => {
  const sum = (chances: Iterable<number>) => [...chances].reduce((total, chance) => total + chance, 0);

  it("move probability between the tools and leave the endings theirs", () => {
    const weighed = weighTools(Float64Array.of(0.3, 0.3, 0.4), Float64Array.of(Math.log(2), 0));
    expect(weighed[0]! / weighed[1]!).toBeCloseTo(2, 9);
    expect(weighed[2]).toBe(0.4);
    expect(sum(weighed)).toBeCloseTo(1, 9);
  });

  it("let no forbidden tool back in", () => {
    expect([...weighTools(Float64Array.of(0, 0, 1), Float64Array.of(5, 5))]).toEqual([0, 0, 1]);
    expect(weighTools(Float64Array.of(0, 0.5, 0.5), Float64Array.of(5, -5))[0]).toBe(0);
  });

  it("that say nothing change nothing", () => {
    const chances = Float64Array.of(0.5, 0.3, 0.2);
    expect(weighTools(chances, Float64Array.of(0, 0))).toBe(chances);
  });
});

describe("the ending of a plan", () => {
  const countedStopFrom = {
    thanked: 0.5,
    passed: 0.55,
    answered: 0.4,
    looked: 0.6,
    named: 0.3,
    counted: 0.5,
    verified: 0.5,
    behind: 0.95,
  };
  const stopping = { stopFrom: 0.9, planStopFrom: 0.5, servedStopFrom: 0.7, countedStopFrom };
  const vector = new Float32Array(2);

  const unclear = { progress: "unclear", isOpen: false } as const;

  /** `left`: share of the parts that no call has served; `called`: whether anything was called since the message. */
  function view(left: number, called: boolean, failed = false): SessionView {
    const numbers = new Float32Array(toolNumbers);
    numbers[11] = called ? 1 / 3 : 0;
    numbers[24] = left;
    const result = { kind: "result", vector, numbers: [1, 0, Number(failed), 0] } as const;
    const said = { kind: "user", vector, numbers: [0, 1, 0, 0] } as const;
    return { events: called ? [result, said] : [said], tools: [{ vector, numbers }] };
  }

  describe("an ending must be", () => {
    it.each([
      ["sure where nothing was called yet", view(1, false), 2, 0, 0.9],
      ["sure where nothing was called, though no part asks for a tool", view(0, false), 0, 0, 0.9],
      ["sure while a part is left", view(0.5, true), 2, 0, 0.9],
      ["likelier than not at later steps of a plan with a part left", view(0.5, true), 2, 1, 0.5],
      ["likely once all parts are served", view(0, true), 2, 0, 0.7],
      ["sure again where the last call failed", view(0, true, true), 2, 0, 0.9],
      ["nothing where a plan's steps have served several parts", view(0, true), 2, 2, 0],
      ["likely where they have served the only one, which may take more", view(0, true), 0, 2, 0.7],
    ])("%s", (_name, seen, parts, step, wanted) => {
      expect(stopThreshold({ view: seen, parts, step }, unclear, stopping)).toBe(wanted);
    });
  });

  describe("counted calls", () => {
    const seen = view(0.5, true);
    const least = (progress: Progress, isOpen = false, step = 0, of = seen) =>
      stopThreshold({ view: of, parts: 2, step }, { progress, isOpen }, stopping);

    it("let a plan stop at a less likely ending where they answer, pass or are as many as the wishes", () => {
      const all = [least("answered"), least("passed"), least("looked"), least("even"), least("named")];
      expect(all).toEqual([0.4, 0.55, 0.6, 0.7, 0.3]);
    });

    it("ask for a surer one where they are fewer than the wishes, even if the mixer sees all parts served", () => {
      expect([least("behind"), least("behind", false, 0, view(0, true))]).toEqual([0.95, 0.95]);
    });

    it("let it stop at a less likely ending after thanks", () => {
      expect(least("thanked", false, 0, view(1, false))).toBe(0.5);
    });

    it("never let it stop while a call is due", () => {
      expect(least("even", true)).toBe(Number.POSITIVE_INFINITY);
    });

    it("let it stop later where the mixer sees a part of several that no call has served", () => {
      const unserved = view(1, false);
      const ofOne = { view: unserved, parts: 1, step: 0 };
      const all = [least("counted", false, 0, view(0, true)), least("counted", false, 0, unserved)];
      expect([...all, least("verified", false, 0, unserved)]).toEqual([0.5, 0.7, 0.5]);
      expect(stopThreshold(ofOne, { progress: "counted", isOpen: false }, stopping)).toBe(0.5);
    });

    it("let it stop sooner where the likeliest tool changes something unasked, and several things were not meant", () => {
      const leastBeside = (progress: Progress) =>
        stopThreshold(
          { view: view(1, false), parts: 2, step: 0, isBeside: true },
          { progress, isOpen: false },
          stopping,
        );
      expect([leastBeside("counted"), leastBeside("verified")]).toEqual([0.3, 0.3]);
      expect([leastBeside("even"), leastBeside("behind"), leastBeside("unclear")]).toEqual([0.7, 0.95, 0.9]);
    });

    it("say nothing of planned steps, nor of a new message", () => {
      expect(least("answered", true, 1)).toBe(0.5);
      expect(least("unclear", true, 0, view(1, false))).toBe(0.9);
    });
  });
});

describe("the list of likely tools", () => {
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
});
