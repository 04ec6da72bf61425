// What a plan says of itself, with a reader and a decoder that answer by a rule.
import { describe, expect, it } from "vitest";
import { confidenceLabel, planRequests } from "../../../gpu-worker/planning/plan.ts";
import { PlanRequest, PlanResponse } from "../../../shared/planning.ts";
import { type Answer, createMadeUpModel } from "../support/made-up-model.ts";

const tools = ["search_lamp", "buy_lamp"].map((name) => ({ name, description: "" }));
const request = (rest: Partial<PlanRequest> = {}) =>
  PlanRequest.parse({ size: "base", goal: "Buy a lamp", state: "", ...rest });
const plan = async (
  answer: Answer,
  decide?: (written: readonly number[]) => number,
  rest: Partial<PlanRequest> = { tools },
) => {
  const { model } = createMadeUpModel(answer, decide);
  return PlanResponse.parse((await planRequests(model, [request(rest)]))[0]);
};
/** The tools in the order of their list, then that all is done. */
const inTurn: Answer = ({ events, tools }) => {
  const done = events.filter(({ kind }) => kind === "planned").length;
  return [...tools.map((_, row) => (row === done ? 9 : 0)), done >= tools.length ? 9 : 0, 0, 0];
};
const namesOf = ({ steps }: PlanResponse) => steps.map(({ actionName }) => actionName);

