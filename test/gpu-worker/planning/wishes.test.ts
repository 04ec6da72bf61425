// Plans and wishes made up: where a step goes that no step of the plan does the work of.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { proposeWishes, serveWishes, type Wish } from "../../../gpu-worker/planning/wishes.ts";

const step = (actionId: number) => ({ actionId, probability: 0.8 });
const wish = (actionId: number, alike: readonly number[] = []): Wish => {
  return {
    actionId,
    chance: 0.6,
    probability: 0.4,
    isServedBy: (id) => id === actionId || alike.includes(id),
  };
};
const serve = (plan: readonly number[], wishes: readonly (Wish | undefined)[], maxSteps = 10) =>
  serveWishes(plan.map(step), wishes, maxSteps).map(({ actionId }) => actionId);

describe("wishes as a proposal", () => {
  it.each<[what: string, wishes: (Wish | undefined)[], maxSteps: number, actions: number[][]]>([
    ["are in the order of the parts", [wish(50), wish(30)], 10, [[50, 30]]],
    ["leave out the parts that ask for nothing", [undefined, wish(30), undefined], 10, [[30]]],
    ["hold an action once that two parts ask for", [wish(30), wish(40), wish(30)], 10, [[30, 40]]],
    ["are no longer than allowed", [wish(30), wish(40), wish(50)], 2, [[30, 40]]],
    ["are none where nothing is asked for", [undefined], 10, []],
  ])("%s", (_, wishes, maxSteps, actions) => {
    expect(proposeWishes(wishes, maxSteps, { single: 2, several: 0.25 })).toEqual(
      actions.map((one) => ({ actions: one, weight: 0.25 })),
    );
  });

  it("count by their probability where the goal is one part", () => {
    expect(proposeWishes([wish(30)], 10, { single: 2, several: 0.25 })).toEqual([
      { actions: [30], weight: 1.2 },
    ]);
  });
});

describe("a plan that serves the parts of its goal", () => {
  it.each<[what: string, plan: number[], wishes: (Wish | undefined)[], served: number[]]>([
    ["stays as it is where nothing is asked for", [30, 40], [undefined, undefined], [30, 40]],
    ["stays as it is where its steps serve every wish", [30, 40], [wish(30), wish(40)], [30, 40]],
    ["stays as it is where another action does as well", [30, 41], [wish(30), wish(40, [41])], [30, 41]],
    ["gets what its last part asks for behind the part before", [30, 31], [wish(30), wish(40)], [30, 40, 31]],
    [
      "gets what stands between two parts between them",
      [30, 50],
      [wish(30), wish(40), wish(50)],
      [30, 40, 50],
    ],
    [
      "gets it before the later part's step, behind steps of no part",
      [30, 7, 50],
      [wish(30), wish(40), wish(50)],
      [30, 7, 40, 50],
    ],
    ["begins as it did, whatever its first part asks for", [50], [wish(30), wish(50)], [50, 30]],
    ["gets two wishes in the order of their parts", [30], [wish(30), wish(40), wish(50)], [30, 40, 50]],
    ["gets a step that two parts ask for once", [30], [wish(40), undefined, wish(40)], [30, 40]],
    ["is made of wishes where there was none", [], [wish(40), wish(50)], [40, 50]],
  ])("%s", (_, plan, wishes, served) => {
    expect(serve(plan, wishes)).toEqual(served);
  });

  it("is as sure of a step as the wish for it", () => {
    expect(serveWishes([step(30)], [wish(30), wish(40)], 10)).toEqual([
      { actionId: 30, probability: 0.8 },
      { actionId: 40, probability: 0.4 },
    ]);
  });

  it("keeps its steps and their order, begins as it did, grows by wishes alone and no further than allowed", () => {
    const ids = fc.integer({ min: 10, max: 16 });
    const some = fc.option(
      fc.tuple(ids, fc.array(ids, { maxLength: 3 })).map(([id, alike]) => wish(id, alike)),
      { nil: undefined },
    );
    fc.assert(
      fc.property(
        fc.array(ids, { maxLength: 8 }),
        fc.array(some, { maxLength: 8 }),
        fc.integer({ min: 8, max: 12 }),
        (plan, wishes, maxSteps) => {
          const served = serve(plan, wishes, maxSteps);
          const extra = [...served];
          for (const id of plan) extra.splice(extra.indexOf(id), 1);
          expect(served.length).toBe(plan.length + extra.length);
          expect(served.filter((id) => plan.includes(id) && !extra.includes(id))).toEqual(plan);
          expect(served[0]).toBe(plan[0] ?? served[0]);
          expect(served.length).toBeLessThanOrEqual(maxSteps);
          for (const one of wishes)
            if (one && served.length < maxSteps) expect(served.some((id) => one.isServedBy(id))).toBe(true);
        },
      ),
    );
  });
});
