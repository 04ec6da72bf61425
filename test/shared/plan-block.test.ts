import { describe, expect, test } from "vitest";
import { leastPlanConfidence, listActions, readPlanBlock, writePlanBlock } from "../../shared/plan-block.ts";
import type { PlanResponse } from "../../shared/planning.ts";

type Facts = { actions: string[]; signal?: string; confidence?: number; probability?: number };

const planOf = ({ actions, signal = actions[0] ?? "none", confidence = 0.9, probability = 0.9 }: Facts) =>
  ({
    steps: actions.map((actionName) => ({ actionName, probability })),
    brainSignal: { actionType: signal, confidence },
  }) as unknown as PlanResponse;

describe("the plan block", () => {
  test("numbers the actions, and is read back as it was meant", () => {
    const text = writePlanBlock(planOf({ actions: ["search", "select"], signal: "web" }), ["mail", "web"])!;
    expect(text.split("\n").slice(1)).toEqual(["1. search", "2. select", "Recommended tool: web"]);
    expect(readPlanBlock(text)).toEqual({ actions: ["search", "select"], tool: "web" });
  });

  test("names no tool where the caller has none of that name", () => {
    expect(writePlanBlock(planOf({ actions: ["search"] }), ["web"])).not.toContain("tool");
  });

  test.each<[string, Facts]>([
    ["nothing is planned", { actions: [] }],
    ["the plan is to end", { actions: ["end"] }],
    ["the plan begins with the end", { actions: ["end", "search"] }],
    ["no tool is wanted", { actions: ["search"], signal: "none" }],
    ["the best action is to end", { actions: ["search"], signal: "end" }],
    ["the first step is doubtful", { actions: ["search"], probability: leastPlanConfidence - 0.01 }],
    ["the signal is doubtful", { actions: ["search"], confidence: leastPlanConfidence - 0.01 }],
    ["the confidence is no number", { actions: ["search"], confidence: Number.NaN }],
  ])("is left out where %s", (_why, facts) => {
    expect(writePlanBlock(planOf(facts), ["web"])).toBeUndefined();
  });

  test("is written at the threshold itself", () => {
    const at = { confidence: leastPlanConfidence, probability: leastPlanConfidence };
    expect(writePlanBlock(planOf({ actions: ["search"], ...at }), [])).toContain("1. search");
  });

  test("never says that there is an end", () => {
    const plan = planOf({ actions: ["search", "end", "select"] });
    expect(listActions(plan)).toEqual(["search"]);
    expect(writePlanBlock(plan, [])!.split("\n").slice(1)).toEqual(["1. search"]);
  });

  test("is not found in other texts", () => {
    expect(readPlanBlock("a user who writes [svc plan] in the middle")).toBeUndefined();
  });
});