describe("a plan over tools says", () => {
  it.each([
    ["the work is done", [0, 0, 9, 0, 0], "end", "done"],
    ["only the user knows what is missing", [0, 0, 0, 9, 0], "ask_user", "ask_user"],
    ["no tool fits", [0, 0, 0, 0, 9], "none", "no_tool"],
  ] as const)("that %s", async (_name, logits, step, abstention) => {
    const found = await plan(() => logits);
    expect(namesOf(found)).toEqual([step]);
    expect(found.brainSignal).toMatchObject({
      actionType: "none",
      abstention,
      planAhead: [],
      simulationConfirmed: false,
    });
    expect(found.steps[0]!.stateChange).toBe(0);
    expect(found.overallConfidence).toBeGreaterThan(0.9);
    expect(found.overallConfidence).toBe(found.brainSignal.confidence);
    expect(found.goalReached > 0.9).toBe(abstention === "done");
  });

  it("the likeliest of the endings where together they weigh more than the tools", async () => {
    const found = await plan(() => [1, 0, 0.9, 1.1, 1]);
    expect(found.brainSignal.abstention).toBe("ask_user");
    const total = found.overallConfidence;
    expect(total).toBeGreaterThan(0.5);
    expect(total).toBeLessThan(0.9);
  });

  it("which tool is first, what follows, and nothing of abstaining where it is sure", async () => {
    const found = await plan(inTurn);
    expect(namesOf(found)).toEqual(["search_lamp", "buy_lamp"]);
    // The made-up model's value is the same before and after: nothing confirms that the step helps.
    expect(found.brainSignal).toMatchObject({
      actionType: "search_lamp",
      planAhead: ["buy_lamp"],
      simulationConfirmed: false,
    });
    expect(found.brainSignal).not.toHaveProperty("abstention");
    expect(found.overallConfidence).toBe(found.steps[0]!.probability);
    expect(found.steps[0]!.stateChange).toBe(2.5);
  });

  it("little of a later step that may change something and that the message is not about", async () => {
    const { model } = createMadeUpModel(({ events }) =>
      events.some(({ kind }) => kind === "planned") ? [0, 9, 0, 0, 0] : [9, 0, 0, 0, 0],
    );
    const byName = { scale: 20, words: 0, name: 5, threshold: 0 };
    const heads = { ...model.heads, mix: async (lists: readonly unknown[]) => lists.map(() => byName) };
    const laterOf = async (goal: string) => {
      const [found] = await planRequests({ ...model, heads }, [request({ tools, goal, maxSteps: 2 })]);
      return found!.steps[1];
    };
    expect(await laterOf("Search me one")).toMatchObject({ actionName: "buy_lamp", confidence: "Low" });
    expect(await laterOf("Search one and buy it")).toMatchObject({
      actionName: "buy_lamp",
      confidence: "High",
    });
  });

  it("all of a first step, though the mixer finds the message to be about another tool", async () => {
    const { model } = createMadeUpModel(() => [0, 9, 0, 0, 0]);
    const byName = { scale: 20, words: 0, name: 5, threshold: 0 };
    const heads = { ...model.heads, mix: async (lists: readonly unknown[]) => lists.map(() => byName) };
    const goal = "Search me one";
    const turns = ["Hello", goal].map((text) => ({ kind: "user" as const, text }));
    const [found] = await planRequests({ ...model, heads }, [request({ tools, goal, turns, maxSteps: 1 })]);
    expect(found!.steps[0]).toMatchObject({ actionName: "buy_lamp", confidence: "High" });
  });

  it("that it is unsure, and still names the best one", async () => {
    const many = Array.from({ length: 8 }, (_, at) => ({
      name: `tool_${at}`,
      description: "",
    }));
    const found = await plan(
      ({ tools }) => [...tools.map((_, row) => (row === 5 ? 0.3 : 0)), -9, -9, -9],
      undefined,
      {
        tools: many,
        maxSteps: 1,
      },
    );
    expect(found.brainSignal).toMatchObject({ actionType: "tool_5", abstention: "unsure" });
    expect(found.brainSignal).not.toHaveProperty("likelyTools");
    expect(found.steps[0]!.confidence).toBe("Low");
  });

  it.each([
    [2, undefined],
    [4, "unsure"],
  ])("whether one of %i tools that are as likely is only a guess", async (count, abstention) => {
    const alike = Array.from({ length: count }, (_, at) => ({ name: `tool_${at}`, description: "" }));
    const found = await plan(({ tools }) => [...tools.map(() => 0), -9, -9, -9], undefined, {
      tools: alike,
      maxSteps: 1,
    });
    expect(found.overallConfidence).toBeCloseTo(1 / count, 2);
    expect(found.brainSignal.abstention).toBe(abstention);
  });

  it("the few tools of which one is next where one alone is not likely enough", async () => {
    const four = ["a", "b", "c", "d"].map((name) => ({ name, description: "" }));
    const found = await plan(() => [0, 3, 0, 2.8, -9, -9, -9], undefined, { tools: four, maxSteps: 1 });
    expect(found.brainSignal).toMatchObject({ actionType: "b", likelyTools: ["b", "d"] });
    const stopped = await plan(() => [0, 3, 0, 2.8, 9, -9, -9], undefined, { tools: four });
    expect(stopped.brainSignal).not.toHaveProperty("likelyTools");
  });

  it("once what the reader would call again and again, for a conversation's first message", async () => {
    const again: Answer = () => [9, 0, 0, 0, 0];
    expect(namesOf(await plan(again, undefined, { tools, maxSteps: 3 }))).toEqual(["search_lamp"]);
    const turns = ["Hello", "Buy a lamp"].map((text) => ({ kind: "user" as const, text }));
    const later = await plan(again, undefined, { tools, maxSteps: 3, turns });
    expect(namesOf(later)).toEqual(["search_lamp", "search_lamp", "search_lamp"]);
  });

  it.each([
    ["the assistant's greeting", [{ kind: "assistant", text: "Hi! How can I help?" }], ["search_lamp"]],
    ["an earlier message", [{ kind: "user", text: "Hello" }], ["search_lamp", "search_lamp"]],
  ] as const)("for the message after %s what the rule for it says", async (_name, before, names) => {
    const turns = [...before, { kind: "user" as const, text: "Buy a lamp" }];
    const found = await plan(() => [9, 0, 0, 0, 0], undefined, { tools, maxSteps: 2, turns });
    expect(namesOf(found)).toEqual(names);
  });

  it("no call where the first message asks for nothing, but what the reader plans where it follows another one", async () => {
    const said = { kind: "user" as const, text: "Don't send it" };
    const asked = [
      { kind: "user" as const, text: "Find a lamp" },
      { kind: "assistant" as const, text: "Shall I send Ana the offer?" },
    ];
    const first = async (turns: (typeof said | (typeof asked)[number])[]) => {
      const found = await plan(() => [9, 0, 0, 0, 0], undefined, { tools, goal: said.text, turns });
      return found.brainSignal.actionType;
    };
    expect(await first([said])).toBe("none");
    expect(await first([...asked, said])).not.toBe("none");
  });

  it("what the reader plans where a tool must be called, or nobody has said anything", async () => {
    const again: Answer = () => [9, 0, 0, 0, 0];
    for (const rest of [{ mustCall: {} }, { goal: "", turns: [{ kind: "user" as const, text: "" }] }]) {
      const found = await plan(again, undefined, { tools, maxSteps: 2, ...rest });
      expect(namesOf(found)).toEqual(["search_lamp", "search_lamp"]);
    }
  });

  describe("of a message in parts, where the mixer goes by a tool's name,", () => {
    const byName = { scale: 20, words: 0, name: 5, threshold: 0 };
    const planBy = async (answer: Answer, rest: Partial<PlanRequest>) => {
      const { model } = createMadeUpModel(answer);
      const { session } = model.manifest.planning;
      const weights = { part: 1, none: 0, leads: 0, reader: 0, planned: 0 };
      const calls = { ...session.calls, weights, shift: 0, recall: 1 };
      const planning = {
        ...model.manifest.planning,
        session: { ...session, calls, forbiddenFrom: { open: 2, other: 2 } },
      };
      const heads = { ...model.heads, mix: async (lists: readonly unknown[]) => lists.map(() => byName) };
      const manifest = { ...model.manifest, planning };
      return (await planRequests({ ...model, manifest, heads }, [request({ tools, ...rest })]))[0]!;
    };
    const goal = "Please search one now and then buy me a lamp";

    it("the call of each part in its order, with the first step's highest probability by the reader", async () => {
      // The reader would buy first, and is sure of the search only after that.
      const found = await planBy(
        ({ events }) =>
          events.some(({ kind }) => kind === "planned") ? [2, 0, -9, -9, -9] : [0, 1, -9, -9, -9],
        { goal },
      );
      expect(namesOf(found)).toEqual(["search_lamp", "buy_lamp"]);
      expect(found.steps[0]!.probability).toBeCloseTo(1 / (1 + Math.exp(-2)), 3);
    });

    it("no more likely tools than a list may name, with the first step at their head", async () => {
      const four = [...tools, ...["a", "b"].map((name) => ({ name, description: "" }))];
      const found = await planBy(() => [0, 3, 2.8, 0, -9, -9, -9], { goal, tools: four });
      expect(found.brainSignal.likelyTools).toEqual(["search_lamp", "buy_lamp"]);
    });

    it("no more calls than steps are allowed", async () => {
      expect(namesOf(await planBy(() => [1, 0, -9, -9, -9], { goal, maxSteps: 1 }))).toEqual(["search_lamp"]);
    });

    it("nothing that only a denied part is about", async () => {
      const denied = "Please search one now and do not buy the lamp for me";
      expect(namesOf(await planBy(() => [1, 0, -9, -9, -9], { goal: denied }))).toEqual(["search_lamp"]);
    });
  });

  it("how likely its first step comes next, and how likely each later one is called at all", async () => {
    const { steps } = await plan(({ events, tools }) => {
      const done = events.filter(({ kind }) => kind === "planned").length;
      return [...tools.map((_, row) => (row === done ? 1 : 0)), done >= tools.length ? 9 : -9, -9, -9];
    });
    const next = Math.E / (Math.E + 1);
    expect(steps[0]!.probability).toBeCloseTo(next, 3);
    // The made-up weights: ln odds of the reader's 1, and 4 - 2 for a planned tool.
    expect(steps[1]!.probability).toBeCloseTo(1 / (1 + Math.exp(-3)), 3);
  });

  it("an action of the 903 and its category beside each tool's own name", async () => {
    const { steps } = await plan(inTurn, undefined, { tools, maxSteps: 2 });
    expect(namesOf({ steps } as PlanResponse)).toEqual(["search_lamp", "buy_lamp"]);
    for (const { actionId, category } of steps) {
      expect(actionId).toBeLessThan(903);
      expect(["retrieval", "navigation", "interaction", "system"]).toContain(category);
    }
  });
});

