/** What several examples have in common. */

export const model = "svc-x1ac-base-gpt-4o-mini";
export const question = "Find the cheapest flight to Lisbon in May";
export const text = "Lisbon is cheapest on 6 May: 89 EUR with one bag.";
export const created = 1_795_305_600;
export const now = "2026-11-22T00:00:00.000Z";
export const weather = {
  name: "get_weather",
  description: "Today's weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
export const cityArguments = '{"city":"Lisbon"}';

export const svc = {
  svc_model: "x1ac-base",
  execution_llm: "gpt-4o-mini",
  action_sequence: ["search", "select", "read"],
  predicted_state_changes: [6.2, 3.1, 1.4],
  confidence_labels: ["High", "Medium", "Medium"],
  overall_confidence: 0.71,
  steps_to_goal: 3,
  planning_time_ms: 21.4,
  execution_time_ms: 912.6,
  total_steps_executed: 1,
  execution_trace: [],
  brain_signal: {
    action_type: "search",
    confidence: 0.71,
    plan_ahead: ["select", "read"],
    simulation_confirmed: true,
    goal_proximity: 0.32,
  },
  confidence: 0.71,
  key_source: "pool",
  pool_markup_applied: 0.25,
  credits_charged: 0.000_042,
};

export const event = (fields: { type: string } & Record<string, unknown>) =>
  `event: ${fields.type}\ndata: ${JSON.stringify(fields)}\n\n`;
