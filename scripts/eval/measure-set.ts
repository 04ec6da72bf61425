/** Measures one set of rows: decides what is measured on it, gives its parts to the threads, and computes the figures. */
import { createRandom } from "./measures.ts";
import type { EvaluationRow, EvaluationSet } from "./rows.ts";
import { measurePlans, type PlanFigures } from "./sequences.ts";
import { type ActionFigures, measureActions, type StepRow } from "./step-rows.ts";
import type { Part, TaskResults } from "./tasks.ts";
import type { Threads } from "./threads.ts";
import {
  callsOf,
  isJudged,
  type Margins,
  measureTools,
  splitMargins,
  type ToolFigures,
  type ToolRow,
} from "./tool-rows.ts";
import { type GoalAuroc, measureTotals } from "./totals.ts";
import { measureTransitions, type TransitionFigures } from "./transitions.ts";

export type SetFigures = { n: number } & ToolFigures &
  Partial<
    ActionFigures & TransitionFigures & PlanFigures & { goal_auroc: GoalAuroc; irrelevance_auroc: number }
  >;

/** Sample sizes, evenly spread over a larger set: a larger sample changes no figure by a percent. */
const sampleSizes = { steps: 24_000, transitions: 3_000, plans: 1_000, totals: 400 };
const rowsPerPart = 96;
const sequencesPerPart = 128;
const seed = 20_261;

/** At most `count` of the items, evenly spread over all. */
export const spread = <Item>(items: readonly Item[], count: number): Item[] =>
  items.length <= count
    ? [...items]
    : Array.from({ length: count }, (_, at) => items[Math.floor((at * items.length) / count)]!);

function split<Item>(items: readonly Item[], size: number): Item[][] {
  const parts: Item[][] = [];
  for (let begin = 0; begin < items.length; begin += size) parts.push(items.slice(begin, begin + size));
  return parts;
}

const stepCount = ({ steps, actions }: EvaluationRow): number => steps.length || actions.length;

export async function measureSet(
  threads: Threads,
  { rows }: EvaluationSet,
  onDone: (done: number, total: number) => void,
): Promise<{ figures: SetFigures; margins: Margins | undefined }> {
  const parts = partsOf(rows);
  const total = parts.reduce((sum, { tools, steps }) => sum + tools.length + steps.length, 0);
  let done = 0;
  onDone(0, total);
  const results = await Promise.all(
    parts.map(async (part) => {
      const found = await threads.run("evaluate", part);
      done += part.tools.length + part.steps.length;
      onDone(done, total);
      return found;
    }),
  );
  const { tools, steps } = join(results);
  const random = createRandom(seed);
  const totals = async (sequences: Parameters<Parameters<typeof measureTotals>[2]>[0]) =>
    (await Promise.all(split(sequences, sequencesPerPart).map((some) => threads.run("total", some)))).flat();
  return {
    figures: {
      n: rows.length,
      ...measureTools(tools),
      ...measureActions(steps.judged),
      ...measureTransitions(steps.transitions, random),
      ...(await measureTotals(steps.sequences, random, totals)),
      ...measurePlans(steps.plans),
    },
    margins: tools.choices.length > 0 ? splitMargins(tools.choices) : undefined,
  };
}

/** Which rows are measured for what, in parts. */
function partsOf(rows: readonly EvaluationRow[]): Part[] {
  const withTools = rows.filter(isJudged);
  const planned = new Set(
    spread(
      withTools.filter((row) => callsOf(row).length > 1),
      sampleSizes.plans,
    ),
  );
  const tools = new Map(
    withTools.map((row): [EvaluationRow, ToolRow] => [row, { row, plans: planned.has(row) }]),
  );
  const steps = stepRowsOf(rows);
  const used = rows.filter((row) => tools.has(row) || steps.has(row));
  return split(used, rowsPerPart).map((some) => ({
    tools: some.flatMap((row) => tools.get(row) ?? []),
    steps: some.flatMap((row) => steps.get(row) ?? []),
  }));
}

/** A row without steps still has actions: the first is chosen in the row's state, the others in the neutral state. */
function stepRowsOf(rows: readonly EvaluationRow[]): Map<EvaluationRow, StepRow> {
  const usable = rows.filter(
    (row) => row.steps.length > 0 || (row.tools.length === 0 && row.actions.length > 0),
  );
  const count = usable.reduce((sum, row) => sum + stepCount(row), 0);
  const chosen = spread(usable, Math.ceil(usable.length * Math.min(1, sampleSizes.steps / count)));
  const longer = chosen.filter((row) => stepCount(row) > 1);
  const plans = new Set(spread(longer, sampleSizes.plans));
  const totals = new Set(spread(longer, sampleSizes.totals));
  const observed = chosen.reduce((sum, { steps }) => sum + steps.filter(({ next }) => next !== "").length, 0);
  const transitions = Math.min(1, sampleSizes.transitions / Math.max(1, observed));
  return new Map(
    chosen.map((row, at): [EvaluationRow, StepRow] => [
      row,
      { row, seed: seed + at, transitions, plans: plans.has(row), totals: totals.has(row) },
    ]),
  );
}

const join = (results: readonly TaskResults[]): TaskResults => ({
  tools: {
    choices: results.flatMap(({ tools }) => tools.choices),
    scores: results.flatMap(({ tools }) => tools.scores),
    nexts: results.flatMap(({ tools }) => tools.nexts),
  },
  steps: {
    judged: results.flatMap(({ steps }) => steps.judged),
    transitions: results.flatMap(({ steps }) => steps.transitions),
    sequences: results.flatMap(({ steps }) => steps.sequences),
    plans: results.flatMap(({ steps }) => steps.plans),
  },
});