describe("a plan over the 903 actions says", () => {
  const nothing: Answer = () => [];
  it("what to do, step by step, without an abstention", async () => {
    const found = await plan(nothing, (written) => [30, 57, 3][written.length]!, {});
    expect(found.steps.map(({ actionId }) => actionId)).toEqual([30, 57]);
    expect(found.brainSignal.actionType).toBe(found.steps[0]!.actionName);
    expect(found.brainSignal.planAhead).toEqual([found.steps[1]!.actionName]);
    expect(found.brainSignal).not.toHaveProperty("abstention");
    expect(found.goalReached).toBe(0.25);
  });

  it("the end where nothing is left, and that the goal is reached as surely", async () => {
    const found = await plan(nothing, () => 3, {});
    expect(namesOf(found)).toEqual(["end"]);
    expect(found.brainSignal).toMatchObject({
      actionType: "none",
      simulationConfirmed: false,
      planAhead: [],
    });
    expect(found.goalReached).toBe(found.overallConfidence);
  });

  it("that the goal is reached where the value head says so, once a step was taken and not before", async () => {
    const { model } = createMadeUpModel(nothing, (written) => (written.length === 0 ? 30 : 3));
    const { act } = model.heads;
    const heads = {
      ...model.heads,
      act: async (places: Parameters<typeof act>[0]) =>
        (await act(places)).map((one) => ({ ...one, reached: 0.95 })),
    };
    const history = [{ action: "search", observation: "two lamps" }];
    const [before, after] = await planRequests({ ...model, heads }, [request(), request({ history })]);
    expect(before!.steps[0]!.actionId).toBe(30);
    expect(before!.goalReached).toBe(0.95);
    expect(after!.steps).toMatchObject([{ actionId: 3, probability: 0.95, stateChange: 0 }]);
    expect(after!.brainSignal).toMatchObject({ actionType: "none", simulationConfirmed: false });
    expect([after!.goalReached, after!.overallConfidence]).toEqual([0.95, 0.95]);
  });

  it("no more steps than allowed", async () => {
    expect((await plan(nothing, (written) => 30 + written.length, { maxSteps: 3 })).steps).toHaveLength(3);
  });

  it("the next two steps ahead of the first, however many there are", async () => {
    const found = await plan(nothing, (written) => 30 + written.length, { maxSteps: 6 });
    expect(found.steps).toHaveLength(6);
    expect(found.brainSignal.planAhead).toEqual(namesOf(found).slice(1, 3));
  });

  it("which step it doubts, and that it is unsure where that is the first", async () => {
    const search = "search";
    const request = PlanRequest.parse({ size: "base", goal: "Find me a red lamp", state: "", maxSteps: 1 });
    const foundWith = async (both: number) => {
      const { model } = createMadeUpModel(nothing, (written) => (written.length === 0 ? 10 : 3));
      const heads = {
        ...model.heads,
        wishes: async (parts: readonly unknown[]) =>
          parts.map(() => Float32Array.from({ length: 904 }, (_, id) => (id === 10 ? 0.4 : 0))),
      };
      const { planning } = model.manifest;
      const wishes = { ...planning.wishes, backedFrom: { wish: 0.1, both }, wholeFrom: 0 };
      const manifest = { ...model.manifest, planning: { ...planning, wishes } };
      return (await planRequests({ ...model, heads, manifest }, [request]))[0]!;
    };
    const sure = await foundWith(0);
    expect([namesOf(sure), sure.steps[0]!.isDoubted, sure.brainSignal.abstention]).toEqual([
      [search],
      undefined,
      undefined,
    ]);
    const doubted = await foundWith(2);
    expect([namesOf(doubted), doubted.steps[0]!.isDoubted, doubted.brainSignal.abstention]).toEqual([
      [search],
      true,
      "unsure",
    ]);
  });
});

it.each([
  [0.9, "High"],
  [0.6, "High"],
  [0.5999, "Medium"],
  [0.3, "Medium"],
  [0.2999, "Low"],
])("a step as likely as %d has the label %s", (probability, label) => {
  expect(confidenceLabel(probability, { high: 0.6, medium: 0.3 })).toBe(label);
});

it("answers stand in the order of their requests, with tools or without", async () => {
  const { model } = createMadeUpModel(inTurn, (written) => (written.length === 0 ? 30 : 3));
  const requests = [request(), request({ tools, maxSteps: 1 }), request(), request({ tools, maxSteps: 2 })];
  const answers = await planRequests(model, requests);
  expect(answers.map(({ steps }) => steps.length)).toEqual([1, 1, 1, 2]);
  expect(answers.map(({ brainSignal }) => brainSignal.actionType === "search_lamp")).toEqual([
    false,
    true,
    false,
    true,
  ]);
});
