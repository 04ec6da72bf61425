import { expect, test } from "vitest";
import { completeMetadata, describePlan, traceSteps } from "../../../edge/planning/svc-metadata.ts";
import type { PlanResponse } from "../../../shared/planning.ts";

const plan: PlanResponse = {
  steps: [
    {
      actionId: 12,
      actionName: "search",
      category: "retrieval",
      probability: 0.61234567,
      confidence: "High",
      stateChange: 6.123456,
    },
    {
      actionId: 31,
      actionName: "select",
      category: "navigation",
      probability: 0.4,
      confidence: "Medium",
      stateChange: 3,
    },
  ],
  overallConfidence: 0.61234567,
  brainSignal: {
    actionType: "search",
    confidence: 0.5,
    planAhead: ["select"],
    simulationConfirmed: true,
    goalProximity: 0.33333,
  },
  goalReached: 0.1,
  tokens: 20,
  timings: { queueMs: 1.234, modelMs: 2.345 },
};
const facts = { size: "base", executionLlm: "gpt-4o", markup: 0.25, history: [] } as const;

test("metadata follows the plan, step by step", () => {
  expect(describePlan(plan, { ...facts, keySource: "pool" })).toEqual({
    svc_model: "x1ac-base",
    execution_llm: "gpt-4o",
    action_sequence: ["search", "select"],
    predicted_state_changes: [6.1235, 3],
    confidence_labels: ["High", "Medium"],
    overall_confidence: 0.6123,
    steps_to_goal: 2,
    planning_time_ms: 3.58,
    execution_trace: [],
    brain_signal: {
      action_type: "search",
      confidence: 0.5,
      plan_ahead: ["select"],
      simulation_confirmed: true,
      goal_proximity: 0.3333,
    },
    confidence: 0.6123,
    key_source: "pool",
    pool_markup_applied: 0.25,
  });
});

test.each(["done", "ask_user", "no_tool", "unsure"] as const)(
  "metadata says why no tool is named: %s",
  (abstention) => {
    const told = describePlan(
      { ...plan, brainSignal: { ...plan.brainSignal, actionType: "none", abstention } },
      { ...facts, keySource: "pool" },
    );
    expect(told.brain_signal).toMatchObject({ action_type: "none", abstention });
    expect(completeMetadata(told, { executionMs: 1, llmCalls: 1, trace: [] }).brain_signal).toEqual(
      told.brain_signal,
    );
  },
);

test("metadata says nothing of abstaining where a tool is named surely", () => {
  expect(describePlan(plan, { ...facts, keySource: "pool" }).brain_signal).not.toHaveProperty("abstention");
});

test("metadata lists the likely tools, where the plan does", () => {
  const signal = { ...plan.brainSignal, likelyTools: ["search", "open"] };
  const told = describePlan({ ...plan, brainSignal: signal }, { ...facts, keySource: "pool" });
  expect(told.brain_signal.likely_tools).toEqual(["search", "open"]);
});

test("a caller's own key has no markup", () => {
  expect(describePlan(plan, { ...facts, keySource: "user" }).pool_markup_applied).toBeNull();
});

test("the end adds times, calls and the loop's trace, and keeps the history's without one", () => {
  const history = [{ action: "find_trains", observation: "x".repeat(500) }];
  const known = describePlan(plan, { ...facts, keySource: "pool", history });
  const done = completeMetadata(known, { executionMs: 12.3456, llmCalls: 1, trace: [] });
  expect(done).toMatchObject({
    execution_time_ms: 12.35,
    total_steps_executed: 1,
    execution_trace: traceSteps(history),
  });
  expect(done.execution_trace[0]?.response_summary).toHaveLength(200);
});

test.each([198, 199, 200])(
  "a result with a character of two units at %i is cut to well-formed text",
  (at) => {
    const observation = `${"a".repeat(at)}\u{1F600}${"b".repeat(300)}`;
    const [step] = traceSteps([{ action: "read", observation }]);
    expect(step!.response_summary.isWellFormed()).toBe(true);
    expect(step!.response_summary.endsWith("…")).toBe(true);
    expect(step!.response_summary.length).toBeGreaterThanOrEqual(199);
  },
);
