/** Validation failures as one readable line per field, for `error.details` of a 422. */
import type { z } from "zod";

type Issue = z.core.$ZodIssue;

const maxLines = 20;

/** `messages.0.role: Invalid …` per issue, in order; values the caller sent are never repeated. */
export function describeIssues(error: { readonly issues: readonly Issue[] }): string[] {
  const lines = new Set<string>();
  for (const issue of error.issues) {
    for (const line of describe(issue, [])) lines.add(line);
    if (lines.size >= maxLines) break;
  }
  return [...lines].slice(0, maxLines);
}

function describe(issue: Issue, parents: readonly PropertyKey[]): string[] {
  const path = [...parents, ...issue.path];
  if (issue.code === "invalid_union" && issue.errors.length > 0) return describeUnion(issue.errors, path);
  const field = path.map(String).join(".") || "body";
  return [`${field}: ${sentence(issue)}`];
}

/** Describes a union by its branch that matched furthest; if none matched the type, by all their types. */
function describeUnion(branches: readonly (readonly Issue[])[], path: PropertyKey[]): string[] {
  const begun = branches.find((issues) => issues.every((issue) => issue.path.length > 0));
  if (begun !== undefined) return begun.flatMap((issue) => describe(issue, path));
  const first = branches.flat();
  const received = first.map(({ message }) => /received (\w+)/.exec(message)?.[1]).find(Boolean);
  if (received === "undefined") return [`${path.map(String).join(".")}: is required`];
  const expected = [...new Set(first.flatMap(listExpected))].join(" or ");
  return [`${path.map(String).join(".")}: Invalid input: expected ${expected}`];
}

function listExpected(issue: Issue): string[] {
  if (issue.code === "invalid_union") return issue.errors.flat().flatMap(listExpected);
  if (issue.code === "invalid_type") return [issue.expected];
  if (issue.code === "invalid_value")
    return [`one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`];
  return [issue.message];
}

function sentence({ message }: Issue): string {
  return /received undefined$/.test(message) ? "is required" : message;
}
