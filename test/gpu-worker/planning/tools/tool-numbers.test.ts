// A tool's numbers by their columns, on texts whose words and vectors are made up. That training has the same: twins.test.ts.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planTools } from "../../../../gpu-worker/planning/tools/plan-tools.ts";
import { readSessions } from "../../../../gpu-worker/planning/tools/read-sessions.ts";
import { partsLeft } from "../../../../gpu-worker/planning/tools/tool-numbers.ts";
import { PlanRequest } from "../../../../shared/planning.ts";
import { createMadeUpModel } from "../../support/made-up-model.ts";

const tools = [
  { name: "search_lamp", description: "Search the lamps of the shop" },
  { name: "delete_order", description: "Delete an order" },
];
type Turns = PlanRequest["turns"];
const say = (kind: Turns[number]["kind"], text: string) => ({ kind, text });
const goal = say("user", "search a lamp now and then delete my old order");
const call = say("call", "search_lamp");
const found = say("result", "two lamps");
const failed = say("result", "error: not available");

async function numbersOf(turns: Turns, offered = tools) {
  const { model, views } = createMadeUpModel(() => [...offered.map(() => 0), 9, 0, 0]);
  const request = PlanRequest.parse({ size: "base", goal: "", state: "", turns, tools: offered });
  await planTools(model, await readSessions(model, [request]));
  return views[0]!.tools.map(({ numbers }) => numbers);
}

describe("a tool's numbers of what was called", () => {
  it.each([
    ["nothing yet", [goal], { called: [0, 0], since: [0, 0], last: [0, 0], failed: [0, 0] }],
    ["one call", [goal, call, found], { called: [1, 0], since: [1 / 3, 0], last: [1, 0], failed: [0, 0] }],
    [
      "a call that failed",
      [goal, call, failed],
      { called: [1, 0], since: [1 / 3, 0], last: [1, 0], failed: [1, 0] },
    ],
    [
      "a call tried again",
      [goal, call, failed, call, found],
      { called: [1, 0], since: [2 / 3, 0], last: [1, 0], failed: [0, 0] },
    ],
    [
      "a call without its result",
      [goal, call],
      { called: [1, 0], since: [1 / 3, 0], last: [1, 0], failed: [0, 0] },
    ],
    [
      "calls without end",
      [goal, call, call, call, call, call],
      { called: [1, 0], since: [1, 0], last: [1, 0], failed: [0, 0] },
    ],
    [
      "a call of an earlier message",
      [goal, call, failed, say("user", "thanks, go on")],
      { called: [1, 0], since: [0, 0], last: [1, 0], failed: [1, 0] },
    ],
    [
      "another tool after it",
      [goal, call, found, say("call", "delete_order")],
      { called: [1, 1], since: [1 / 3, 1 / 3], last: [0, 1], failed: [0, 0] },
    ],
    [
      "a tool that is gone",
      [goal, say("call", "old_tool"), failed],
      { called: [0, 0], since: [0, 0], last: [0, 0], failed: [0, 0] },
    ],
  ] as const)("after %s", async (_name, turns, wanted) => {
    const rows = await numbersOf([...turns]);
    const columns = { called: 10, since: 11, last: 12, failed: 13 };
    for (const [name, column] of Object.entries(columns))
      for (const [row, value] of wanted[name as keyof typeof wanted].entries())
        expect(rows[row]![column], `${name} of tool ${row}`).toBeCloseTo(value, 6);
  });
});

describe("a tool's numbers of words", () => {
  it("stand apart for the goal, the last result and the talk before", async () => {
    const talk = [
      say("user", "delete an order"),
      say("assistant", "which order?"),
      say("user", "search a lamp"),
    ];
    const [search, remove] = await numbersOf([...talk, call, say("result", "the order was found")]);
    const at = { goal: 0, result: 4, talk: 8 };
    expect(search![at.goal]).toBeGreaterThan(remove![at.goal]!);
    expect(remove![at.result]).toBeGreaterThan(search![at.result]!);
    expect(remove![at.talk]).toBeGreaterThan(search![at.talk]!);
  });

  it("are nothing where nothing was said", async () => {
    const [search] = await numbersOf([call]);
    expect([...search!.subarray(0, 2), ...search!.subarray(4, 10)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect([...search!.subarray(20)]).toEqual([0, 0, 0, 0, 0]);
  });
});

describe("a tool's other numbers", () => {
  it("say what its verb does, and how long the list is", async () => {
    const [search, remove] = await numbersOf([goal]);
    expect([search![18], search![19]]).toEqual([1, 0]);
    expect([remove![18], remove![19]]).toEqual([0, 1]);
    expect(search![17]).toBeCloseTo(Math.log(2) / 4, 6);
  });

  it("say ln p of the mixer for each and for none: chances that make one", async () => {
    const rows = await numbersOf([goal]);
    const chances = [...rows.map((row) => row[20]!), rows[0]![21]!].map((told) => Math.exp(4 * told));
    expect(chances.reduce((sum, chance) => sum + chance, 0)).toBeCloseTo(1, 5);
    expect(rows[0]![21]).toBe(rows[1]![21]);
  });

  it("do not depend on where a tool stands in the list", async () => {
    const turns = [goal, call, failed];
    const there = await numbersOf(turns);
    const back = await numbersOf(turns, tools.toReversed());
    for (const [row, numbers] of there.entries())
      for (const [column, value] of numbers.entries())
        expect(back.at(-1 - row)![column]).toBeCloseTo(value, 6);
  });

  it("mark the part of the goal that was served, for every tool that is most like it", async () => {
    const twins = [...tools, { ...tools[0]!, name: "searchLamp" }];
    const rows = await numbersOf([goal, call], twins);
    expect(rows[2]![14]).toBe(rows[0]![14]);
    expect([rows[0]![15], rows[2]![15]]).toEqual([1, 1]);
    expect((await numbersOf([goal], twins)).map((row) => row[15])).toEqual([0, 0, 0]);
  });
});

const rows = (...parts: number[][]): Float64Array[] => parts.map((part) => Float64Array.from(part));

describe("the parts of a goal that no call has served", () => {
  it.each([
    ["are all of them before a call", rows([0.9, 0.1], [0.1, 0.9]), [], [0, 1]],
    ["lose the part that asks for the called tool", rows([0.9, 0.1], [0.1, 0.9]), [1], [0]],
    ["stay where the tool serves none of them", rows([0.95, 0.05], [0.96, 0.04]), [1], [0, 1]],
    ["lose a part for each call of the same tool", rows([0.9, 0.1], [0.8, 0.2]), [0, 0], []],
    ["lose the one that asks most, wherever it stands", rows([0.4, 0.6], [0.9, 0.1]), [0], [0]],
    ["are none once all are served", rows([1, 0]), [0, 0, 0], []],
  ])("%s", (_name, parts, called, left) => {
    expect(partsLeft(parts, called)).toEqual(left);
  });

  it("never grow with a call, and keep their order", () => {
    const chance = fc.double({ min: 0, max: 1, noNaN: true });
    const part = fc.array(chance, { minLength: 3, maxLength: 3 });
    const called = fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), called, (parts, calls) => {
        const before = partsLeft(rows(...parts), calls.slice(0, -1));
        const after = partsLeft(rows(...parts), calls);
        expect(before).toEqual(expect.arrayContaining(after));
        expect(after).toEqual([...after].sort((a, b) => a - b));
      }),
    );
  });
});
