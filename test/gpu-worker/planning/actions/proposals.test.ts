// Proposals from a made-up decoder: what it says next depends on what was written, and its runs are counted. Then the consensus of
// made-up proposals, by its laws.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agree, type Proposal, proposePlans } from "../../../../gpu-worker/planning/actions/proposals.ts";
import type { Situation } from "../../../../gpu-worker/planning/situation.ts";
import { actionIds } from "../../../../gpu-worker/world-model/actions.ts";
import {
  type DecoderStep,
  type MemoryRow,
  memoryRows,
} from "../../../../gpu-worker/world-model/plan-decoder.ts";
import type { WorldModel } from "../../../../gpu-worker/world-model/world-model.ts";
import { actionCount } from "../../../../shared/planning.ts";

type Chances = Record<number, number>;
/** What follows after the actions written so far. */
type Language = (written: readonly number[]) => Chances;
const { end } = actionIds;

function createModel(
  language: Language,
  settings: { samples?: number; temperature?: number; minChance?: number } = {},
) {
  const rows: number[] = [];
  const memories: (readonly MemoryRow[])[] = [];
  const model = {
    manifest: {
      planning: { proposals: { samples: 16, temperature: 1, minChance: 0, ...settings } },
    },
    decoder: {
      async open(opened: readonly (readonly MemoryRow[])[]) {
        memories.push(...opened);
        return {
          hidden: opened.map(() => new Float32Array(0)),
          async step(steps: readonly DecoderStep[]) {
            rows.push(steps.length);
            // The hidden state is what was written.
            return steps.map(({ hidden, last }) => {
              const written = last === actionIds.start ? [] : [...hidden, last];
              const logits = new Float32Array(actionCount).fill(-50);
              for (const [id, chance] of Object.entries(language(written)))
                logits[Number(id)] = Math.log(chance);
              return { hidden: Float32Array.from(written), logits };
            });
          },
        };
      },
    },
  } as unknown as WorldModel;
  return { model, rows, memories };
}

const vector = Float32Array.of(1);
const situation = (maxSteps = 10, rest: Partial<Situation> = {}) =>
  ({
    goal: vector,
    state: vector,
    parts: [],
    taken: [],
    request: { maxSteps },
    ...rest,
  }) as unknown as Situation;

const propose = async (language: Language, settings = {}, maxSteps = 10) => {
  const { model, rows } = createModel(language, settings);
  const [drawn] = await proposePlans(model, [situation(maxSteps)]);
  const weights = new Map(drawn!.proposals.map(({ actions, weight }) => [actions.join(), weight]));
  return { ...drawn!, weights, rows };
};

describe("proposals", () => {
  it("follow the cumulative probabilities: each plan has its chance to within one of the samples", async () => {
    const { weights } = await propose(
      (written) =>
        written.length === 0
          ? { 20: 0.5, 30: 0.3, [end]: 0.2 }
          : written.length === 1
            ? { 40: 0.75, [end]: 0.25 }
            : { [end]: 1 },
      { samples: 1_000 },
    );
    const wanted = { "20,40": 0.375, "20": 0.125, "30,40": 0.225, "30": 0.075, "": 0.2 };
    for (const [plan, chance] of Object.entries(wanted)) expect(weights.get(plan)).toBeCloseTo(chance, 2);
    expect(weights.size).toBe(5);
  });

  it("weigh one in all, whatever the decoder says", async () => {
    const share = fc.integer({ min: 1, max: 50 });
    await fc.assert(
      fc.asyncProperty(share, share, share, async (first, second, last) => {
        const { proposals } = await propose(
          () => ({ 20: first, 30: second, [end]: last }),
          { minChance: 0.02 },
          4,
        );
        expect(proposals.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 9);
      }),
      { numRuns: 40 },
    );
  });

  it("with a common beginning share its runs", async () => {
    const { rows } = await propose((written) =>
      written.length < 3 ? { [20 + written.length]: 1 } : { [end]: 1 },
    );
    expect(rows).toEqual([1, 1, 1, 1]);
  });

  it("end where the decoder ends, and at the most steps allowed", async () => {
    const { weights } = await propose(() => ({ 20: 1 }), {}, 3);
    expect([...weights]).toEqual([["20,20,20", 1]]);
    expect([...(await propose(() => ({ [end]: 1 }))).weights]).toEqual([["", 1]]);
  });

  it("hold no padding, unknown action, start or idling, however likely", async () => {
    const { weights } = await propose((written) =>
      written.length > 0
        ? { [end]: 1 }
        : { [actionIds.pad]: 9, [actionIds.unk]: 9, [actionIds.start]: 9, [actionIds.noop]: 9, 20: 1 },
    );
    expect([...weights]).toEqual([["20", 1]]);
  });

  it("leave out what is less likely than the least, but never everything", async () => {
    const rare: Language = (written) => (written.length > 0 ? { [end]: 1 } : { 20: 0.985, 30: 0.015 });
    expect([...(await propose(rare, { samples: 1_000, minChance: 0.02 })).weights.keys()]).toEqual(["20"]);
    const flat: Language = (written) =>
      written.length > 0
        ? { [end]: 1 }
        : Object.fromEntries(Array.from({ length: 100 }, (_, at) => [20 + at, at === 7 ? 1.5 : 1]));
    expect([...(await propose(flat, { minChance: 0.5 })).weights.keys()]).toEqual(["27"]);
  });

  it("of a lower temperature are the likelier ones", async () => {
    const language: Language = (written) => (written.length > 0 ? { [end]: 1 } : { 20: 0.6, 30: 0.4 });
    const shareOf = async (temperature: number) =>
      (await propose(language, { samples: 500, temperature })).weights.get("20")!;
    expect(await shareOf(1)).toBeCloseTo(0.6, 2);
    expect(await shareOf(0.5)).toBeCloseTo(0.36 / 0.52, 2);
  });

  it("of several situations are those of each alone", async () => {
    const language: Language = (written) => (written.length < 2 ? { 20: 0.5, 30: 0.5 } : { [end]: 1 });
    const { model } = createModel(language);
    const together = await proposePlans(model, [situation(1), situation(2), situation(10)]);
    for (const [at, most] of [1, 2, 10].entries()) {
      const [alone] = await proposePlans(model, [situation(most)]);
      expect(together[at]!.proposals).toEqual(alone!.proposals);
    }
    expect(await proposePlans(model, [])).toEqual([]);
  });

  it("are made from goal, state, eight parts and the last ten actions, newest first", async () => {
    const { model, memories } = createModel(() => ({ [end]: 1 }));
    const some = (count: number) => Array.from({ length: count }, (_, at) => Float32Array.of(at));
    const taken = some(12).map((vector) => ({ name: "", vector, input: vector }));
    await proposePlans(model, [situation(5, { parts: some(9), taken })]);
    const { firstPart, firstTaken, goal, state } = memoryRows;
    expect(memories[0]!.map(({ at }) => at)).toEqual([
      goal,
      state,
      ...some(8).map((_, at) => firstPart + at),
      ...some(10).map((_, at) => firstTaken + at),
    ]);
    expect(memories[0]!.filter(({ at }) => at >= firstTaken).map(({ vector }) => vector[0])).toEqual([
      11, 10, 9, 8, 7, 6, 5, 4, 3, 2,
    ]);
  });
});

