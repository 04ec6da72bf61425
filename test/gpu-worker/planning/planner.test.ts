import { describe, expect, it, vi } from "vitest";
import { loadPlanner } from "../../../gpu-worker/planning/planner.ts";
import { type PlanRequest, PlanResponse } from "../../../shared/planning.ts";
import {
  checkpointDir,
  loadBasePlanner,
  namesOf,
  planRequest as request,
  travelTools as tools,
} from "../support/base-planner.ts";

vi.setConfig({ testTimeout: 60_000 });

const planner = await loadBasePlanner();

const planOf = async (wanted: PlanRequest): Promise<PlanResponse> => (await planner.plan([wanted]))[0]!;
const withoutTimings = (response: PlanResponse) => ({ ...response, timings: undefined });

it("plans the same, to the bit, when it was warmed up by the largest batch", async () => {
  const warm = await loadPlanner({ checkpointDir, device: "cpu", warmUpRequests: 32 });
  const asked = [
    request("Find a flight to Rome and email it to Anna", { tools }),
    request("Find the cheapest hotel", { state: "You help people plan trips.", maxSteps: 10 }),
  ];
  const [there, here] = await Promise.all([warm.plan(asked), planner.plan(asked)]);
  await warm.close();
  expect(there.map(withoutTimings)).toEqual(here.map(withoutTimings));
});

describe("plans without tools", () => {
  it("never plan padding, the unknown action or nothing, and obey maxSteps", async () => {
    const goal =
      "Find a flight, book it, reserve a hotel, rent a car, email the plan to Anna and add it to my calendar";
    const plan = await planOf(request(goal, { maxSteps: 2 }));
    expect(plan.steps).toHaveLength(2);
    for (const { actionId } of plan.steps) expect([0, 1, 2, 9]).not.toContain(actionId);
  });

  it.each([
    "and the second one?",
    "How do I delete a branch?",
    "Buche mir bitte einen Tisch für zwei Personen morgen Abend",
  ])("are unsure where the first step is improbable: %s", async (goal) => {
    const { overallConfidence, brainSignal } = await planOf(request(goal));
    expect(overallConfidence).toBeLessThan(0.35);
    expect(brainSignal.abstention).toBe("unsure");
  });
});

describe("plans with tools", () => {
  it("name tools of the caller, or end, ask or do nothing, and say which", async () => {
    const names = new Set(tools.map(({ name }) => name));
    const goals = [
      "What's the weather in Paris?",
      "Email Bob that I am late",
      "Who painted the Mona Lisa?",
      "thanks",
    ];
    for (const plan of await planner.plan(goals.map((goal) => request(goal, { tools, maxSteps: 10 })))) {
      const { actionType, abstention, planAhead } = PlanResponse.parse(plan).brainSignal;
      if (actionType === "none") {
        expect(["done", "ask_user", "no_tool"]).toContain(abstention);
        expect(["end", "ask_user", "none"]).toContain(namesOf(plan)[0]);
        expect(plan.steps).toHaveLength(1);
      } else {
        expect(namesOf(plan)[0]).toBe(actionType);
        expect(namesOf(plan).slice(1, 3)).toEqual(planAhead);
        for (const name of namesOf(plan)) expect(names).toContain(name);
      }
    }
  });

  it.each(["let him know", "tell him"])(
    "read what was told before a request that refers to it: %s",
    async (said) => {
      const named = ["search_mail", "find_contact", "send_mail", "read_mail"];
      const goal = `Anna sent the wrong file to bob@x.com, ${said}`;
      const found = await planOf(
        request(goal, { tools: named.map((name) => ({ name, description: name.replace("_", " a ") })) }),
      );
      expect(namesOf(found)[0]).toBe("send_mail");
    },
  );

  it("read a conversation told by turns as the same told by goal and history", async () => {
    const goal = "Find a flight to Rome and book it";
    const turns: PlanRequest["turns"] = [
      { kind: "user", text: goal },
      { kind: "call", text: "search_flights" },
      { kind: "result", text: "3 flights" },
    ];
    const history = [{ action: "search_flights", observation: "3 flights" }];
    const [told, listed] = await planner.plan([
      request(goal, { tools, turns }),
      request(goal, { tools, history }),
    ]);
    expect(withoutTimings(told!)).toEqual(withoutTimings(listed!));
  });
});

describe("numbers of a plan", () => {
  const mixed = [
    request("Book a flight from Berlin to Rome"),
    request("What's the weather in Paris?", { tools }),
    request("", { state: "The user opened the shop." }),
    request("Find a cheap hotel in Lisbon and book it", {
      history: [{ action: "search_hotel", observation: "3 hotels" }],
    }),
    request("x ".repeat(900), { state: "long ".repeat(900) }),
    request("🎉", { maxSteps: 10 }),
  ];

  it("keep the contract and their ranges", async () => {
    for (const response of await planner.plan(mixed)) {
      const plan = PlanResponse.parse(response);
      expect(plan.steps.length).toBeGreaterThan(0);
      expect(plan.timings.queueMs).toBe(0);
      for (const { probability, stateChange } of plan.steps) {
        expect(probability).toBeGreaterThan(0);
        expect(probability).toBeLessThanOrEqual(1);
        expect(stateChange).toBeGreaterThanOrEqual(0);
        expect(stateChange).toBeLessThan(45);
      }
      expect(plan.overallConfidence).toBe(plan.steps[0]!.probability);
      expect(Math.abs(plan.brainSignal.goalProximity)).toBeLessThanOrEqual(1.000001);
      expect(plan.goalReached).toBeGreaterThanOrEqual(0);
      expect(plan.goalReached).toBeLessThanOrEqual(1);
    }
  });

  it("are the same bits alone, together, in any order and again", async () => {
    const together = (await planner.plan(mixed)).map(withoutTimings);
    const reversed = (await planner.plan([...mixed].reverse())).map(withoutTimings).reverse();
    expect(reversed).toEqual(together);
    for (const [i, wanted] of mixed.entries())
      expect(withoutTimings(await planOf(wanted))).toEqual(together[i]);
  });

  it("bill the tokens the encoder reads, tools counted every time", async () => {
    const bare = await planOf(request("Find a flight", { state: "Berlin" }));
    expect(bare.tokens).toBe(5 + 3);
    const first = await planOf(request("Find a flight", { state: "Berlin", tools }));
    const second = await planOf(request("Find a flight", { state: "Berlin", tools }));
    expect(first.tokens).toBeGreaterThan(bare.tokens + 40);
    expect(second.tokens).toBe(first.tokens);
  });

  it("never bill a text beyond the window", async () => {
    const plan = await planOf(request("x ".repeat(900), { state: "long ".repeat(900) }));
    expect(plan.tokens).toBe(96 + 96);
  });

  it("take 128 tools of one name and 256 steps of history", async () => {
    const many = Array.from({ length: 128 }, () => tools[0]!);
    const history = Array.from({ length: 256 }, () => ({ action: "", observation: "" }));
    expect((await planOf(request("weather", { tools: many, history }))).steps.length).toBeGreaterThan(0);
  });
});

describe("the planner", () => {
  it("describes what it loaded", () => {
    const description = planner.describe();
    expect(description).toMatchObject({
      size: "base",
      dimension: 768,
      device: "cpu",
      numActions: 903,
    });
    expect(description.checkpoint).not.toContain("/");
  });

  it("plans nothing for no requests", async () => {
    expect(await planner.plan([])).toEqual([]);
  });
});
