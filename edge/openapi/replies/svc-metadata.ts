/** The `svc` object of an answer (edge/planning/svc-metadata.ts writes it). */
import { z } from "zod";
import { Abstention, ConfidenceLabel } from "../../../shared/planning.ts";

export const SvcMetadata = z.object({
  svc_model: z.string(),
  execution_llm: z.string(),
  action_sequence: z.array(z.string()),
  predicted_state_changes: z.array(z.number()),
  confidence_labels: z.array(ConfidenceLabel),
  overall_confidence: z.number(),
  steps_to_goal: z.int(),
  planning_time_ms: z.number(),
  execution_time_ms: z.number().optional(),
  total_steps_executed: z.int().optional(),
  execution_trace: z.array(z.object({ step: z.int(), action: z.string(), response_summary: z.string() })),
  brain_signal: z.object({
    action_type: z.string(),
    confidence: z.number(),
    abstention: Abstention.optional(),
    likely_tools: z.array(z.string()).optional(),
    plan_ahead: z.array(z.string()),
    simulation_confirmed: z.boolean(),
    goal_proximity: z.number(),
  }),
  confidence: z.number(),
  key_source: z.enum(["user", "pool"]),
  pool_markup_applied: z.number().nullable(),
  credits_charged: z.number().optional(),
});
