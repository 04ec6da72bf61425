// Features of made-up sequences, how likely they reach their goal, and what each step has of that.
import { describe, expect, it } from "vitest";
import {
  likelihoodOf,
  type OutcomeFeatures,
  readFeatures,
  shareOut,
} from "../../../../gpu-worker/planning/actions/outcome.ts";
import { agree } from "../../../../gpu-worker/planning/actions/proposals.ts";
import type { Walked } from "../../../../gpu-worker/planning/actions/walk.ts";
import { actionIds } from "../../../../gpu-worker/world-model/actions.ts";
import { createMadeUpModel, vectorOf } from "../../support/made-up-model.ts";

const { table, manifest } = createMadeUpModel(() => []).model;
const config = manifest.planning.outcome;
const step = (change: number, rest: Partial<Walked> = {}): Walked => ({
  change,
  atOnce: change,
  chance: 0.5,
  state: new Float32Array(0),
  ...rest,
});
const glossOf = (id: number) => vectorOf(table.actions[id]!.gloss);
const { pad, unk, start, end, noop } = actionIds;
const unread = {
  stop: 0.5,
  proposed: { proposals: [], best: agree([]) },
  episodes: [],
  sharpness: 6,
};

describe("features", () => {
  const read = (parts: readonly Float32Array[], ids: readonly number[], walked = ids.map(() => step(3))) =>
    readFeatures(table, { parts, ids, walked, ...unread });

  it("is how far the actions stand out where they are compared with what is asked, and the other way round", () => {
    const asked = [glossOf(30), glossOf(300)];
    const right = read(asked, [30, 300]);
    const half = read(asked, [30]);
    expect(right.fit).toBeCloseTo(half.fit, 0);
    expect(right.covered).toBeGreaterThan(half.covered);
    expect(right.fit).toBeGreaterThan(read(asked, [31, 299]).fit);
  });

  it("leaves the marks of a sequence out", () => {
    const asked = [glossOf(30)];
    expect(read(asked, [start, 30, pad, end]).fit).toBe(read(asked, [30]).fit);
    expect(read(asked, [start, end])).toMatchObject({ fit: 0, covered: 0 });
  });

  it("weighs what was done for the nearest goals by how near they are", () => {
    const episodes = [
      { actions: [30, 31], similarity: 0.9 },
      { actions: [40], similarity: 0.5 },
    ];
    const { recalled, similarity } = readFeatures(table, {
      parts: [glossOf(30)],
      ids: [30, 31],
      walked: [step(1)],
      ...unread,
      episodes,
    });
    expect(similarity).toBe(0.9);
    expect(recalled).toBeCloseTo(1 / (1 + Math.exp(6 * (0.5 - 0.9))), 6);
  });

  it("sums the predicted changes, and takes more than enough for no more", () => {
    expect(read([glossOf(30)], [30, 31], [step(3), step(4)]).change).toBe(7);
    expect(read([glossOf(30)], [30], [step(300)]).change).toBe(30);
  });

  it("is how far the sequence falls short of the agreement that the best proposal has", () => {
    const proposals = [
      { actions: [30, 31], weight: 0.75 },
      { actions: [40], weight: 0.25 },
    ];
    const proposed = { proposals, best: agree(proposals) };
    const agreedOf = (ids: readonly number[]) =>
      readFeatures(table, { parts: [glossOf(30)], ids, walked: [], ...unread, proposed }).agreed;
    expect(agreedOf([start, 30, 31, end])).toBe(0);
    expect(agreedOf([30])).toBeCloseTo(0.75 * (2 / 3) - 0.75, 6);
    expect(agreedOf([40])).toBeCloseTo(0.25 - 0.75, 6);
    expect(agreedOf([50])).toBeCloseTo(-0.75, 6);
  });

  it("compares no more of a long sequence than proposals can hold", () => {
    const whole = Array.from({ length: 50 }, (_, at) => 30 + at);
    const proposals = [{ actions: whole.slice(0, 10), weight: 1 }];
    const proposed = { proposals, best: agree(proposals) };
    const agreedOf = (ids: readonly number[]) =>
      readFeatures(table, { parts: [glossOf(30)], ids, walked: [], ...unread, proposed }).agreed;
    for (const length of [10, 11, 16, 50]) expect(agreedOf(whole.slice(0, length))).toBe(0);
    expect(agreedOf(whole.slice(0, 9))).toBeLessThan(0);
    expect(agreedOf([...whole.slice(0, 5), ...whole.slice(11)])).toBeLessThan(0);
  });

  it("compares no idle action with the proposals, which hold none, but unknown ones, as the library's plans hold them", () => {
    const proposals = [{ actions: [30, unk, 31], weight: 1 }];
    const proposed = { proposals, best: agree(proposals) };
    const agreedOf = (ids: readonly number[]) =>
      readFeatures(table, { parts: [glossOf(30)], ids, walked: [], ...unread, proposed }).agreed;
    expect(agreedOf([noop, 30, unk, noop, 31])).toBe(0);
    expect(agreedOf([30, 31])).toBeLessThan(0);
  });

  it("is how likely the plan ends there, down to a bound", () => {
    const endedOf = (stop: number) =>
      readFeatures(table, { parts: [glossOf(30)], ids: [30], walked: [], ...unread, stop }).ended;
    expect(endedOf(1)).toBe(0);
    expect(endedOf(0.1)).toBeCloseTo(Math.log(0.1), 6);
    expect(endedOf(0)).toBe(endedOf(1e-6));
  });
});

