// Plans over tools with a reader that answers by a rule: how the plan is unrolled, and what the reader is shown on the way.
import { describe, expect, it } from "vitest";
import { planTools } from "../../../../gpu-worker/planning/tools/plan-tools.ts";
import { readSessions } from "../../../../gpu-worker/planning/tools/read-sessions.ts";
import { maxEvents, type SessionView } from "../../../../gpu-worker/world-model/session-reader.ts";
import { PlanRequest } from "../../../../shared/planning.ts";
import { type Answer, createMadeUpModel, vectorOf } from "../../support/made-up-model.ts";

const tools = ["find_lamp", "add_to_cart", "check_out"].map((name) => ({
  name,
  description: `Does ${name}`,
}));
const request = (rest: Partial<PlanRequest> = {}) =>
  PlanRequest.parse({
    size: "base",
    goal: "Find a red lamp and add a blue one to my cart",
    state: "",
    tools,
    ...rest,
  });
const isPlanned = ({ kind }: SessionView["events"][number]) => kind === "planned";

/** Tools one after the other, then that all is done. */
const inTurn: Answer = ({ events, tools }) => {
  const done = events.filter(isPlanned).length;
  return [...tools.map((_, row) => (row === done ? 5 : 0)), done >= tools.length ? 9 : 0, 0, 0];
};
const plan = async (answer: Answer, ...requests: PlanRequest[]) => {
  const made = createMadeUpModel(answer);
  return { ...made, plans: await planTools(made.model, await readSessions(made.model, requests)) };
};
const toolsOf = ({ steps }: { steps: { tool: number }[] }) => steps.map(({ tool }) => tool);

