/**
 * A rollout in the public shape: the worker's numbers with the words the interface gives them (shared/bands.ts). Pure.
 */
import {
  achievedAbove,
  type Band,
  changeBands,
  magnitudeBands,
  progressFrom,
  wordOf,
} from "../../shared/bands.ts";
import type { ActionCategory } from "../../shared/planning.ts";
import type { RolloutResponse, RolloutStep } from "../../shared/rollout.ts";

const outcomeBands: readonly Band[] = [
  { below: progressFrom, word: "Minimal progress" },
  { upTo: achievedAbove, word: "Significant progress" },
  { upTo: Number.POSITIVE_INFINITY, word: "Goal likely achieved" },
];

export type ActionRef = {
  step: number;
  action_id: number;
  action_name: string;
  action_category: ActionCategory;
};
type PredictedState = { step: number; magnitude: number; confidence: string };
export type Prediction = {
  step: number;
  action: ActionRef;
  current_state: PredictedState;
  predicted_state: PredictedState;
  state_change: number;
  interpretation: string;
};
export type RolloutPrediction = {
  id: string;
  object: "rollout.prediction";
  created: number;
  goal: string;
  initial_state: string;
  action_sequence: ActionRef[];
  predictions: Prediction[];
  summary: {
    total_steps: number;
    initial_magnitude: number;
    final_magnitude: number;
    total_state_change: number;
    outcome: string;
    action_path: string[];
  };
};

/** Rounded as shown. Words and sums are computed from the rounded numbers too, so that they agree with what the reader sees. */
const rounded = (value: number): number => Number(value.toFixed(4));

const refer = ({ actionId, actionName, category }: RolloutStep, index: number): ActionRef => ({
  step: index + 1,
  action_id: actionId,
  action_name: actionName,
  action_category: category,
});

function interpret({ actionName, stateChange, after }: RolloutStep): string {
  const band = wordOf(changeBands, rounded(stateChange));
  const critical = band === "Major" ? " (critical action)" : "";
  return `${band} change${critical}: ${actionName} leads to a state of ${wordOf(magnitudeBands, rounded(after.magnitude))}.`;
}

const predict = (step: RolloutStep, index: number): Prediction => ({
  step: index + 1,
  action: refer(step, index),
  current_state: {
    step: index,
    magnitude: rounded(step.before.magnitude),
    confidence: step.before.confidence,
  },
  predicted_state: {
    step: index + 1,
    magnitude: rounded(step.after.magnitude),
    confidence: step.after.confidence,
  },
  state_change: rounded(step.stateChange),
  interpretation: interpret(step),
});

/** The body of an answer of POST /v1/rollout. `created` is Unix seconds. */
export function describeRollout(
  rollout: RolloutResponse,
  facts: { id: string; created: number; goal: string },
): RolloutPrediction {
  const { steps } = rollout;
  const total = rounded(steps.reduce((sum, { stateChange }) => sum + rounded(stateChange), 0));
  return {
    id: `svc-rollout-${facts.id}`,
    object: "rollout.prediction",
    created: facts.created,
    goal: facts.goal,
    initial_state: rollout.initialState,
    action_sequence: steps.map(refer),
    predictions: steps.map(predict),
    summary: {
      total_steps: steps.length,
      initial_magnitude: rounded(steps[0]?.before.magnitude ?? 0),
      final_magnitude: rounded(steps.at(-1)?.after.magnitude ?? 0),
      total_state_change: total,
      outcome: `${wordOf(outcomeBands, total)} (total state change ${total} over ${steps.length} ${steps.length === 1 ? "step" : "steps"})`,
      action_path: steps.map(({ actionName }) => actionName),
    },
  };
}
