/** Validation failures as one readable line per field, for `error.details` of a 422. */
import type { z } from "zod";

type Issue = z.core.$ZodIssue;

const maxLines = 20;

/** `messages.0.role: Invalid …` per issue, in order; values the caller sent are never repeated. */
export function describeIssues(error: { readonly issues: readonly Issue[] }): string[] {
  const lines = new Set<string>();
  for (const issue of error.issues) {
    for (const found of resolveUnions(issue)) lines.add(describe(found));
    if (lines.size >= maxLines) break;
  }
  return [...lines].slice(0, maxLines);
}

/** The field of the first line as `param`, such as `messages.0.role`; nothing if it is the body itself. */
export function findParam({ issues: [first] }: { readonly issues: readonly Issue[] }): { param?: string } {
  const param = first && resolveUnions(first)[0]?.path.map(String).join(".");
  return param ? { param } : {};
}

/**
 * Replaces a union's issue by those of the branch whose type the value has, under their whole paths. If it has the type of none, the issue
 * itself is returned.
 */
export function resolveUnions(issue: Issue, parents: readonly PropertyKey[] = []): Issue[] {
  const path = [...parents, ...issue.path];
  const branches = issue.code === "invalid_union" ? issue.errors : [];
  const begun = branches.find((issues) => issues.every((inner) => inner.path.length > 0));
  return begun?.flatMap((inner) => resolveUnions(inner, path)) ?? [{ ...issue, path }];
}

function describe(issue: Issue): string {
  const field = issue.path.map(String).join(".") || "body";
  const isOfUnion = issue.code === "invalid_union" && issue.errors.length > 0;
  return `${field}: ${isOfUnion ? describeTypes(issue.errors.flat()) : sentence(issue)}`;
}

/** For a value that has none of a union's types: which it may have. */
function describeTypes(issues: readonly Issue[]): string {
  const received = issues.map(({ message }) => /received (\w+)/.exec(message)?.[1]).find(Boolean);
  if (received === "undefined") return "is required";
  return `Invalid input: expected ${[...new Set(issues.flatMap(listExpected))].join(" or ")}`;
}

function listExpected(issue: Issue): string[] {
  if (issue.code === "invalid_union") return issue.errors.flat().flatMap(listExpected);
  if (issue.code === "invalid_type") return [issue.expected];
  if (issue.code === "invalid_value")
    return [`one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`];
  return [issue.message];
}

/** zod's sentence, but for a field whose value chooses the object's form (`role`, `type`): told like any other list of values. */
function sentence({ message }: Issue): string {
  if (/received undefined$/.test(message)) return "is required";
  const [, values] = /^Invalid discriminator value\. Expected (.+)$/.exec(message) ?? [];
  return values === undefined ? message : `Invalid option: expected one of ${writeValues(values)}`;
}

/** `'user' | 'tool'` as zod writes the values of an enumeration: `"user"|"tool"`. */
const writeValues = (values: string): string => values.replaceAll("'", '"').replaceAll(" | ", "|");
