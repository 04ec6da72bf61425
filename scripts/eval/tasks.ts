/** The tasks of an evaluation thread on its loaded model. Inputs and outputs are plain data (structured clone). */
import type { ActionSequence } from "../../gpu-worker/planning/outcome.ts";
import { loadWorldModel } from "../../gpu-worker/world-model/world-model.ts";
import { createActionMap } from "./episodes.ts";
import { type StepRow, type StepsSeen, seeSteps } from "./step-rows.ts";
import { seeTools, type ToolRow, type ToolsSeen } from "./tool-rows.ts";
import { totalsOf } from "./totals.ts";

/** Rows of a part; a row in both lists is encoded once. */
export type Part = { tools: readonly ToolRow[]; steps: readonly StepRow[] };
export type Seen = { tools: ToolsSeen; steps: StepsSeen };
export type Tasks = {
  see(part: Part): Promise<Seen>;
  total(sequences: readonly ActionSequence[]): Promise<number[]>;
};

export async function loadTasks(checkpointDir: string): Promise<Tasks> {
  const model = await loadWorldModel({ checkpointDir, device: "cpu", intraOpThreads: 1 });
  const mapActions = createActionMap(model);
  return {
    async see({ tools, steps }) {
      return { tools: await seeTools(model, tools), steps: await seeSteps(model, mapActions, steps) };
    },
    total: (sequences) => totalsOf(model, sequences),
  };
}
