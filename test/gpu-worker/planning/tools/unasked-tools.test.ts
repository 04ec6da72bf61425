// Tools that nobody asked for, by made-up probabilities of the mixer.
import { describe, expect, it } from "vitest";
import { readSessions } from "../../../../gpu-worker/planning/tools/read-sessions.ts";
import {
  isAside,
  isUnasked,
  isUnaskedChange,
  withoutAsides,
} from "../../../../gpu-worker/planning/tools/unasked-tools.ts";
import { PlanRequest } from "../../../../shared/planning.ts";
import { createMadeUpModel } from "../../support/made-up-model.ts";

type Turns = PlanRequest["turns"];
const say = (kind: Turns[number]["kind"], text: string) => ({ kind, text });
const goal = say("user", "search a lamp now and then delete my old order");
const offered = [
  { name: "search_lamp", description: "Search the lamps of the shop" },
  { name: "delete_order", description: "Delete an order" },
  { name: "list_orders", description: "List orders" },
];
const rowsThat = async (rule: typeof isUnasked, turns: Turns, chances: number[], tools = offered) => {
  const { model } = createMadeUpModel(() => []);
  const request = PlanRequest.parse({ size: "base", goal: "", state: "", turns, tools });
  const [session] = await readSessions(model, [request]);
  const reading = { ...session!.reading, mixed: Float64Array.from(chances), mixedParts: [] };
  return [0, 1, 2].filter((row) => rule(reading, session!.tools, row, 0.1));
};
const yes = say("user", "yes please");

describe("a tool that commits to something", () => {
  const unasked = (turns: Turns, chances: number[]) => rowsThat(isUnasked, turns, chances);

  it("is unasked where the message hardly asks for it; what only looks never is", async () => {
    expect(await unasked([goal], [0, 0.02, 0, 0.98])).toEqual([1]);
    expect(await unasked([goal], [0, 0.3, 0, 0.7])).toEqual([]);
  });

  it("is asked for where the talk before names it, which a yes may mean", async () => {
    const offer = say("assistant", "Shall I delete the order?");
    expect(await unasked([goal, offer, yes], [0, 0, 0, 1])).toEqual([]);
    expect(await unasked([say("user", "hi"), say("assistant", "hello"), yes], [0, 0, 0, 1])).toEqual([1]);
  });
});

it("is unasked, too, if it only changes something: for a conversation's first message", async () => {
  const tools = offered.with(1, { name: "update_order", description: "Change an order" });
  const later = [goal, say("assistant", "Here it is."), say("user", "and the second one?")];
  expect(await rowsThat(isUnasked, [goal], [0, 0.02, 0, 0.98], tools)).toEqual([1]);
  expect(await rowsThat(isUnasked, later, [0, 0.02, 0, 0.98], tools)).toEqual([]);
});

describe("a change that nobody asked for", () => {
  const unasked = (turns: Turns, chances: number[], tools = offered) =>
    rowsThat(isUnaskedChange, turns, chances, tools);

  it("is any but one of files, however little it commits to", async () => {
    const tools = offered.with(1, { name: "update_order", description: "Change an order" });
    const later = [say("user", "hi"), say("assistant", "hello"), yes];
    expect(await unasked(later, [0, 0.02, 0, 0.98], tools)).toEqual([1]);
    const files = offered.with(1, { name: "edit_file", description: "Edit a file" });
    expect(await unasked(later, [0, 0.02, 0, 0.98], files)).toEqual([]);
  });

  it("is none that the message asks for, or the talk before names", async () => {
    expect(await unasked([goal], [0, 0.3, 0, 0.7])).toEqual([]);
    expect(await unasked([goal, say("assistant", "Shall I delete the order?"), yes], [0, 0, 0, 1])).toEqual(
      [],
    );
  });
});