describe("the likelihood", () => {
  const features: OutcomeFeatures = {
    fit: 2,
    covered: 2,
    recalled: 1,
    similarity: 0,
    change: 30,
    chance: 0,
    agreed: 0,
    ended: 0,
  };
  const of = (rest: Partial<OutcomeFeatures>) => likelihoodOf({ ...features, ...rest }, config);

  it("follows the fit where the library knows no goal like this one", () => {
    expect(of({})).toBeGreaterThan(0.5);
    expect(of({ fit: 0, covered: 0 })).toBeLessThan(0.5);
    expect(of({ recalled: 0 })).toBeCloseTo(of({}), 6);
  });

  it("follows what was done for such goals, and the dynamics, where it does", () => {
    expect(of({ similarity: 1 })).toBeGreaterThan(0.5);
    expect(of({ similarity: 1, recalled: 0, change: 10 })).toBeLessThan(0.5);
  });

  it("falls where the proposals hold other plans, and where more is to be done, for a goal of any kind", () => {
    for (const similarity of [0, 1]) {
      expect(of({ similarity, agreed: -0.5 })).toBeLessThan(of({ similarity }));
      expect(of({ similarity, ended: -5 })).toBeLessThan(of({ similarity }));
    }
  });
});

describe("the changes of the steps", () => {
  const share = (ids: readonly number[], walked: readonly Walked[], likelihood: number) =>
    shareOut(table.actions, ids, walked, likelihood);
  const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0);

  it("are above 20 in all exactly where the goal is more likely reached than not", () => {
    for (const change of [0.1, 15, 25]) {
      const walked = [step(change), step(0.1, { atOnce: 15 })];
      expect(sum(share([30, 57], walked, 0.51))).toBeGreaterThan(20);
      expect(sum(share([30, 57], walked, 0.5))).toBeLessThanOrEqual(20);
    }
  });

  it("are in all what the dynamics predict wherever that says the same", () => {
    expect(sum(share([30, 57], [step(30), step(12)], 0.9))).toBeCloseTo(42, 6);
    expect(sum(share([30, 57], [step(3), step(1)], 0.2))).toBeCloseTo(4, 6);
  });

  it("give a step what it would do at once, though the dynamics take the goal for reached before it", () => {
    const [search, book] = share([30, 57], [step(15), step(0.01, { atOnce: 15 })], 0.9);
    expect(book).toBeCloseTo(search!, 6);
  });

  it("are nothing for marks, and next to nothing for what leaves the world as it is", () => {
    expect(share([start, 30, end], [step(5), step(5), step(5)], 1)).toEqual([0, 35, 0]);
    expect(sum(share([noop, 4], [step(0.05), step(0.05)], 1))).toBeLessThan(5);
    expect(share([], [], 1)).toEqual([]);
  });
});
