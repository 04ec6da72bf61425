/**
 * Bodies of Hrana 2 over HTTP, libSQL's protocol (https://github.com/tursodatabase/libsql/blob/main/docs/HRANA_2_SPEC.md,
 * `/v2/pipeline`): statements into requests, answers into rows. Pure; sends nothing. Written by hand, since each statement of a
 * chat request passes here: the client library takes three times the CPU time, and closes its stream after each statement.
 */
import { z } from "zod";

export type BoundStatement = { sql: string; args: readonly unknown[] };

/** What one statement gave: `rows` have a value for each of `columns`. */
export type StatementResult = { columns: string[]; rows: unknown[][] };

/** SQLite's code and words for a statement that was refused. */
export type StatementFailure = { code: string; message: string };

const Failure = z.object({ message: z.string(), code: z.string().nullish() });
const Result = z.object({
  cols: z.array(z.object({ name: z.string().nullish() })),
  // Each value is checked where it is read.
  rows: z.array(z.array(z.looseObject({ type: z.string() }))),
});
const BatchResult = z.object({
  step_results: z.array(Result.nullable()),
  step_errors: z.array(Failure.nullable()),
});
const answerOf = <Content extends z.ZodType>(result: Content) =>
  z.compile(
    z.object({
      baton: z.string().nullish(),
      results: z.tuple(
        [
          z.discriminatedUnion("type", [
            z.object({ type: z.literal("ok"), response: z.object({ result }) }),
            z.object({ type: z.literal("error"), error: Failure }),
          ]),
        ],
        z.unknown(),
      ),
    }),
  );
const ExecuteAnswer = answerOf(Result);
const BatchAnswer = answerOf(BatchResult);

/** A body's text. `baton`: of the stream to go on with; null opens one. `close`: the stream ends with this request. */
export type WritePipeline = (stream: { baton: string | null; close: boolean }) => string;

const pipeline =
  (request: unknown): WritePipeline =>
  ({ baton, close }) =>
    JSON.stringify({ baton, requests: close ? [request, { type: "close" }] : [request] });

/** Throws TypeError for an argument that SQLite has no type for. */
export function writeExecute(statement: BoundStatement): WritePipeline {
  return pipeline({ type: "execute", stmt: writeStatement(statement) });
}

/** The statements as one write transaction: each runs if the one before it did, and all are undone unless the last one is done. */
export function writeBatch(statements: readonly BoundStatement[]): WritePipeline {
  const begin = { stmt: { sql: "BEGIN IMMEDIATE" } };
  const work = statements.map((statement, before) => ({
    condition: { type: "ok", step: before },
    stmt: writeStatement(statement),
  }));
  const commit = { condition: { type: "ok", step: work.length }, stmt: { sql: "COMMIT" } };
  const undo = {
    condition: { type: "not", cond: { type: "ok", step: work.length + 1 } },
    stmt: { sql: "ROLLBACK" },
  };
  return pipeline({ type: "batch", batch: { steps: [begin, ...work, commit, undo] } });
}

const writeStatement = ({ sql, args }: BoundStatement) => ({
  sql,
  args: args.map(writeValue),
  want_rows: true,
});

function writeValue(value: unknown): unknown {
  if (value === null) return { type: "null" };
  if (typeof value === "string") return { type: "text", value };
  // As a float, which a column of whole numbers stores as one: libSQL's own client does the same.
  if (typeof value === "number" && Number.isFinite(value)) return { type: "float", value };
  if (typeof value === "boolean") return { type: "integer", value: value ? "1" : "0" };
  if (typeof value === "bigint") return { type: "integer", value: String(value) };
  throw new TypeError("no SQLite type for a bound value");
}

/** `baton`: what continues the stream; null when it is closed. */
export type HranaAnswer<Result> = { baton: string | null; result: Result | StatementFailure };

/** The statement's result. Throws for what is not such an answer. */
export function readExecute(body: string): HranaAnswer<StatementResult> {
  const { baton, results } = ExecuteAnswer.parse(JSON.parse(body));
  const [answer] = results;
  const result = answer.type === "ok" ? readResult(answer.response.result) : readFailure(answer.error);
  return { baton: baton ?? null, result };
}

/** A result for each statement of the batch, or why the transaction was undone. Throws for what is not such an answer. */
export function readBatch(body: string): HranaAnswer<StatementResult[]> {
  const { baton, results } = BatchAnswer.parse(JSON.parse(body));
  const [answer] = results;
  const result = answer.type === "ok" ? readSteps(answer.response.result) : readFailure(answer.error);
  return { baton: baton ?? null, result };
}

function readSteps({
  step_results: steps,
  step_errors: errors,
}: z.infer<typeof BatchResult>): StatementResult[] | StatementFailure {
  // The rollback is the last step, and may fail where SQLite has rolled back by itself.
  const failed = errors.slice(0, -1).find((error) => error !== null);
  if (failed) return readFailure(failed);
  const done = steps.slice(1, -2);
  const results = done.flatMap((step) => (step === null ? [] : [readResult(step)]));
  if (results.length < done.length) return { code: "TRANSACTION_CLOSED", message: "a statement was not run" };
  return results;
}

const readFailure = ({ code, message }: z.infer<typeof Failure>): StatementFailure => ({
  code: code ?? "UNKNOWN",
  message,
});

const readResult = ({ cols, rows }: z.infer<typeof Result>): StatementResult => ({
  columns: cols.map(({ name }) => name ?? ""),
  rows: rows.map((row) => row.map(readValue)),
});

function readValue({ type, value }: { type: string; value?: unknown }): unknown {
  if (type === "null") return null;
  if (type === "text" && typeof value === "string") return value;
  if (type === "float" && typeof value === "number") return value;
  const whole = type === "integer" ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(whole)) return whole;
  throw new TypeError(`no value of ours: ${type}`);
}