describe("a tool that may change something", () => {
  const aside = (turns: Turns, chances: number[]) => rowsThat(isAside, turns, chances);

  it("is aside where the message is about another one", async () => {
    expect(await aside([goal], [0.5, 0.3, 0, 0.2])).toEqual([1]);
    expect(await aside([goal], [0.3, 0.5, 0, 0.2])).toEqual([]);
  });

  it("is not where the message is about none of them, or the talk before names it", async () => {
    expect(await aside([goal], [0.09, 0, 0, 0.91])).toEqual([]);
    expect(await aside([goal, say("assistant", "Shall I delete the order?"), yes], [0.6, 0, 0, 0.4])).toEqual(
      [],
    );
  });
});

describe("after a call that failed", () => {
  const left = async (error: string, chances = [0.5, 0.3, 0, 0.2]) => {
    const { model } = createMadeUpModel(() => []);
    const turns = [goal, say("call", "search_lamp"), say("result", error)];
    const request = PlanRequest.parse({ size: "base", goal: "", state: "", turns, tools: offered });
    const [session] = await readSessions(model, [request]);
    const reading = { ...session!.reading, mixed: Float64Array.from(chances), mixedParts: [] };
    return [...withoutAsides(Float64Array.of(1, 1, 1, 1), { ...session!, reading }, 0.1)];
  };

  it("a change beside what was asked for is left out", async () => {
    expect(await left("Error: the catalogue is closed")).toEqual([1, Number.NEGATIVE_INFINITY, 1, 1]);
  });

  it("one that was asked for is not", async () => {
    expect(await left("Error: the catalogue is closed", [0.3, 0.5, 0, 0.2])).toEqual([1, 1, 1, 1]);
  });

  it("none is where nothing failed, or the error says how to go on", async () => {
    expect(await left("three lamps")).toEqual([1, 1, 1, 1]);
    expect(await left("Error: unknown lamp, please try again")).toEqual([1, 1, 1, 1]);
  });
});

describe("for a conversation's first message", () => {
  const needy = offered.map((tool) =>
    tool.name === "delete_order" ? { ...tool, needs: ["order_id"] } : tool,
  );
  const left = async (text: string, { chances = [0.3, 0.5, 0, 0.2], tools = needy, state = "" } = {}) => {
    const { model } = createMadeUpModel(() => []);
    const request = PlanRequest.parse({ size: "base", goal: text, state, turns: [say("user", text)], tools });
    const [session] = await readSessions(model, [request]);
    const reading = { ...session!.reading, mixed: Float64Array.from(chances), mixedParts: [] };
    const logits = withoutAsides(Float64Array.of(1, 1, 1, 1), { ...session!, reading }, 0.1);
    return tools.flatMap(({ name }, row) => (logits[row] === 1 ? [] : [name]));
  };

  it("a change beside what is asked for is left out", async () => {
    expect(await left("search a lamp", { chances: [0.5, 0.3, 0, 0.2], tools: offered })).toEqual([
      "delete_order",
    ]);
    expect(await left("delete my old order", { tools: offered })).toEqual([]);
  });

  it("but not where one part asks for two things, of which the mixer finds the other likelier", async () => {
    const chances = [0.6, 0.2, 0, 0.2];
    const leftOut = (text: string) => left(text, { chances, tools: offered });
    expect(await leftOut("search a lamp and drop my order")).toEqual([]);
    expect(await leftOut("search a lamp, then drop my order and stay")).toEqual(["delete_order"]);
    expect(
      await left("search a lamp and drop it", { chances: [0.7, 0.05, 0, 0.25], tools: offered }),
    ).toEqual(["delete_order"]);
  });

  it("so is a change of a thing whose id can be looked up", async () => {
    expect(await left("delete my old order")).toEqual(["delete_order"]);
  });

  it.each([
    ["the message may give it", "delete order 7", {}],
    ["the message gives it", "delete K7T2PQ", {}],
    ["the message gives it in letters", "delete order ABC-XYZ", {}],
    ["the message calls a word so", "delete the order with the id spring", {}],
    ["the system prompt may give it", "delete my order", { state: "The customer's order is 4711." }],
    ["no tool finds it", "delete my order", { tools: needy.with(2, offered[0]!).with(0, offered[0]!) }],
  ])("but not where %s", async (_, text, more) => {
    expect(await left(text, more)).toEqual([]);
  });
});
