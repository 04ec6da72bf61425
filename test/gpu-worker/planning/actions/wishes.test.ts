// Plans and wishes made up: what is a wish, and where a step goes that no step of the plan does the work of.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  alignWithProposals,
  findAsked,
  findWishes,
  proposeWishes,
  readParts,
  serveWishes,
  type Wish,
} from "../../../../gpu-worker/planning/actions/wishes.ts";
import { actionIds } from "../../../../gpu-worker/world-model/actions.ts";
import { actionCount, PlanRequest } from "../../../../shared/planning.ts";
import { createMadeUpModel } from "../../support/made-up-model.ts";

const requestOf = (goal: string) => PlanRequest.parse({ size: "base", goal, state: "" });
const step = (actionId: number) => ({ actionId, probability: 0.8 });
const wish = (actionId: number, alike: readonly number[] = []): Wish => {
  return {
    actionId,
    chance: 0.6,
    chances: new Float32Array(actionCount + 1),
    probability: 0.4,
    isServedBy: (id) => id === actionId || alike.includes(id),
  };
};
const serve = (plan: readonly number[], wishes: readonly (Wish | undefined)[], maxSteps = 10) =>
  serveWishes(plan.map(step), wishes, maxSteps).map(({ actionId }) => actionId);

describe("what the parts of a goal ask for", () => {
  const { model } = createMadeUpModel(() => []);
  const { wishes: tuned } = model.manifest.planning;
  /** Two actions that do something, and one of talk. */
  const [first, second] = model.table.actions.filter(({ effect }) => effect === "commit").map(({ id }) => id);
  const talk = model.table.actions.find(({ name }) => name === "inform_answer")!.id;
  /** Lists of parts, each given by the probabilities that the reader of wishes finds; what is left over is none's. */
  const readLists = (...lists: Record<number, number>[][]) => {
    const read = lists.flat().map((chances) => {
      const row = new Float32Array(actionCount + 1);
      for (const [id, chance] of Object.entries(chances)) row[Number(id)] = chance;
      row[actionCount] = 1 - row.reduce((sum, chance) => sum + chance, 0);
      return row;
    });
    const goals = lists.map((list) => {
      const parts = list.length === 1 ? [] : list.map(() => new Float32Array(8));
      const request = requestOf(list.map((_, at) => `some wish ${at}`).join(", "));
      return list.length === 0 ? undefined : { goal: new Float32Array(8), parts, request, denied: [] };
    });
    return readParts({ ...model, heads: { ...model.heads, wishes: async () => read } }, goals);
  };
  const wishesIn = async (...lists: Record<number, number>[][]) =>
    (await readLists(...lists)).map((readings) => findWishes(model, readings));

  it("is the likeliest action of each part, in the lists they came in", async () => {
    const lists = await wishesIn(
      [{ [first!]: 0.7 }, { [second!]: 0.4, [first!]: 0.3 }],
      [],
      [{ [second!]: 0.9 }],
    );
    expect(lists.map((list) => list.map((one) => one?.actionId))).toEqual([[first, second], [], [second]]);
    expect(lists[0]![1]!.chance).toBeCloseTo(0.4, 6);
  });

  it("is nothing where nothing is likely enough, and a goal of one part has to be plainer", async () => {
    const between = (tuned.from + tuned.wholeFrom) / 2;
    const [several, single, unlikely] = await wishesIn(
      [{ [first!]: between }, {}],
      [{ [first!]: between }],
      [{ [first!]: tuned.from / 2 }, { [first!]: tuned.from / 2, [second!]: tuned.from / 2 }],
    );
    expect(several!.map((one) => one?.actionId)).toEqual([first, undefined]);
    expect(single).toEqual([undefined]);
    expect(unlikely).toEqual([undefined, undefined]);
  });

  it("is never talk, nor the mark of an end", async () => {
    const [list] = await wishesIn([
      { [talk]: 0.6, [first!]: 0.3 },
      { [talk]: 0.9 },
      { [actionIds.end]: 0.9 },
    ]);
    expect(list!.map((one) => one?.actionId)).toEqual([first, undefined, undefined]);
  });

  it("is as likely as all actions that ask for the same, by their verb or by object and effect", async () => {
    const idOf = (name: string) => model.table.idOfName(name)!;
    const [whole, apart] = await wishesIn(
      [{ [idOf("set_reminder")]: 0.55, [idOf("create_reminder")]: 0.4 }],
      [{ [idOf("search_flight")]: 0.55, [idOf("book_flight")]: 0.4 }],
    );
    expect(whole![0]!.chance).toBeCloseTo(0.95);
    expect(apart![0]!.chance).toBeCloseTo(0.55);
  });

  it("is served by actions about as likely, and surer the likelier it is", async () => {
    const [[wide, narrow] = []] = await wishesIn([
      { [first!]: 0.5, [second!]: 0.4 },
      { [first!]: 0.95, [second!]: 0.01 },
    ]);
    expect([wide!.isServedBy(first!), wide!.isServedBy(second!)]).toEqual([true, true]);
    expect([narrow!.isServedBy(first!), narrow!.isServedBy(second!)]).toEqual([true, false]);
    expect(narrow!.probability).toBeGreaterThan(wide!.probability);
  });

  it("is served, where it leaves open what is meant, by any action of the same verb that says so", async () => {
    const idOf = (name: string) => model.table.idOfName(name)!;
    const [[open, closed] = []] = await wishesIn([{ [idOf("book")]: 0.9 }, { [idOf("book_flight")]: 0.9 }]);
    const serving = ["book", "book_flight", "book_hotel", "search_flight"];
    expect(serving.filter((name) => open!.isServedBy(idOf(name)))).toEqual([
      "book",
      "book_flight",
      "book_hotel",
    ]);
    expect(serving.filter((name) => closed!.isServedBy(idOf(name)))).toEqual(["book_flight"]);
  });

  describe("holds an action", () => {
    const tuned = {
      ...model.manifest.planning,
      wishes: { ...model.manifest.planning.wishes, askedFrom: 0.1 },
    };
    const strict = { ...model, manifest: { ...model.manifest, planning: tuned } };
    const idOf = (name: string) => model.table.idOfName(name)!;

    it("from a share of the likeliest one's probability, less the surer it is that nothing is asked", async () => {
      const [readings, doubtful] = await readLists(
        [{ [first!]: 0.8, [second!]: 0.1, [talk]: 0.05 }],
        [{ [first!]: 0.4, [second!]: 0.05 }],
      );
      expect([first!, second!, talk].map((id) => findAsked(strict, readings!.asked)(id))).toEqual([
        true,
        true,
        false,
      ]);
      expect([first!, second!].map((id) => findAsked(strict, doubtful!.asked)(id))).toEqual([true, false]);
    });

    it("of the verb that it leaves open, and in any of its parts", async () => {
      const [readings] = await readLists([{ [idOf("book")]: 0.9 }, { [first!]: 0.9 }]);
      const asked = ["book", "book_flight", "search_flight"].filter((name) =>
        findAsked(strict, readings!.asked)(idOf(name)),
      );
      expect(asked).toEqual(["book", "book_flight"]);
      expect(findAsked(strict, readings!.asked)(first!)).toBe(true);
    });

    it("of a statement only where that is sure", async () => {
      const asked = async (goal: string, chance: number) => {
        const row = new Float32Array(actionCount + 1);
        row[first!] = chance;
        const heads = { ...model.heads, wishes: async () => [row] };
        const one = { goal: new Float32Array(8), parts: [], request: requestOf(goal), denied: [] };
        const [readings] = await readParts({ ...model, heads }, [one]);
        return findAsked(strict, readings!.asked)(first!);
      };
      expect(await asked("I called the vet at six", 0.4)).toBe(false);
      expect(await asked("My credit card was stolen", 0.9)).toBe(true);
      expect(await asked("call the vet at six", 0.4)).toBe(true);
    });

    it("not where every part says nothing, except of one or two words that have hardly been learned from", async () => {
      const whole = (goal: string) =>
        readParts(
          {
            ...model,
            heads: {
              ...model.heads,
              wishes: async () => [
                new Float32Array(actionCount + 1)
                  .fill(1e-6)
                  .fill(0.01, first!, first! + 1)
                  .fill(1, actionCount),
              ],
            },
          },
          [{ goal: new Float32Array(8), parts: [], request: requestOf(goal), denied: [] }],
        );
      expect(findAsked(strict, (await whole("weather?"))[0]!.asked)(first!)).toBe(true);
      expect(findAsked(strict, (await whole("what a lovely day"))[0]!.asked)(first!)).toBe(false);
    });
  });

  it("is read beside the whole goal, which is the part itself where the goal is one", async () => {
    const [goal, left, right] = [1, 2, 3].map((value) => new Float32Array(8).fill(value));
    const asked: unknown[] = [];
    const wishes = async (asking: readonly unknown[]) => {
      asked.push(...asking);
      return asking.map(() => new Float32Array(actionCount + 1));
    };
    const rest = { request: requestOf("find a lamp, then write to Anna"), denied: [] };
    await readParts({ ...model, heads: { ...model.heads, wishes } }, [
      { goal: goal!, parts: [left!, right!], ...rest },
      undefined,
      { goal: right!, parts: [], ...rest },
    ]);
    expect(asked).toEqual([
      { part: left, goal },
      { part: right, goal },
      { part: right, goal: right },
    ]);
  });
});

