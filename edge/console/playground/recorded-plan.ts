/** The plans that the page shows before the first run; a test compares each with what the service plans today. */
import type { Svc } from "../api/chat-wire.ts";

/** The service's answers to the examples, by their names; checkpoint x1ac-base-16 on two CPU cores. */
export const recordedPlans: Readonly<Record<string, Svc>> = {
  "Book a flight": {
    action_sequence: ["search_flights", "book_flight"],
    predicted_state_changes: [24.9239, 12.2444],
    confidence_labels: ["High", "High"],
    overall_confidence: 0.9431,
    planning_time_ms: 10.14,
    brain_signal: { action_type: "search_flights", confidence: 0.9431, likely_tools: ["search_flights"] },
  },
  "Fix a failing test": {
    action_sequence: ["run_tests", "search_code", "read_file", "edit_file"],
    predicted_state_changes: [32.9568, 2.6291, 0.9654, 1.7197],
    confidence_labels: ["High", "High", "Medium", "Low"],
    overall_confidence: 0.9021,
    planning_time_ms: 13.35,
    brain_signal: { action_type: "run_tests", confidence: 0.9021, likely_tools: ["run_tests"] },
  },
  "No tool needed": {
    action_sequence: ["none"],
    predicted_state_changes: [0],
    confidence_labels: ["High"],
    overall_confidence: 0.9855,
    planning_time_ms: 4.7,
    brain_signal: { action_type: "none", confidence: 0.9855, abstention: "no_tool" },
  },
  "Tidy the kitchen": {
    action_sequence: [
      "navigate_location",
      "pick_up",
      "navigate_location",
      "clean_object",
      "navigate_location",
    ],
    predicted_state_changes: [0.5431, 1.8743, 0.5431, 5.0719, 0.5431],
    confidence_labels: ["High", "High", "High", "High", "High"],
    overall_confidence: 0.9779,
    planning_time_ms: 17.28,
    brain_signal: { action_type: "navigate_location", confidence: 0.9779 },
  },
};
