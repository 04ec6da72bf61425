/**
 * next: where an action takes the latent state. A gated step toward a mix of the goal and the action: the
 * gate opens with the action's effect and with how much of the goal it finishes. The learned dynamics of a
 * later checkpoint take this place.
 */
import type { Effect, PlanningConfig } from "./manifest.ts";
import { norm } from "./vectors.ts";

/** A latent z = magnitude x direction, and the action that led there, if any. */
export type Transition = { next: Float32Array; stateChange: number };

export type TransitionInput = {
  state: Float32Array;
  goal: Float32Array;
  /** Unit direction of the action. */
  action: Float32Array;
  effect: Effect;
  /** Share of the goal that the action newly covers, 0-1. */
  completes: number;
};

/** The next latent and ‖z' − z‖. */
export function transition(input: TransitionInput, config: PlanningConfig["transition"]): Transition {
  const { state, goal, action, effect, completes } = input;
  const gate = Math.min(config.most, config.effect[effect] + config.completion * completes);
  const goalNorm = norm(goal);
  // Loops, not maps: a plan asks for some two hundred transitions, and closures made them half of its time.
  const target = new Float32Array(goal.length);
  for (let i = 0; i < target.length; i++) {
    target[i] = (config.goalShare * goal[i]!) / goalNorm + (1 - config.goalShare) * action[i]!;
  }
  const scale = goalNorm / norm(target);
  const next = new Float32Array(goal.length);
  const moved = new Float32Array(goal.length);
  for (let i = 0; i < next.length; i++) {
    const value = state[i]!;
    next[i] = value + gate * (scale * target[i]! - value);
    moved[i] = next[i]! - value;
  }
  return { next, stateChange: norm(moved) };
}

export const scaled = (direction: Float32Array, magnitude: number): Float32Array =>
  direction.map((value) => value * magnitude);
