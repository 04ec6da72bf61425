/** Rows as CSV by RFC 4180, safe to open in a spreadsheet: a text that would be read as a formula gets an apostrophe in front. Pure. */
import type { UsageRow } from "../api/account-wire.ts";

const columns = ["requests", "prompt_tokens", "completion_tokens", "planning_tokens", "credits"] as const;

function quote(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * @param group what the first column is: day, model or key
 * @param nameOf fills a second column, the names of the first one's ids
 */
export function writeCsv(
  group: string,
  rows: readonly UsageRow[],
  nameOf?: (group: string) => string,
): string {
  const heads = nameOf === undefined ? [group] : [group, "name"];
  const lines = rows.map((row) =>
    [
      quote(row.group),
      ...(nameOf === undefined ? [] : [quote(nameOf(row.group))]),
      ...columns.map((column) => String(row[column])),
    ].join(","),
  );
  return `${[[...heads, ...columns].join(","), ...lines].join("\r\n")}\r\n`;
}
