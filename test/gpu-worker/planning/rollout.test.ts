import { describe, expect, it, vi } from "vitest";
import { predictRollouts } from "../../../gpu-worker/planning/rollout.ts";
import { achievedAbove } from "../../../shared/bands.ts";
import { RolloutRequest, RolloutResponse } from "../../../shared/rollout.ts";
import { loadBasePlanner } from "../support/base-planner.ts";
import { createMadeUpModel } from "../support/made-up-model.ts";

vi.setConfig({ testTimeout: 60_000 });

const planner = await loadBasePlanner();
const { table } = createMadeUpModel(() => []).model;

const request = (rest: Partial<RolloutRequest> = {}): RolloutRequest =>
  RolloutRequest.parse({
    size: "base",
    goal: "Find a cheap hotel in Lisbon and book it",
    maxSteps: 5,
    ...rest,
  });
const rollout = async (rest: Partial<RolloutRequest> = {}): Promise<RolloutResponse> =>
  RolloutResponse.parse((await planner.rollout([request(rest)]))[0]);

it("a rollout's texts are remembered for its account alone", async () => {
  const { model, encoded } = createMadeUpModel(() => []);
  const asked = request({ goal: "Buy a lamp", initialState: "a shop", share: "account" });
  await predictRollouts(model, [asked]);
  const own = encoded.filter(({ text }) => ["Buy a lamp", "a shop"].includes(text));
  expect(own.map(({ remember, owner }) => [remember, owner])).toEqual([
    ["passing", "account"],
    ["passing", "account"],
  ]);
});

describe("a rollout", () => {
  it("plans toward the goal when no actions are given, as /plan does", async () => {
    const [plan] = await planner.plan([
      { ...request(), state: (await rollout()).initialState, history: [], turns: [], tools: [] },
    ]);
    const { steps } = await rollout();
    expect(steps.map(({ actionId, stateChange }) => ({ actionId, stateChange }))).toEqual(
      plan!.steps.map(({ actionId, stateChange }) => ({ actionId, stateChange })),
    );
    expect((await rollout({ maxSteps: 1 })).steps).toHaveLength(1);
  });

  it("follows the actions that are given, whatever they are", async () => {
    const ids = [0, 1, 2, 3, 9, 10, 30, 902, 10, 10, 10];
    const { steps } = await rollout({ actions: ids, maxSteps: 1 });
    expect(steps.map(({ actionId }) => actionId)).toEqual(ids);
    expect(new Set(steps.slice(0, 4).map(({ category }) => category))).toEqual(new Set(["system"]));
    for (const { stateChange, after } of steps) {
      expect(stateChange).toBeGreaterThanOrEqual(0);
      expect(after.magnitude).toBeGreaterThan(0);
    }
    // Padding, start and end are nothing that could be done.
    for (const place of [0, 2, 3]) expect(steps[place]!.stateChange).toBe(0);
  });

  it("goes from each state to the next without a gap", async () => {
    const { steps } = await rollout();
    for (const [place, step] of steps.slice(1).entries()) expect(step.before).toEqual(steps[place]!.after);
    expect(steps[0]!.before.confidence).toBe("High");
  });

  it("begins at the caller's state, else at the neutral one, and says which", async () => {
    const neutral = await rollout();
    expect(neutral.initialState).toMatch(/\w+ \w+/);
    expect((await rollout({ initialState: " " })).initialState).toBe(neutral.initialState);
    const state = "The hotel's page is open and a room is in the cart.";
    const own = await rollout({ initialState: state });
    expect(own.initialState).toBe(state);
    expect(own.steps[0]!.before.magnitude).not.toBe(neutral.steps[0]!.before.magnitude);
    expect(own.tokens).toBeGreaterThan(neutral.tokens);
  });

  it("is the same alone and among others", async () => {
    const requests = [request(), request({ goal: "Send an email to Anna" }), request({ actions: [10, 30] })];
    const together = await planner.rollout(requests);
    for (const [place, one] of requests.entries()) {
      const [alone] = await planner.rollout([one]);
      expect({ ...alone, timings: undefined }).toEqual({ ...together[place], timings: undefined });
    }
  });

  it("is as sure of a caller's actions as of planned ones, and of actions that serve another goal it is not", async () => {
    const goal = "Find the cheapest flight to Lisbon in May, book it and put it into my calendar";
    const labelsOf = async (...names: string[]) => {
      const { steps } = await rollout({ goal, actions: names.map((name) => table.idOfName(name)!) });
      return steps.map(({ after }) => after.confidence);
    };
    const planned = (await rollout({ goal })).steps;
    expect(await labelsOf(...planned.map(({ actionName }) => actionName))).toEqual(
      planned.map(({ after }) => after.confidence),
    );
    expect(await labelsOf("turn_on_light", "play_music")).toEqual(["Low", "Low"]);
    // A wish is served once, and a proposal matches an action as often as it holds it.
    const repeated = await labelsOf(...Array.from({ length: 10 }, () => "book_flight"));
    expect(repeated.filter((label) => label === "Low").length).toBeGreaterThan(5);
  });

  it("doubts in a caller's actions what it doubts in its own plan", async () => {
    const goal = "Log my run of five kilometres and make me a training plan for the marathon";
    const planned = (await rollout({ goal })).steps;
    const given = (await rollout({ goal, actions: planned.map(({ actionId }) => actionId) })).steps;
    const labels = planned.map(({ after }) => after.confidence);
    expect(labels).toContain("Low");
    expect(given.map(({ after }) => after.confidence)).toEqual(labels);
  });

  it("promises less for the first half of what is to be done than for all of it", async () => {
    const goal = "Translate the attached contract into German and email it to Jonas";
    const totalOf = async (...names: string[]) => {
      const actions = names.map((name) => table.idOfName(name)!);
      return (await rollout({ goal, actions })).steps.reduce((sum, { stateChange }) => sum + stateChange, 0);
    };
    expect(await totalOf("translate_document", "send_email")).toBeGreaterThan(achievedAbove);
    expect(await totalOf("translate_document")).toBeLessThan(achievedAbove);
    expect(await totalOf("send_email")).toBeLessThan(achievedAbove);
  });
});
