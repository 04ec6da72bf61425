/** An evaluation's figures as a table, and the progress line. Pure. */
import type { SetFigures } from "./measure-set.ts";
import type { EvaluationFigures } from "./run-eval.ts";

const columns: readonly [heading: string, read: (figures: SetFigures) => number | undefined][] = [
  ["tool top-1", ({ tool_top1 }) => tool_top1],
  ["recall", ({ tool_recall }) => tool_recall],
  ["nDCG@10", ({ tool_ndcg10 }) => tool_ndcg10],
  ["irrelevance", ({ irrelevance_auroc }) => irrelevance_auroc],
  ["node F1", ({ tools_node_f1 }) => tools_node_f1],
  ["edge F1", ({ tools_edge_f1 }) => tools_edge_f1],
  ["calls LCS", ({ tools_lcs_f1 }) => tools_lcs_f1],
  ["next tool", ({ tools_next_top1 }) => tools_next_top1],
  ["stops early", ({ tools_next_stops }) => tools_next_stops],
  ["plan LCS", ({ plan_lcs_f1 }) => plan_lcs_f1],
  ["exact", ({ plan_exact }) => plan_exact],
  ["first", ({ plan_first }) => plan_first],
  ["length", ({ plan_length_ratio }) => plan_length_ratio],
  ["mid LCS", ({ plan_mid_lcs_f1 }) => plan_mid_lcs_f1],
  ["nats", ({ action_nats }) => action_nats],
  ["top-1", ({ action_top1 }) => action_top1],
  ["top-5", ({ action_top5 }) => action_top5],
  ["ECE", ({ action_ece }) => action_ece],
  ["next@100", ({ next_state_at_100 }) => next_state_at_100],
  ["copy", ({ copy_state_at_100 }) => copy_state_at_100],
  ["goal", ({ goal_at_100 }) => goal_at_100],
  ["change rho", ({ change_spearman }) => change_spearman],
  ["truncated", ({ goal_auroc }) => goal_auroc?.truncated],
  ["shuffled", ({ goal_auroc }) => goal_auroc?.shuffled],
  ["random", ({ goal_auroc }) => goal_auroc?.random],
  ["other", ({ goal_auroc }) => goal_auroc?.other],
];

/** Columns that no set fills are left out. */
export function renderTable({ sets }: EvaluationFigures): string {
  const entries = Object.entries(sets);
  const used = columns.filter(([, read]) => entries.some(([, figures]) => read(figures) !== undefined));
  const rows = [
    ["set", "n", ...used.map(([heading]) => heading)],
    ...entries.map(([name, figures]) => [
      name,
      String(figures.n),
      ...used.map(([, read]) => read(figures)?.toFixed(3) ?? ""),
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
        .join("  ")
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}

const barWidth = 24;

export function renderProgress(set: string, done: number, total: number): string {
  const share = total === 0 ? 1 : done / total;
  const filled = Math.round(share * barWidth);
  const bar = "#".repeat(filled).padEnd(barWidth, ".");
  return `[${bar}] ${String(Math.floor(share * 100)).padStart(3)} %  ${set}`;
}
