/** The fields of a chat stream's chunks that the page reads. Lenient: if a field is missing or odd, its part is not drawn. */
import * as z from "zod/mini";

const maybeNumber = z.optional(z.nullable(z.number()));

/** The `svc` object: whole on the first chunk, and again, with the charge, on the last. */
const Svc = z.object({
  svc_model: z.optional(z.string()),
  execution_llm: z.optional(z.string()),
  action_sequence: z.optional(z.array(z.string())),
  predicted_state_changes: z.optional(z.array(z.number())),
  confidence_labels: z.optional(z.array(z.string())),
  overall_confidence: z.optional(z.number()),
  planning_time_ms: z.optional(z.number()),
  brain_signal: z.optional(
    z.object({
      action_type: z.string(),
      confidence: z.number(),
      goal_proximity: z.optional(z.number()),
      abstention: z.optional(z.string()),
      likely_tools: z.optional(z.array(z.string())),
    }),
  ),
  key_source: z.optional(z.string()),
  credits_charged: maybeNumber,
  total_steps_executed: z.optional(z.number()),
});
export type Svc = z.infer<typeof Svc>;

const ToolCallDelta = z.object({
  index: z.number(),
  id: z.optional(z.nullable(z.string())),
  function: z.optional(
    z.object({ name: z.optional(z.nullable(z.string())), arguments: z.optional(z.nullable(z.string())) }),
  ),
});
export type ToolCallDelta = z.infer<typeof ToolCallDelta>;

export const Chunk = z.object({
  id: z.optional(z.string()),
  choices: z.optional(
    z.array(
      z.object({
        delta: z.optional(
          z.object({
            content: z.optional(z.nullable(z.string())),
            reasoning_content: z.optional(z.nullable(z.string())),
            refusal: z.optional(z.nullable(z.string())),
            tool_calls: z.optional(z.array(ToolCallDelta)),
          }),
        ),
        finish_reason: z.optional(z.nullable(z.string())),
      }),
    ),
  ),
  svc: z.optional(Svc),
  usage: z.optional(
    z.nullable(
      z.object({
        prompt_tokens: maybeNumber,
        completion_tokens: maybeNumber,
        cost: maybeNumber,
      }),
    ),
  ),
});
export type Chunk = z.infer<typeof Chunk>;
