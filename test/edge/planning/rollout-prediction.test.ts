import { describe, expect, test } from "vitest";
import { describeRollout } from "../../../edge/planning/rollout-prediction.ts";
import type { RolloutResponse, RolloutStep } from "../../../shared/rollout.ts";

const step = (stateChange: number, magnitude = 12): RolloutStep => ({
  actionId: 11,
  actionName: "search",
  category: "retrieval",
  before: { magnitude: 9, confidence: "High" },
  after: { magnitude, confidence: "Medium" },
  stateChange,
});
const rollout = (...steps: RolloutStep[]): RolloutResponse => ({
  initialState: "an empty page",
  steps,
  tokens: 9,
  timings: { queueMs: 0, modelMs: 1 },
});
const facts = { id: "abc", created: 1_700_000_000, goal: "find a book" };

describe("a rollout's answer", () => {
  test("repeats goal and state, and numbers actions and predictions from 1", () => {
    const answer = describeRollout(rollout(step(3.00001), step(8, 21)), facts);
    expect(answer).toMatchObject({
      id: "svc-rollout-abc",
      object: "rollout.prediction",
      goal: "find a book",
      initial_state: "an empty page",
      action_sequence: [
        { step: 1, action_id: 11, action_name: "search", action_category: "retrieval" },
        { step: 2 },
      ],
      summary: {
        total_steps: 2,
        initial_magnitude: 9,
        final_magnitude: 21,
        total_state_change: 11,
        action_path: ["search", "search"],
      },
    });
    expect(answer.predictions[1]).toMatchObject({
      step: 2,
      current_state: { step: 1 },
      predicted_state: { step: 2, magnitude: 21, confidence: "Medium" },
      state_change: 8,
    });
    expect(answer.predictions[1]?.action).toEqual(answer.action_sequence[1]);
  });

  test("sums the changes as they are shown, so that the reader's own sum is the same", () => {
    const { predictions, summary } = describeRollout(rollout(...Array(3).fill(step(1.00004))), facts);
    expect(predictions.map(({ state_change: change }) => change)).toEqual([1, 1, 1]);
    expect(summary.total_state_change).toBe(3);
    expect(summary.outcome).toContain("total state change 3 over 3 steps");
  });

  test.each([
    [4.99, "Minor change:"],
    [4.99996, "Moderate change:"],
    [5, "Moderate change:"],
    [9.99, "Moderate change:"],
    [10, "Significant change:"],
    [14.99999, "Significant change:"],
    [15, "Significant change:"],
    [15.0001, "Major change (critical action):"],
    [40, "Major change (critical action):"],
  ])("a change of %d is read as '%s'", (change, words) => {
    expect(describeRollout(rollout(step(change)), facts).predictions[0]?.interpretation).toContain(words);
  });

  test.each([
    [9, "low complexity"],
    [10, "medium complexity"],
    [15, "high complexity"],
    [20, "high complexity"],
    [20.1, "very high complexity"],
  ])("a magnitude of %d is %s", (magnitude, words) => {
    expect(describeRollout(rollout(step(1, magnitude)), facts).predictions[0]?.interpretation).toContain(
      `of ${words}`,
    );
  });

  test("the total is the sum of the changes as they are shown, to the last digit", () => {
    const { predictions, summary } = describeRollout(
      rollout(step(1.02445), step(0.00004), step(2.00004)),
      facts,
    );
    const shown = predictions.map(({ state_change }) => state_change);
    expect([shown, summary.total_state_change]).toEqual([[1.0245, 0, 2], 3.0245]);
    expect(summary.outcome).toContain("total state change 3.0245");
  });

  test.each([
    [9.99, "Minimal progress"],
    [10, "Significant progress"],
    [20, "Significant progress"],
    [20.01, "Goal likely achieved"],
  ])("a total of %d is '%s'", (total, outcome) => {
    expect(describeRollout(rollout(step(total)), facts).summary.outcome.startsWith(outcome)).toBe(true);
  });
});
