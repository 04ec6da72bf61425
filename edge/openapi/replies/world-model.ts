/** Answers of POST /v1/embeddings and POST /v1/rollout. */
import { z } from "zod";
import { ActionCategory, ActionId, ConfidenceLabel } from "../../../shared/planning.ts";

export const EmbeddingList = z.object({
  object: z.literal("list"),
  data: z.array(
    z.object({
      object: z.literal("embedding"),
      index: z.int().min(0),
      embedding: z.union([z.array(z.number()), z.string()]),
    }),
  ),
  model: z.string(),
  usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
});

const step = z.int().min(0);
const Action = z.object({
  step,
  action_id: ActionId,
  action_name: z.string(),
  action_category: ActionCategory,
});
const State = z.object({ step, magnitude: z.number(), confidence: ConfidenceLabel });

export const RolloutPrediction = z.object({
  id: z.string(),
  object: z.literal("rollout.prediction"),
  created: z.int(),
  goal: z.string(),
  initial_state: z.string(),
  action_sequence: z.array(Action),
  predictions: z.array(
    z.object({
      step,
      action: Action,
      current_state: State,
      predicted_state: State,
      state_change: z.number(),
      interpretation: z.string(),
    }),
  ),
  summary: z.object({
    total_steps: z.int(),
    initial_magnitude: z.number(),
    final_magnitude: z.number(),
    total_state_change: z.number(),
    outcome: z.string(),
    action_path: z.array(z.string()),
  }),
});