describe("a plan over tools", () => {
  it("takes the likeliest tool again and again until an ending is likelier", async () => {
    const { plans, views } = await plan(inTurn, request({ goal: "Get me a red lamp", maxSteps: 10 }));
    expect(toolsOf(plans[0]!)).toEqual([0, 1, 2]);
    expect(plans[0]!.stops).toBe(false);
    expect(views.map(({ events }) => events.filter(isPlanned).length)).toEqual([0, 1, 2, 3]);
  });

  it("of several wishes ends where its steps have served them all, whatever is likely then", async () => {
    const { plans } = await plan(inTurn, request({ maxSteps: 10 }));
    expect(toolsOf(plans[0]!)).toEqual([0, 1]);
  });

  it("stops at the most steps allowed", async () => {
    const { plans, views } = await plan(() => [0, 5, 0, 0, 0, 0], request({ maxSteps: 4 }));
    expect(toolsOf(plans[0]!)).toEqual([1, 1, 1, 1]);
    expect(views).toHaveLength(4);
  });

  it("stops where the tool just planned is the likeliest once more, with low confidence", async () => {
    const again = (logit: number) => plan(() => [logit, 0, 0, 0, 0, 0], request({ maxSteps: 4 }));
    expect(toolsOf((await again(0.2)).plans[0]!)).toEqual([0]);
    expect(toolsOf((await again(3)).plans[0]!)).toEqual([0, 0, 0, 0]);
  });

  it("of an agent in its plan mode has no tool that changes something", async () => {
    const prefersCart: Answer = ({ tools }) => [...tools.map((_, row) => (row === 1 ? 5 : 0)), 0, 0, 0];
    const { plans } = await plan(
      prefersCart,
      request({ maxSteps: 1 }),
      request({ maxSteps: 1, changesNothing: true }),
    );
    expect(plans.map(toolsOf)).toEqual([[1], [0]]);
  });

  it.each(["hi there!", "Close the ticket. No, keep it."])(
    "stops where nothing is asked for, whatever is likely: %s",
    async (goal) => {
      const { plans } = await plan(() => [5, 0, 0, 0, 0, 0], request({ goal }));
      expect(plans[0]!.stops).toBe(true);
    },
  );

  it("stops before the first tool where an ending is likelier, and says how likely each is", async () => {
    const [{ plans }] = [await plan(() => [0, 0, 0, 9, 3, 0], request())];
    const [{ stops, steps, tools, endings }] = plans as [(typeof plans)[0]];
    expect({ stops, steps }).toEqual({ stops: true, steps: [] });
    const all = [...tools, endings.done, endings.ask, endings.noTool];
    expect(all.reduce((sum, chance) => sum + chance, 0)).toBeCloseTo(1, 9);
    expect(endings.done).toBeGreaterThan(endings.ask);
    expect(endings.ask).toBeGreaterThan(endings.noTool);
  });

  it("does not stop before the first call because tools are ruled out, unless all are", async () => {
    const looks = [{ name: "find_lamp", description: "" }, tools[1]!];
    const asked = (offered: typeof tools, more = {}) =>
      request({ goal: "Which lamp is red?", tools: offered, ...more });
    const likely: Answer = () => [1, 5, 0, 3, 0];
    const { plans } = await plan(likely, asked(looks));
    expect(plans[0]).toMatchObject({ stops: false, steps: [{ tool: 0 }] });
    const turns = [
      { kind: "user" as const, text: "Which lamp is red?" },
      { kind: "call" as const, text: "find_lamp" },
      { kind: "result" as const, text: "The tall one" },
    ];
    expect((await plan(likely, asked(looks, { turns }))).plans[0]!.stops).toBe(true);
    const denied = request({ goal: "don't add it", tools: [tools[1]!] });
    expect((await plan(() => [9, 0, 0, 0], denied)).plans[0]!.stops).toBe(true);
  });

  it("stops where all tools are ruled out, also where one followed such a call before", async () => {
    const call = (text: string) => [
      { kind: "call" as const, text },
      { kind: "result" as const, text: "Done" },
    ];
    const turns = [
      { kind: "user" as const, text: "Find a lamp and add it" },
      ...call("search"),
      ...call("add_to_cart"),
      { kind: "user" as const, text: "don't add it" },
      ...call("search"),
    ];
    const { plans } = await plan(
      () => [9, 0, 0, 0],
      request({ goal: "don't add it", turns, tools: [tools[1]!] }),
    );
    expect(plans[0]).toMatchObject({ stops: true, steps: [] });
  });

  it("keeps the chances of its first step, whatever comes later", async () => {
    const { plans } = await plan(inTurn, request({ maxSteps: 10 }));
    const { plans: short } = await plan(inTurn, request({ maxSteps: 1 }));
    expect(plans[0]!.tools).toEqual(short[0]!.tools);
    expect(plans[0]!.endings).toEqual(short[0]!.endings);
    expect(plans[0]!.steps[0]!.probability).toBe(Math.max(...plans[0]!.tools));
  });

  it("is the same beside others that end sooner or later", async () => {
    const requests = [1, 10, 2].map((maxSteps) => request({ maxSteps }));
    const { plans } = await plan(inTurn, ...requests);
    for (const [at, one] of requests.entries()) expect((await plan(inTurn, one)).plans[0]).toEqual(plans[at]);
    expect((await plan(inTurn)).plans).toEqual([]);
  });
});

describe("a plan whose next step has to be a call", () => {
  const done: Answer = () => [1, 0, 0, 9, 0, 0];

  it("begins with the tool that is named, and goes on as if it had been planned", async () => {
    const { plans, views } = await plan(done, request({ mustCall: { tool: "check_out" } }));
    expect(plans[0]).toMatchObject({ stops: false, steps: [{ tool: 2, probability: 1 }] });
    expect(views.map(({ events }) => events.filter(isPlanned).length)).toEqual([0, 1]);
  });

  it("begins with the likeliest tool where any will do, as unsure of it as the reader is", async () => {
    const { plans } = await plan(done, request({ mustCall: {} }));
    expect(plans[0]).toMatchObject({ stops: false, steps: [{ tool: 0 }] });
    expect(plans[0]!.steps[0]!.probability).toBeLessThan(0.01);
  });

  it("names a tool of which it is not sure at all where the message rules all of them out", async () => {
    const denied = request({ goal: "don't add it", tools: [tools[1]!, tools[1]!], mustCall: {} });
    const { plans } = await plan(() => [1, 9, 0, 0, 0], denied);
    expect(plans[0]).toMatchObject({ stops: false, steps: [{ probability: 0 }] });
  });

  it("is sure of the only tool there is", async () => {
    const { plans } = await plan(() => [0, 9, 0, 0], request({ tools: tools.slice(0, 1), mustCall: {} }));
    expect(plans[0]!.steps).toEqual([{ tool: 0, probability: 1 }]);
  });

  it("is as others where the tool named is not among them", async () => {
    const { plans } = await plan(done, request({ mustCall: { tool: "other" } }));
    expect(plans[0]!.steps[0]!.tool).toBe(0);
  });
});

