/**
 * Runs the largest batches a thread will get, once, before it serves: memory is claimed and code compiled then, and not
 * while a caller waits.
 */
import { mostPlanSteps, type PlanRequest } from "../../shared/planning.ts";
import type { RolloutRequest } from "../../shared/rollout.ts";
import { maxTokensPerRun } from "../world-model/encoder.ts";
import type { WorldModel } from "../world-model/world-model.ts";

/** Of the texts of a run, as shares of the window: the longest first. */
const lengths = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16];
const toolsOfEach = 10;
/** Requests with so many tools fill a batch's token limit at a quarter of its request limit (token-estimates.ts). */
const shareWithTools = 1 / 4;

type Verbs = {
  plan(requests: readonly PlanRequest[]): Promise<unknown>;
  rollout(requests: readonly RolloutRequest[]): Promise<unknown>;
};

/** Runs of the encoder, a batch of `requests` rollouts and one of plans with tools. Texts are the vocabulary's own; their answers are nobody's. */
export async function warmUp(planner: Verbs, model: WorldModel, requests: number): Promise<void> {
  const { size, windowTokens, numActions } = model.manifest;
  for (const share of lengths) {
    const length = Math.ceil(windowTokens * share);
    const rows = Math.floor(maxTokensPerRun / length);
    await model.encoder.encodeTokens(Array.from({ length: rows }, () => new Int32Array(length)));
  }
  const glossAt = (place: number) => model.table.actions[place % numActions]!.gloss;
  const tools = Array.from({ length: toolsOfEach }, (_, place) => {
    const { name, gloss } = model.table.actions[numActions - 1 - place]!;
    return { name, description: gloss };
  });
  const goals = Array.from({ length: requests }, (_, place) => glossAt(place * toolsOfEach));
  const common = { size, maxSteps: mostPlanSteps };
  await planner.rollout(goals.map((goal) => ({ ...common, goal })));
  const some = goals.slice(0, Math.ceil(requests * shareWithTools));
  await planner.plan(some.map((goal) => ({ ...common, goal, state: "", history: [], turns: [], tools })));
}
