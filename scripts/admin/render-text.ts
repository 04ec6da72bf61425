/** A command's output for people: fields as lines, a list of records as a table. Pure. */

type Output = Readonly<Record<string, unknown>>;

/** Writes each field on a line, and each list of records as a table with one column for each of its fields. */
export function renderText(output: Output): string {
  const fields = Object.entries(output);
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  const parts = fields.map(([name, value]) =>
    Array.isArray(value) ? renderTable(name, value) : `${name.padEnd(width)}  ${renderCell(value)}\n`,
  );
  return parts.join("");
}

function renderTable(name: string, records: readonly Output[]): string {
  if (records.length === 0) return `no ${name}\n`;
  const all = [...new Set(records.flatMap((record) => Object.keys(record)))];
  // A column without any value is left out.
  const columns = all.filter((column) => records.some((record) => (record[column] ?? null) !== null));
  const rows = [columns, ...records.map((record) => columns.map((column) => renderCell(record[column])))];
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => row[index]!.length)));
  const lines = rows.map((row) => row.map((cell, index) => cell.padEnd(widths[index]!)).join("  "));
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function renderCell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.replace(unprintable, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/**
 * Names of keys are written by their owners: an escape sequence in one could rewrite the operator's screen, a line break add a
 * row. So these are replaced: control characters, line separators, and characters that change the direction of writing.
 */
const unprintable = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
