/** Tool choice on rows that bring tools, by the planner's own reading of a request and its first node. */
import { openRoots } from "../../gpu-worker/planning/policy.ts";
import { readSituations } from "../../gpu-worker/planning/situation.ts";
import type { WorldModel } from "../../gpu-worker/world-model/world-model.ts";
import { mean, ndcg, rankDown } from "./measures.ts";
import { type EvaluationRow, noTool } from "./rows.ts";

/** `margin`: ln of the odds that some tool fits. `right`: places of the right tools; none of them fits: empty. */
type Choice = { chances: Float64Array; margin: number; right: ReadonlySet<number> };

const rowsAtATime = 32;

/** One choice per row that can be judged: a right tool is in its list, or NONE is right. */
export async function chooseTools(
  model: WorldModel,
  rows: readonly EvaluationRow[],
  onDone: (rows: number) => void,
): Promise<Choice[]> {
  const choices: Choice[] = [];
  for (let begin = 0; begin < rows.length; begin += rowsAtATime) {
    const chunk = rows.slice(begin, begin + rowsAtATime);
    const judged = chunk.flatMap((row) => {
      const right = new Set(
        row.tools.flatMap(({ name }, place) => (row.actions.includes(name) ? [place] : [])),
      );
      return right.size > 0 || row.actions.includes(noTool) ? [{ row, right }] : [];
    });
    const situations = await readSituations(
      model,
      judged.map(({ row }) => ({
        size: model.manifest.size,
        goal: row.goal,
        state: row.state,
        history: [],
        tools: row.tools.map(({ name, description }) => ({ name, description, parameters: [] })),
        maxSteps: 1,
      })),
    );
    const nodes = await openRoots(model, situations);
    for (const [place, { probabilities }] of nodes.entries()) {
      const none = probabilities.at(-1)!;
      choices.push({
        chances: probabilities.slice(0, -1),
        margin: Math.log(Math.max(1e-300, 1 - none)) - Math.log(Math.max(1e-300, none)),
        right: judged[place]!.right,
      });
    }
    onDone(chunk.length);
  }
  return choices;
}

export type ToolFigures = { tool_top1: number; tool_recall: number; tool_ndcg10: number };

/** Figures over the rows with a right tool; undefined where there is none. */
export function measureTools(choices: readonly Choice[]): ToolFigures | undefined {
  const judged = choices
    .filter(({ right }) => right.size > 0)
    .map(({ chances, right }) => ({ order: rankDown(chances), right }));
  if (judged.length === 0) return undefined;
  return {
    tool_top1: mean(judged.map(({ order, right }) => Number(right.has(order[0]!)))),
    tool_recall: mean(
      judged.map(
        ({ order, right }) => order.slice(0, right.size).filter((row) => right.has(row)).length / right.size,
      ),
    ),
    tool_ndcg10: mean(judged.map(({ order, right }) => ndcg(order, right))),
  };
}

/** Margins of rows with a right tool, and of rows where none fits: what the irrelevance AUROC compares. */
export const splitMargins = (choices: readonly Choice[]): { fitting: number[]; none: number[] } => ({
  fitting: choices.flatMap(({ margin, right }) => (right.size > 0 ? [margin] : [])),
  none: choices.flatMap(({ margin, right }) => (right.size === 0 ? [margin] : [])),
});
