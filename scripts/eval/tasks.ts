/** The tasks of an evaluation thread on its loaded model. Inputs and outputs are plain data (structured clone). */
import type { ActionSequence } from "../../gpu-worker/planning/actions/outcome.ts";
import { loadWorldModel } from "../../gpu-worker/world-model/world-model.ts";
import { createActionMap } from "./episodes.ts";
import { evaluateSteps, type StepResults, type StepRow } from "./step-rows.ts";
import { evaluateTools, type ToolResults, type ToolRow } from "./tool-rows.ts";
import { totalsOf } from "./totals.ts";

/** Rows of a part; a row in both lists is encoded once. */
export type Part = { tools: readonly ToolRow[]; steps: readonly StepRow[] };
export type TaskResults = { tools: ToolResults; steps: StepResults };
export type Tasks = {
  evaluate(part: Part): Promise<TaskResults>;
  total(sequences: readonly ActionSequence[]): Promise<number[]>;
};

export async function loadTasks(checkpointDir: string): Promise<Tasks> {
  const model = await loadWorldModel({ checkpointDir, device: "cpu", intraOpThreads: 1 });
  const mapActions = createActionMap(model);
  return {
    async evaluate({ tools, steps }) {
      return {
        tools: await evaluateTools(model, tools),
        steps: await evaluateSteps(model, mapActions, steps),
      };
    },
    total: (sequences) => totalsOf(model, sequences),
  };
}
