/**
 * Measures rows with tools, read by the session reader as requests are: the first tool, the whole plan of calls, and the next
 * tool after each true beginning.
 */
import { planInOrder, planTools, type ToolPlan } from "../../gpu-worker/planning/tools/plan-tools.ts";
import { readSessions, type Session } from "../../gpu-worker/planning/tools/read-sessions.ts";
import type { WorldModel } from "../../gpu-worker/world-model/world-model.ts";
import { maxPlanSteps, type PlanRequest } from "../../shared/planning.ts";
import { mean, ndcg, rankDown } from "./measures.ts";
import { type EvaluationRow, noTool } from "./rows.ts";
import { lcsF1, pairsOf, pairText, setF1 } from "./sequences.ts";

/** `plans`: also measure the whole plan and the next tools. */
export type ToolRow = { row: EvaluationRow; plans: boolean };
/** `margin`: ln of the odds that some tool fits. `right`: indices of the right tools; empty if none fits. */
export type Choice = { chances: Float64Array; margin: number; right: ReadonlySet<number> };
type ToolScore = { nodes: number; edges: number; lcs: number };
export type ToolResults = {
  choices: Choice[];
  scores: ToolScore[];
  nexts: { right: boolean; stops: boolean }[];
};

/** Most calls of a row that are judged one by one; later ones are left out. */
const maxJudgedCalls = 16;

/** The calls of a row whose tools are in its list, in order. */
export const callsOf = ({ actions, tools }: EvaluationRow): string[] => {
  const names = new Set(tools.map(({ name }) => name));
  return actions.filter((name) => names.has(name));
};

/** Whether a row can be measured: a right tool is in its list, or NONE is right. */
export const isJudged = (row: EvaluationRow): boolean =>
  row.tools.length > 0 && (row.actions.includes(noTool) || callsOf(row).length > 0);

/** A row as the gateway asks for its plan. */
export const requestOf = (
  { manifest: { size } }: WorldModel,
  { goal, state, turns, tools }: EvaluationRow,
  maxSteps = maxPlanSteps,
): PlanRequest => {
  const told = tools.map(({ name, description }) => ({ name, description }));
  return { size, goal, state, history: [], turns, tools: told, maxSteps };
};

export async function evaluateTools(model: WorldModel, rows: readonly ToolRow[]): Promise<ToolResults> {
  const sessions = await readSessions(
    model,
    rows.map(({ row, plans }) => requestOf(model, row, plans ? maxPlanSteps : 1)),
  );
  const plans = await planInOrder(model, sessions);
  const wanted = [...rows.keys()].filter((at) => rows[at]!.plans);
  return {
    choices: rows.map(({ row }, at) => choiceOf(row, plans[at]!)),
    scores: wanted.map((at) => scorePlan(rows[at]!.row, sessions[at]!, plans[at]!)),
    nexts: await judgeNexts(
      model,
      wanted.map((at) => ({ row: rows[at]!.row, session: sessions[at]! })),
    ),
  };
}

function choiceOf({ tools, actions }: EvaluationRow, plan: ToolPlan): Choice {
  const some = plan.tools.reduce((sum, chance) => sum + chance, 0);
  const logOf = (chance: number) => Math.log(Math.max(1e-300, chance));
  return {
    chances: plan.tools.slice(),
    margin: logOf(some) - logOf(plan.endings.noTool),
    right: new Set(tools.flatMap(({ name }, place) => (actions.includes(name) ? [place] : []))),
  };
}

function scorePlan(row: EvaluationRow, { tools }: Session, { steps }: ToolPlan): ToolScore {
  const calls = callsOf(row);
  const planned = steps.map(({ tool }) => tools[tool]!.name);
  const links = row.links.map(([from, to]) => pairText(from, to));
  return {
    nodes: setF1(planned, calls),
    edges: setF1(pairsOf(planned), links.length > 0 ? links : pairsOf(calls)),
    lcs: lcsF1(planned, calls),
  };
}

/** For each true beginning, the empty one included: the likeliest tool, and whether the plan would stop there. */
async function judgeNexts(
  model: WorldModel,
  rows: readonly { row: EvaluationRow; session: Session }[],
): Promise<ToolResults["nexts"]> {
  const places = rows.flatMap(({ row, session }) => {
    const calls = callsOf(row);
    return calls.slice(0, maxJudgedCalls).map((next, done) => {
      const before = calls.slice(0, done).map((text) => ({ kind: "call" as const, text }));
      // Calls alone bring no new text, so the session's vectors and numbers of texts are used again.
      const events = [...session.events, ...before];
      return { next, session: { ...session, events, request: { ...session.request, maxSteps: 1 } } };
    });
  });
  const plans = await planTools(
    model,
    places.map(({ session }) => session),
  );
  return plans.map(({ tools, stops }, at) => {
    const { next, session } = places[at]!;
    return { right: session.tools[rankDown(tools)[0]!]!.name === next, stops };
  });
}

export type ToolFigures = Partial<{
  tool_top1: number;
  tool_recall: number;
  tool_ndcg10: number;
  tools_node_f1: number;
  tools_edge_f1: number;
  tools_lcs_f1: number;
  tools_next_top1: number;
  tools_next_stops: number;
}>;

/** Figures over the rows with a right tool. */
export function measureTools({ choices, scores, nexts }: ToolResults): ToolFigures {
  const judged = choices
    .filter(({ right }) => right.size > 0)
    .map(({ chances, right }) => ({ order: rankDown(chances), right }));
  return {
    ...(judged.length > 0 && {
      tool_top1: mean(judged.map(({ order, right }) => Number(right.has(order[0]!)))),
      tool_recall: mean(
        judged.map(
          ({ order, right }) =>
            order.slice(0, right.size).filter((row) => right.has(row)).length / right.size,
        ),
      ),
      tool_ndcg10: mean(judged.map(({ order, right }) => ndcg(order, right))),
    }),
    ...(scores.length > 0 && {
      tools_node_f1: mean(scores.map(({ nodes }) => nodes)),
      tools_edge_f1: mean(scores.map(({ edges }) => edges)),
      tools_lcs_f1: mean(scores.map(({ lcs }) => lcs)),
      tools_next_top1: mean(nexts.map(({ right }) => Number(right))),
      tools_next_stops: mean(nexts.map(({ stops }) => Number(stops))),
    }),
  };
}

export type Margins = { fitting: number[]; none: number[] };

/** Margins of rows with a right tool, and of rows where none fits, for the irrelevance AUROC. */
export const splitMargins = (choices: readonly Choice[]): Margins => ({
  fitting: choices.flatMap(({ margin, right }) => (right.size > 0 ? [margin] : [])),
  none: choices.flatMap(({ margin, right }) => (right.size === 0 ? [margin] : [])),
});
