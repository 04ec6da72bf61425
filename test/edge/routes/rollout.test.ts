import { describe, expect, test } from "vitest";
import type { RolloutRequest, RolloutResponse } from "../../../shared/rollout.ts";
import { createTestApp, newCaller } from "../support/app.ts";

const goal = "Find a cheap laptop";

const step = (actionId: number, actionName: string, stateChange: number) => ({
  actionId,
  actionName,
  category: "retrieval" as const,
  before: { magnitude: 12, confidence: "High" as const },
  after: { magnitude: 16, confidence: "Medium" as const },
  stateChange,
});

async function start(creditMicro = 1_000_000) {
  const caller = await newCaller(creditMicro);
  const asked: RolloutRequest[] = [];
  const app = createTestApp({
    rollout: async (request): Promise<RolloutResponse> => {
      asked.push(request);
      const ids = request.actions ?? [10, 30].slice(0, request.maxSteps);
      return {
        initialState: request.initialState ?? "Nothing has been done yet.",
        steps: ids.map((id, place) => step(id, `action_${id}`, 11 + place)),
        tokens: 12,
        timings: { queueMs: 0, modelMs: 1 },
      };
    },
  });
  const send = (body: unknown) => app.post("/v1/rollout", caller.apiKey, body);
  return { caller, asked, send };
}

describe("a rollout", () => {
  test.each([
    ["names fields that have no effect here", { temperature: 0.2, "bad name": 1 }, "temperature, bad_name"],
    ["names none that it knows, or that are null", { mode: "fast", max_steps: null, seed: null }, null],
  ])("%s", async (_what, fields, named) => {
    const { send } = await start();
    const response = await send({ goal, ...fields });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-svc-unsupported")).toBe(named);
  });

  test("toward a goal is planned, described and charged", async () => {
    const { send, asked, caller } = await start();
    const response = await send({ goal });
    expect(response.status).toBe(200);
    const body = await response.json<{ id: string; created: number }>();
    expect(body).toMatchObject({
      object: "rollout.prediction",
      goal,
      initial_state: "Nothing has been done yet.",
      action_sequence: [
        { step: 1, action_id: 10, action_name: "action_10", action_category: "retrieval" },
        { step: 2, action_id: 30 },
      ],
      predictions: [
        {
          step: 1,
          current_state: { step: 0, magnitude: 12, confidence: "High" },
          predicted_state: { step: 1, magnitude: 16 },
          state_change: 11,
        },
        { step: 2 },
      ],
      summary: { total_steps: 2, total_state_change: 23, action_path: ["action_10", "action_30"] },
    });
    expect(body.id).toMatch(/^svc-rollout-\w+$/);
    expect(Math.abs(body.created - Date.now() / 1000)).toBeLessThan(30);
    expect(asked).toEqual([{ size: "base", goal, maxSteps: 5 }]);
    // 12 tokens x $0.10 / 1M, rounded up once.
    expect(response.headers.get("x-svc-credits-charged")).toBe("0.000002");
    expect(await caller.charges()).toMatchObject([{ amountMicro: -2, model: "svc-x1ac-base" }]);
  });

  test("of given actions from a given state passes both on", async () => {
    const { send, asked } = await start();
    const body = {
      goal,
      actions: [10, 902, 0],
      initial_state: "The shop is open.",
      max_steps: 2,
      mode: "fast",
    };
    const answer = await (await send({ ...body, return_intermediate: true })).json();
    expect(answer).toMatchObject({ initial_state: "The shop is open.", summary: { total_steps: 3 } });
    expect(asked).toEqual([
      { size: "base", goal, maxSteps: 2, actions: [10, 902, 0], initialState: "The shop is open." },
    ]);
  });

  test("of megabytes sends the worker what it reads of them, and repeats them whole", async () => {
    const { send, asked } = await start();
    const long = {
      goal: `Begin. ${"do not ".repeat(200_000)}The end.`,
      initial_state: `${"on a page, ".repeat(100_000)}now`,
    };
    const response = await send(long);
    expect(await response.json()).toMatchObject(long);
    const [request] = asked;
    expect(request!.goal.length).toBeLessThanOrEqual(2_000);
    expect(request!.goal).toMatch(/^Begin\..*The end\.$/s);
    expect(request!.initialState!.length).toBeLessThanOrEqual(6_000);
    expect(request!.initialState).toMatch(/now$/);
  });

  test("from a blank state begins in the neutral one", async () => {
    const { send, asked } = await start();
    const answer = await (await send({ goal, initial_state: " " })).json();
    expect(answer).toMatchObject({ initial_state: "Nothing has been done yet." });
    expect(asked).toEqual([{ size: "base", goal, maxSteps: 5 }]);
  });

  test.each<[string, unknown]>([
    ["no goal", {}],
    ["an empty goal", { goal: "" }],
    ["no steps", { goal, max_steps: 0 }],
    ["eleven steps", { goal, max_steps: 11 }],
    ["half a step", { goal, max_steps: 1.5 }],
    ["an action past the last", { goal, actions: [903] }],
    ["a negative action", { goal, actions: [-1] }],
    ["an action by its name", { goal, actions: ["search"] }],
    ["a state that is no text", { goal, initial_state: 7 }],
  ])("with %s is refused with 422 and says where", async (_name, body) => {
    const { send, asked } = await start();
    const response = await send(body);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      error: { type: "validation_error", details: [expect.any(String)] },
    });
    expect(asked).toEqual([]);
  });

  test("without its intermediate steps is 500, as the interface says, which no client retries and no alert takes for a defect", async () => {
    const { send, asked, caller } = await start();
    const response = await send({ goal, return_intermediate: false });
    expect(response.status).toBe(500);
    expect(response.headers.get("x-should-retry")).toBe("false");
    expect(await response.json()).toMatchObject({
      error: {
        message: expect.stringContaining("return_intermediate"),
        code: "intermediate_results_required",
      },
    });
    expect(asked).toEqual([]);
    expect(await caller.account()).toMatchObject({ balanceMicro: 1_000_000, openHolds: 0 });
  });

  test("that the account cannot pay is refused before any work", async () => {
    const { send, asked } = await start(0);
    expect((await send({ goal })).status).toBe(402);
    expect(asked).toEqual([]);
  });
});

test("a rollout from the neutral state is charged for that state's text too", async () => {
  const chargeFor = async (tokens: number) => {
    const { apiKey } = await newCaller(1_000_000);
    const timings = { queueMs: 0, modelMs: 1 };
    const { send } = createTestApp({
      rollout: async () => ({ initialState: "", steps: [], tokens, timings }),
    });
    const headers = { "content-type": "application/json", "x-api-key": apiKey };
    const answer = await send("/v1/rollout", {
      method: "POST",
      headers,
      body: JSON.stringify({ goal: "a" }),
    });
    await answer.settled();
    return Number(answer.headers.get("x-svc-credits-charged"));
  };
  expect(await chargeFor(200)).toBeCloseTo(2 * (await chargeFor(100)), 9);
});
