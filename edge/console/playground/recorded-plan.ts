/** The plan that the page shows before the first run; a test compares it with what the service plans today. */
import type { Svc } from "../api/chat-wire.ts";

/** The service's answer to the first example, by checkpoint x1ac-base-14 on two CPU cores. */
export const recorded: Svc = {
  action_sequence: ["search_flights", "book_flight"],
  predicted_state_changes: [24.9239, 12.2444],
  confidence_labels: ["High", "High"],
  overall_confidence: 0.8981,
  planning_time_ms: 11.4,
  brain_signal: { action_type: "search_flights", confidence: 0.8981, likely_tools: ["search_flights"] },
};
