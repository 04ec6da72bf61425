/**
 * The library of plans: recorded episodes, found by the similarity of goal and state. A graph holds their vectors
 * (training/plans/plan_library.py) and finds the nearest ones; plans.json holds their actions.
 */
import { z } from "zod";
import { ActionId } from "../../shared/planning.ts";
import type { OnnxSession } from "../inference/session.ts";
import { createRowRunner, type Scratch } from "./scratch.ts";

/** The ids of each episode's actions. */
export const LibraryPlans = z.array(z.array(ActionId));

export type Recalled = { actions: readonly number[]; similarity: number };
export type Asked = { goal: Float32Array; state: Float32Array };

export type PlanLibrary = {
  /** The nearest episodes for each goal and state, nearest first. `similarity`: 1 if goal and state are the episode's own. */
  recall(asked: readonly Asked[]): Promise<Recalled[][]>;
};

const rowsPerRun = 16;

export function createPlanLibrary(
  session: OnnxSession,
  plans: z.infer<typeof LibraryPlans>,
  scratch: Scratch,
): PlanLibrary {
  const run = createRowRunner(scratch, rowsPerRun);
  return {
    async recall(asked) {
      const inputs = { goal: asked.map(({ goal }) => goal), state: asked.map(({ state }) => state) };
      const { similarity, episode } = await run(session, inputs, ["similarity", "episode"]);
      return similarity.map((similarities, row) =>
        Array.from(similarities, (one, at) => ({ actions: plans[episode[row]![at]!]!, similarity: one })),
      );
    },
  };
}
