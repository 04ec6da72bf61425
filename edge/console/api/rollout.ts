/** POST /v1/rollout as the page reads it, and the names of the 903 actions. */
import * as z from "zod/mini";
import { callApi, type Result } from "./call-api.ts";

const State = z.object({ magnitude: z.number(), confidence: z.string() });
const Rollout = z.object({
  initial_state: z.string(),
  predictions: z.array(
    z.object({
      step: z.number(),
      action: z.object({ action_id: z.number(), action_name: z.string(), action_category: z.string() }),
      current_state: State,
      predicted_state: State,
      state_change: z.number(),
      interpretation: z.string(),
    }),
  ),
  summary: z.object({ outcome: z.string(), total_state_change: z.number() }),
});
export type Rollout = z.infer<typeof Rollout>;

export type RolloutRequest = { goal: string; initial_state?: string; max_steps: number; actions?: number[] };

export const askRollout = (body: RolloutRequest): Promise<Result<Rollout>> =>
  callApi("/v1/rollout", Rollout, { method: "POST", body });

/** Made from the checkpoint at build time: id, name, category, gloss. */
const Actions = z.array(z.tuple([z.number(), z.string(), z.string(), z.string()]));
export type Action = { id: number; name: string; category: string; gloss: string };

let loading: Promise<readonly Action[]> | undefined;

/** Empty if the file is missing: ids can still be typed. */
export function loadActions(): Promise<readonly Action[]> {
  loading ??= callApi("/console/actions.json", Actions).then((result) =>
    result.ok ? result.value.map(([id, name, category, gloss]) => ({ id, name, category, gloss })) : [],
  );
  return loading;
}
