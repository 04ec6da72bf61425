/** Results as a table for people. Pure. */
import type { Column, Result, Row } from "./result.ts";

/** One measurement: its title, a table, its notes. A spread stands in parentheses after its median. */
export function renderResult(title: string, { columns, rows, notes }: Result): string {
  const table = [
    ["", ...columns.map(({ heading }) => heading)],
    ...rows.map((row) => [row.label, ...columns.map((column) => renderCell(row, column))]),
  ];
  const widths = table[0]!.map((_, index) => Math.max(...table.map((line) => line[index]!.length)));
  const lines = table.map((line) =>
    line
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[index]!) : cell.padStart(widths[index]!)))
      .join("  ")
      .trimEnd(),
  );
  return [`## ${title}`, ...lines, ...notes.map((note) => `  * ${note}`), ""].join("\n");
}

function renderCell({ figures }: Row, { key, digits }: Column): string {
  const figure = figures[key];
  if (figure === undefined) return "-";
  if (typeof figure === "number") return figure.toFixed(digits);
  const { median, low, high } = figure;
  return `${median.toFixed(digits)} (${low.toFixed(digits)}-${high.toFixed(digits)})`;
}
