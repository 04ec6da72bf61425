/** One row of the table of operations, and how it is written in the document. */
import type { ErrorCode } from "../../shared/errors.ts";
import { describeErrors, headerReferences, type Layout } from "./error-answers.ts";
import { limitHeaderNames } from "./headers.ts";

type Examples = Readonly<Record<string, unknown>>;
type Answer = { schemas: readonly string[]; examples: Examples };

export type Operation = {
  path: string;
  method: "get" | "post" | "patch" | "delete";
  /** A name for generated clients. */
  id: string;
  tag: string;
  summary: string;
  description?: string;
  /** `none`: no key is needed; `bare`: Authorization may hold the key alone. */
  security?: "none" | "bare";
  /** In the path or the query. */
  parameters?: readonly Parameter[];
  /** Names of `components.parameters`. */
  headers?: readonly string[];
  request?: Answer;
  /** Status of a success. */
  status?: number;
  answer: Answer;
  /** The full text of a short stream, as an example. */
  stream?: { event: string; example: string };
  /** Names of `components.headers`. */
  answerHeaders?: readonly string[];
  errors: readonly ErrorCode[];
  /** OpenAI's alone if absent. */
  layouts?: readonly Layout[];
  /** Further examples of errors, by status. */
  refusals?: Readonly<Record<number, object>>;
};

export type Parameter = {
  name: string;
  in: "path" | "query";
  description: string;
  schema: object;
  example?: unknown;
};

const json = "application/json";
/** A reference to one of the document's named schemas. */
export const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const writeContent = ({ schemas, examples }: Answer) => ({
  [json]: {
    schema: schemas.length === 1 ? reference(schemas[0]!) : { anyOf: schemas.map(reference) },
    examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
  },
});

const security = {
  none: [],
  bare: [{ bearer: [] }, { apiKey: [] }, { bareKey: [] }],
  keyed: [{ bearer: [] }, { apiKey: [] }],
};

function writeAnswers(operation: Operation) {
  const { answer, stream, layouts = ["openai"], refusals = {} } = operation;
  const ids = layouts.includes("anthropic") ? ["x-request-id", "request-id"] : ["x-request-id"];
  const everywhere = [...ids, "server-timing"];
  // Rate-limit headers come with refusals too, since a request is counted before it is refused.
  const answerHeaders = operation.answerHeaders ?? [];
  const limits = answerHeaders.filter((name) => limitHeaderNames.includes(name));
  const errors: Record<string, { content: { [json]: { examples: object } } }> = describeErrors(
    operation.errors,
    layouts,
    {
      all: [...everywhere, ...limits],
      ofProvider: answerHeaders.filter((name) => /^x-svc-(?:unsupported|credits)/.test(name)),
    },
  );
  for (const [status, examples] of Object.entries(refusals))
    Object.assign(errors[status]!.content[json].examples, examples);
  return {
    [operation.status ?? 200]: {
      description: stream === undefined ? "The answer." : "The answer, or with stream: true its events.",
      headers: headerReferences([...everywhere, ...answerHeaders]),
      content: {
        ...writeContent(answer),
        ...(stream && {
          "text/event-stream": {
            schema: {
              type: "string",
              description: `Server-sent events. The data of each is a ${stream.event}.`,
              contentMediaType: "text/event-stream",
              contentSchema: reference(stream.event),
            },
            example: stream.example,
          },
        }),
      },
    },
    ...(operation.headers?.includes("if-none-match") && {
      304: {
        description: "The list has not changed.",
        headers: headerReferences([...everywhere, ...answerHeaders]),
      },
    }),
    ...errors,
  };
}

export const writeOperation = (operation: Operation) => ({
  operationId: operation.id,
  tags: [operation.tag],
  summary: operation.summary,
  ...(operation.description && { description: operation.description }),
  security: security[operation.security ?? "keyed"],
  parameters: [
    ...(operation.parameters ?? []).map((parameter) => ({
      ...parameter,
      required: parameter.in === "path",
    })),
    ...["x-request-id", ...(operation.headers ?? [])].map((name) => ({
      $ref: `#/components/parameters/${name}`,
    })),
  ],
  ...(operation.request && { requestBody: { required: true, content: writeContent(operation.request) } }),
  responses: writeAnswers(operation),
});
