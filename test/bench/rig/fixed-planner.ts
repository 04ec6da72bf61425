/**
 * A planner that knows one plan and gives it at once: loaded into the real gpu-worker instead of the world
 * model, so that the difference between the two is the world model's own time and nothing else.
 */
import type { Planner } from "../../../gpu-worker/planning/planner.ts";
import type { PlannedStep, PlanResponse } from "../../../shared/planning.ts";

export const fixedPlannerModule = import.meta.url;

const step = (actionId: number, actionName: string, stateChange: number): PlannedStep => ({
  actionId,
  actionName,
  category: "retrieval",
  probability: 0.5,
  confidence: "Medium",
  stateChange,
});

export const fixedPlan: PlanResponse = {
  steps: [step(10, "search_flights", 6), step(30, "compare_prices", 4), step(50, "book_hotel", 5)],
  overallConfidence: 0.5,
  brainSignal: {
    actionType: "search_flights",
    confidence: 0.5,
    planAhead: ["compare_prices", "book_hotel"],
    simulationConfirmed: true,
    goalProximity: 0.2,
  },
  goalReached: 0.1,
  tokens: 24,
  timings: { queueMs: 0, modelMs: 0 },
};

const unmeasured = () => Promise.reject(new Error("only plans are measured"));

/** @public loaded by its URL, in planner-thread.ts */
export async function loadPlanner(): Promise<Planner> {
  return {
    plan: async (requests) => requests.map(() => fixedPlan),
    rollout: unmeasured,
    embed: unmeasured,
    readAhead: async () => undefined,
    describe: () => ({
      size: "base",
      dimension: 384,
      device: "cpu",
      checkpoint: "fixed",
      numActions: 903,
    }),
    close: async () => {},
  };
}