describe("what the reader is shown", () => {
  it("are the events newest first, parts beside the goal, the instructions last", async () => {
    const turns: PlanRequest["turns"] = [
      { kind: "user", text: "hello" },
      { kind: "assistant", text: "hi" },
      { kind: "user", text: "Find a red lamp, then add it to my cart" },
      { kind: "call", text: "find_lamp" },
      { kind: "result", text: "error: no lamp was found" },
    ];
    const { views } = await plan(() => [0, 0, 0, 9, 0, 0], request({ turns, state: "Be brief." }));
    expect(views[0]!.events.map(({ kind, numbers }) => `${kind} ${numbers.join("")}`)).toEqual([
      "result 1010",
      "call 1000",
      "user 0100",
      "part 0000",
      "part 0000",
      "assistant 0000",
      "user 0000",
      "system 0000",
    ]);
  });

  it("of a call of one of the tools is that tool's vector, of another one its name's", async () => {
    const turns: PlanRequest["turns"] = ["find_lamp", "oldTool"].map((text) => ({ kind: "call", text }));
    const { views } = await plan(
      () => [0, 0, 0, 9, 0, 0],
      request({ turns: [{ kind: "user", text: "go on" }, ...turns] }),
    );
    const [old, known] = views[0]!.events;
    expect(known!.vector).toEqual(views[0]!.tools[0]!.vector);
    expect(old!.vector).toEqual(vectorOf("old tool"));
  });

  it("are never more events than it takes, and the instructions stay among them", async () => {
    const goal = Array.from({ length: 12 }, (_, at) => `Do the thing number ${at}.`).join(" ");
    const calls = Array.from({ length: 40 }, () => ({ kind: "call" as const, text: "find_lamp" }));
    const turns = [{ kind: "user" as const, text: goal }, ...calls];
    const { views } = await plan(() => [0, 0, 0, 9, 0, 0], request({ turns, state: "Be brief." }));
    expect(views[0]!.events).toHaveLength(maxEvents);
    expect(views[0]!.events.at(-1)!.kind).toBe("system");
  });

  it("is encoded once for the whole plan", async () => {
    const { encoded, plans } = await plan(inTurn, request({ maxSteps: 10 }));
    expect(toolsOf(plans[0]!)).toHaveLength(2);
    expect(encoded.map(({ text }) => text)).toEqual([
      "Find a red lamp and add a blue one to my cart",
      "Find a red lamp",
      "add a blue one to my cart",
      ...tools.map(({ name, description }) => `${name.replaceAll("_", " ")}: ${description}`),
    ]);
  });
});

describe("what the turns show of the tools", () => {
  const sure: Answer = () => [1, 0.5, 0, -9, -9, -9];
  const needy = [
    { name: "cancel_order", needs: ["order_id"] },
    { name: "find_order", needs: ["query"] },
    { name: "send_mail" },
  ].map((tool) => ({ description: "", ...tool }));
  const firstOf = async (turns: PlanRequest["turns"], missing = -3) => {
    const { model } = createMadeUpModel(sure);
    const { planning } = model.manifest;
    const evidence = { ...planning.session.evidence, missing, given: 3 };
    const weighing = {
      ...model,
      manifest: { ...model.manifest, planning: { ...planning, session: { ...planning.session, evidence } } },
    };
    const one = PlanRequest.parse({
      size: "base",
      goal: "Cancel it",
      state: "",
      tools: needy,
      turns,
      maxSteps: 1,
    });
    const [planned] = await planTools(weighing, await readSessions(weighing, [one]));
    return needy[planned!.steps[0]!.tool]!.name;
  };

  it("weighs at the first step: an id has to be found before a tool can be called with it", async () => {
    const asked = { kind: "user", text: "Cancel the lamp" } as const;
    const later = [{ kind: "user", text: "Hi, I am Ann" } as const, asked];
    expect(await firstOf(later, 0)).toBe("cancel_order");
    expect(await firstOf(later)).toBe("find_order");
    const found = [
      { kind: "call", text: "find_order", args: '{"query":"lamp"}' },
      { kind: "result", text: '{"order_id":"O-17"}' },
    ] as const;
    expect(await firstOf([asked, ...found])).toBe("cancel_order");
  });
});