describe("the name of a wish", () => {
  const unheld = 0.3;
  const named = (chances: Record<number, number>, held: Record<number, number>) => {
    const one = wish(30, [31, 32]);
    for (const [id, chance] of Object.entries(chances)) one.chances[Number(id)] = chance;
    const weights = new Map(Object.entries(held).map(([id, weight]) => [Number(id), weight]));
    return alignWithProposals([undefined, one], weights, unheld)[1]!;
  };

  it.each<[what: string, chances: Record<number, number>, held: Record<number, number>, name: number]>([
    [
      "is the likeliest action's where no proposal holds one that serves it",
      { 30: 0.5, 31: 0.4 },
      { 40: 1 },
      30,
    ],
    ["is that of a near synonym that the proposals hold", { 30: 0.5, 31: 0.4 }, { 31: 0.9 }, 31],
    ["is its own where they hold both alike", { 30: 0.5, 31: 0.4 }, { 30: 0.5, 31: 0.5 }, 30],
    ["is its own where few hold the other", { 30: 0.5, 31: 0.4 }, { 31: 0.05 }, 30],
    [
      "is its own where the other is much less likely, though all hold it",
      { 30: 0.8, 31: 0.1 },
      { 31: 1 },
      30,
    ],
    ["is never that of an action that does not serve it", { 30: 0.1, 50: 0.9 }, { 50: 1 }, 30],
    ["is the best of several", { 30: 0.3, 31: 0.3, 32: 0.3 }, { 31: 0.4, 32: 0.6 }, 32],
  ])("%s", (_, chances, held, name) => {
    const { actionId, chance, probability } = named(chances, held);
    expect({ actionId, chance, probability }).toEqual({ actionId: name, chance: 0.6, probability: 0.4 });
  });
});

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
    [
      "begins with what its first part asks for before what a later one does",
      [50],
      [wish(30), wish(50)],
      [30, 50],
    ],
    ["begins as it did where its first step serves no part", [7], [wish(30)], [7, 30]],
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

  it("keeps its steps and their order, begins as it did unless a later part asks for that, grows by wishes alone and no further than allowed", () => {
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
          if (!wishes.slice(1).some((one) => one?.isServedBy(plan[0]!)))
            expect(served[0]).toBe(plan[0] ?? served[0]);
          expect(served.length).toBeLessThanOrEqual(maxSteps);
          for (const one of wishes)
            if (one && served.length < maxSteps) expect(served.some((id) => one.isServedBy(id))).toBe(true);
        },
      ),
    );
  });
});
