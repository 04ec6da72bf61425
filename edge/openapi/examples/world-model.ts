/** Requests and answers of the world model alone. */
import { created } from "./facts.ts";

export const embeddingRequests = {
  one: { model: "svc-x1ac-base", input: "search for a flight" },
  batch: {
    model: "svc-x1ac-base",
    input: ["search for a flight", "book a hotel"],
    encoding_format: "base64",
  },
};
const embeddingList = (embedding: number[] | string) => ({
  object: "list",
  data: [{ object: "embedding", index: 0, embedding }],
  model: "svc-x1ac-base",
  usage: { prompt_tokens: 6, total_tokens: 6 },
});
export const embeddingAnswers = {
  float: embeddingList([0.0123, -0.0456, 0.0789]),
  base64: embeddingList("RrdJPDCFOr0Pc6E9"),
};

const action = { step: 1, action_id: 10, action_name: "search", action_category: "retrieval" };
const goal = "Find a flight to Lisbon";
export const rolloutRequests = {
  planned: { goal, max_steps: 3 },
  given: { goal, actions: [10, 30], initial_state: "The user is on the airline page." },
};
export const rolloutAnswer = {
  id: "svc-rollout-9d0b1c2d3e4f",
  object: "rollout.prediction",
  created,
  goal,
  initial_state: "The user is on the airline page.",
  action_sequence: [action],
  predictions: [
    {
      step: 1,
      action,
      current_state: { step: 0, magnitude: 9.1, confidence: "High" },
      predicted_state: { step: 1, magnitude: 12.4, confidence: "Medium" },
      state_change: 6.2,
      interpretation: "Moderate change: search leads to a state of medium complexity.",
    },
  ],
  summary: {
    total_steps: 1,
    initial_magnitude: 9.1,
    final_magnitude: 12.4,
    total_state_change: 6.2,
    outcome: "Minimal progress (total state change 6.2 over 1 step)",
    action_path: ["search"],
  },
};
