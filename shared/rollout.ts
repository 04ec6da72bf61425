/**
 * edge <-> gpu-worker: POST /rollout. The predicted effect of a sequence of actions, planned toward the
 * goal or given by the caller. Nothing is executed.
 */
import { z } from "zod";
import { ModelSize } from "./model-sizes.ts";
import {
  ActionCategory,
  ActionId,
  ConfidenceLabel,
  Figure,
  maxPlanSteps,
  Share,
  Timings,
} from "./planning.ts";

/** A caller's own sequence of actions. */
export const GivenActions = z.array(ActionId).min(1).max(50);

export const RolloutRequest = z.object({
  size: ModelSize,
  goal: z.string(),
  /** Absent: the checkpoint's neutral state is used. */
  initialState: z.string().optional(),
  maxSteps: z.int().min(1).max(maxPlanSteps),
  /** The actions to predict, in order. Absent: the service plans. */
  actions: GivenActions.optional(),
  share: Share,
});
export type RolloutRequest = z.infer<typeof RolloutRequest>;

/** A latent state: its magnitude r, and how sure the model is of the step that leads to it. */
const RolloutState = z.object({ magnitude: Figure, confidence: ConfidenceLabel });

export const RolloutStep = z.object({
  actionId: ActionId,
  actionName: z.string(),
  category: ActionCategory,
  before: RolloutState,
  after: RolloutState,
  /** The step's share of the total change; if that is above 20 the goal is more likely reached than not. */
  stateChange: Figure,
});
export type RolloutStep = z.infer<typeof RolloutStep>;

export const RolloutResponse = z.object({
  /** The text of the state from which the sequence begins. */
  initialState: z.string(),
  steps: z.array(RolloutStep),
  /** Tokens that the encoder read: what a rollout is charged by. */
  tokens: z.int().nonnegative(),
  timings: Timings,
});
export type RolloutResponse = z.infer<typeof RolloutResponse>;
