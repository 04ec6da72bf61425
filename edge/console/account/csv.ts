/** Rows as CSV by RFC 4180, safe to open in a spreadsheet: a text that would be read as a formula is prefixed. Pure. */
import type { UsageRow } from "../api/account-wire.ts";

const columns = ["requests", "prompt_tokens", "completion_tokens", "planning_tokens", "credits"] as const;

function quote(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** @param group what the first column is: day, model or key */
export function writeCsv(group: string, rows: readonly UsageRow[]): string {
  const lines = rows.map((row) =>
    [quote(row.group), ...columns.map((column) => String(row[column]))].join(","),
  );
  return `${[[group, ...columns].join(","), ...lines].join("\r\n")}\r\n`;
}