const plan = fc.array(fc.integer({ min: 10, max: 14 }), { maxLength: 6 });
/** Weights of sixteenths, as proposals have them. */
const proposal = fc.record({
  actions: plan,
  weight: fc.integer({ min: 1, max: 16 }).map((count) => count / 16),
});
const proposals = fc.array(proposal, { minLength: 1, maxLength: 8 });

/** Longest common subsequence by its definition. */
function common(left: readonly number[], right: readonly number[]): number {
  if (left.length === 0 || right.length === 0) return 0;
  if (left[0] === right[0]) return 1 + common(left.slice(1), right.slice(1));
  return Math.max(common(left.slice(1), right), common(left, right.slice(1)));
}
const f1 = (left: readonly number[], right: readonly number[]) =>
  left.length + right.length === 0 ? 1 : (2 * common(left, right)) / (left.length + right.length);
const scoreOf = (actions: readonly number[], all: readonly Proposal[]) =>
  all.reduce((sum, other) => sum + other.weight * f1(actions, other.actions), 0);

describe("the plan that proposals agree on", () => {
  it("is one of them, and none scores higher against all", () => {
    fc.assert(
      fc.property(proposals, (all) => {
        const { actions } = agree(all);
        expect(all.map((one) => one.actions.join())).toContain(actions.join());
        const best = Math.max(...all.map((one) => scoreOf(one.actions, all)));
        expect(scoreOf(actions, all)).toBeCloseTo(best, 6);
      }),
    );
  });

  it("has a support between 0 and 1 for every step, 1 where all agree", () => {
    fc.assert(
      fc.property(proposals, (all) => {
        const { actions, support } = agree(all);
        expect(support).toHaveLength(actions.length);
        for (const share of support) {
          expect(share).toBeGreaterThan(0);
          expect(share).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
    expect(
      agree([
        { actions: [3, 4], weight: 0.5 },
        { actions: [3, 4], weight: 0.5 },
      ]).support,
    ).toEqual([1, 1]);
  });

  it("counts one proposal of some weight as several of its parts", () => {
    fc.assert(
      fc.property(proposals, (all) => {
        const halves = all.flatMap((one) =>
          [one, one].map(({ actions, weight }) => ({ actions, weight: weight / 2 })),
        );
        expect(agree(halves).actions).toEqual(agree(all).actions);
      }),
    );
  });

  it("does not depend on the scale of the weights", () => {
    fc.assert(
      fc.property(proposals, (all) => {
        const doubled = all.map(({ actions, weight }) => ({ actions, weight: 2 * weight }));
        expect(agree(doubled)).toEqual(agree(all));
      }),
    );
  });

  it("scores the same in any order of the proposals", () => {
    fc.assert(
      fc.property(proposals, (all) => {
        const there = scoreOf(agree(all).actions, all);
        expect(scoreOf(agree(all.toReversed()).actions, all)).toBeCloseTo(there, 6);
      }),
    );
  });

  it("is the first of equals, the heavier of two, and the middle of three", () => {
    const of = (...all: [number[], number][]) =>
      agree(all.map(([actions, weight]) => ({ actions, weight }))).actions;
    expect(of([[1], 0.5], [[2], 0.5])).toEqual([1]);
    expect(of([[1], 0.4], [[2], 0.6])).toEqual([2]);
    expect(of([[1, 2], 0.33], [[1, 2, 3], 0.33], [[2, 3], 0.33])).toEqual([1, 2, 3]);
  });

  it("is empty where nothing is proposed, and where doing nothing is", () => {
    expect(agree([])).toEqual({ actions: [], score: 0, support: [] });
    expect(
      agree([
        { actions: [], weight: 0.9 },
        { actions: [7], weight: 0.1 },
      ]),
    ).toEqual({ actions: [], score: 0.9, support: [] });
  });
});
