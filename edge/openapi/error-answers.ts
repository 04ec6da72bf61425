/** Errors as the document shows them: an example of each in each layout, and an operation's answers by status. */
import { type ErrorCode, errorTable } from "../../shared/errors.ts";
import { statusOfAnthropicError, writeAnthropicError } from "../dialects/caller/anthropic/write-error.ts";
import { writeOpenaiError } from "../dialects/caller/openai/write-error.ts";
import type { ErrorLayout } from "../middleware/context.ts";
import { writeFlatError } from "../routes/account/flat-error.ts";
import { exampleError } from "./error-examples.ts";

export type Layout = "openai" | "anthropic" | "flat";

const requestId = "3f0c9a5e7b1d4c2f8a6e9d0b1c2d3e4f";
const layouts: Readonly<Record<Layout, ErrorLayout & { schema: string }>> = {
  openai: { schema: "OpenaiError", write: writeOpenaiError },
  anthropic: { schema: "AnthropicError", write: writeAnthropicError, statusOf: statusOfAnthropicError },
  flat: { schema: "FlatError", write: writeFlatError },
};

const codes = Object.keys(errorTable) as ErrorCode[];

/** For `components.examples`: `openai.invalid_api_key` and so on, written by the functions that write real answers. */
export const buildErrorExamples = () =>
  Object.fromEntries(
    (Object.keys(layouts) as Layout[]).flatMap((layout) =>
      codes.map((code) => [
        `${layout}.${code}`,
        { summary: code, value: layouts[layout].write(exampleError(code), requestId) },
      ]),
    ),
  );

/** Markdown: every code with its statuses and types. */
export function buildErrorTable(): string {
  const rows = codes.map((code) => {
    const { status, type, anthropicType, retryable, publicCode } = errorTable[code];
    const shown = publicCode ? `\`${code}\`` : `none (\`${code}\`)`;
    return `| ${status} | \`${type}\` | ${shown} | \`${anthropicType}\` | ${retryable ? "yes" : "no"} |`;
  });
  return [
    "| status | type | code | type at /v1/messages | retry |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

export const headerReferences = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export type ErrorHeaders = {
  /** Headers of every error answer. */
  all: readonly string[];
  /** Further headers of errors that a provider may cause. */
  ofProvider: readonly string[];
};

/** An operation's error answers by status, in each layout it speaks. */
export function describeErrors(
  errors: readonly ErrorCode[],
  spoken: readonly Layout[],
  headers: ErrorHeaders,
) {
  const byStatus = new Map<number, { codes: Set<ErrorCode>; layouts: Map<Layout, ErrorCode[]> }>();
  for (const layout of spoken) {
    for (const code of errors) {
      const status = layouts[layout].statusOf?.(exampleError(code)) ?? errorTable[code].status;
      const answer = byStatus.get(status) ?? { codes: new Set(), layouts: new Map() };
      byStatus.set(status, answer);
      answer.codes.add(code);
      answer.layouts.set(layout, [...(answer.layouts.get(layout) ?? []), code]);
    }
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([left], [right]) => left - right)
      .map(([status, answer]) => [String(status), describeAnswer(answer, headers)]),
  );
}

type ErrorAnswer = {
  codes: ReadonlySet<ErrorCode>;
  layouts: ReadonlyMap<Layout, readonly ErrorCode[]>;
};

/** Errors that may come once a provider has answered 200, so that the headers about its call are on them. */
const mayBeLate = (code: ErrorCode): boolean => code.startsWith("upstream_") || code === "request_too_large";

function describeAnswer({ codes: known, layouts: by }: ErrorAnswer, { all, ofProvider }: ErrorHeaders) {
  const schemas = [...by.keys()].map((layout) => ({
    $ref: `#/components/schemas/${layouts[layout].schema}`,
  }));
  const names = [...by].flatMap(([layout, own]) => own.map((code) => `${layout}.${code}`));
  const retries = [...known].map((code) => errorTable[code].retryable);
  return {
    description: [...known].join(", "),
    headers: headerReferences([
      ...all,
      ...([...known].some(mayBeLate) ? ofProvider : []),
      ...([...known].some((code) => errorTable[code].status === 401) ? ["www-authenticate"] : []),
      ...(retries.includes(false) ? ["x-should-retry"] : []),
      ...(retries.includes(true) ? ["retry-after"] : []),
    ]),
    content: {
      "application/json": {
        schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas },
        examples: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }])),
      },
    },
  };
}
