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
export type StatementOutcome = StatementResult | StatementFailure;

const Failure = z.object({ message: z.string(), code: z.string().nullish() });
type Failure = z.infer<typeof Failure>;
const Result = z.object({
  cols: z.array(z.object({ name: z.string().nullish() })),
  // Each value is checked where it is read.
  rows: z.array(z.array(z.looseObject({ type: z.string() }))),
});
type Result = z.infer<typeof Result>;
const BatchResult = z.object({
  step_results: z.array(Result.nullable()),
  step_errors: z.array(Failure.nullable()),
});
const responseOf = <Content extends z.ZodType>(result: Content) =>
  z.compile(
    z.discriminatedUnion("type", [
      z.object({ type: z.literal("ok"), response: z.object({ result }) }),
      z.object({ type: z.literal("error"), error: Failure }),
    ]),
  );
const ExecuteResponse = responseOf(Result);
const BatchResponse = responseOf(BatchResult);
const Answer = z.compile(z.object({ baton: z.string().nullish(), results: z.array(z.unknown()) }));

/** A body's text. `baton`: of the stream to go on with; null opens one. */
export function writePipeline(baton: string | null, requests: readonly string[]): string {
  return `{"baton":${JSON.stringify(baton)},"requests":[${requests.join(",")}]}`;
}

/** The request that ends its stream. */
export const closeRequest = '{"type":"close"}';

/** A statement's text, for one of the requests below. Throws TypeError for an argument that SQLite has no type for. */
export const writeStatement = ({ sql, args }: BoundStatement): string =>
  JSON.stringify({ sql, args: args.map(writeValue), want_rows: true });

const step = (statement: string, condition: unknown) =>
  `{"condition":${JSON.stringify(condition)},"stmt":${statement}}`;
const done = (index: number) => ({ type: "ok", step: index });

/** A batch in one write transaction. It is committed if the step `needed` is done; otherwise all of it is undone. */
function transactionOf(steps: readonly string[], needed: number): string {
  const begin = '{"stmt":{"sql":"BEGIN IMMEDIATE"}}';
  const commit = step('{"sql":"COMMIT"}', done(needed));
  const undo = step('{"sql":"ROLLBACK"}', { type: "not", cond: done(steps.length + 1) });
  return `{"type":"batch","batch":{"steps":[${[begin, ...steps, commit, undo].join(",")}]}}`;
}

/**
 * A request with statements of different callers: one, or several in one write transaction, in which a refused statement leaves the
 * others alone. sqld writes each page that a transaction changes once, which is most of what a small statement costs.
 */
export function writeGroup(statements: readonly string[]): string {
  if (statements.length === 1) return `{"type":"execute","stmt":${statements[0]}}`;
  const steps = statements.map((statement) => step(statement, done(0)));
  return transactionOf(steps, 0);
}

/** A request with one write transaction: each statement runs if the one before it did, and all are undone unless the last one is done. */
export function writeTransaction(statements: readonly string[]): string {
  const steps = statements.map((statement, before) => step(statement, done(before)));
  return transactionOf(steps, steps.length);
}

function writeValue(value: unknown): unknown {
  if (value === null) return { type: "null" };
  // A half of a surrogate pair has no UTF-8, and sqld reads none of a request with one.
  if (typeof value === "string") return { type: "text", value: value.toWellFormed() };
  // As a float, which a column of whole numbers stores as one: libSQL's own client does the same.
  if (typeof value === "number" && Number.isFinite(value)) return { type: "float", value };
  if (typeof value === "boolean") return { type: "integer", value: value ? "1" : "0" };
  if (typeof value === "bigint") return { type: "integer", value: String(value) };
  throw new TypeError("no SQLite type for a bound value");
}

/** `baton`: what continues the stream; null when it is closed. A result for each request. Throws for what is not such an answer. */
export function readPipeline(body: string): { baton: string | null; results: unknown[] } {
  const { baton = null, results } = Answer.parse(JSON.parse(body));
  return { baton, results };
}

/**
 * The outcome of each of a group's `count` statements; if the database was busy, that failure for each. Throws for anything that is not an
 * answer to a group, and for a transaction that did not begin or end as it should: what was done is not known then.
 */
export function readGroup(result: unknown, count: number): StatementOutcome[] {
  if (count === 1) {
    const answer = ExecuteResponse.parse(result);
    return [answer.type === "ok" ? readOutcome(answer.response.result) : readFailure(answer.error)];
  }
  const { results, errors } = readSteps(result, count);
  const [notBegun] = errors;
  if (notBegun?.code?.startsWith("SQLITE_BUSY")) return new Array(count).fill(readFailure(notBegun));
  if (!results[0] || !results[count + 1]) throw new TypeError("not one transaction");
  return Array.from({ length: count }, (_, index) => readOutcome(results[index + 1], errors[index + 1]));
}

/** A result that cannot be read is a failure of its own statement, not of the group. */
function readOutcome(result: Result | null | undefined, error?: Failure | null): StatementOutcome {
  if (error) return readFailure(error);
  try {
    if (result) return readResult(result);
  } catch {}
  return { code: "UNREADABLE", message: "not a result of ours" };
}

/** A result for each of a transaction's statements, or why it was undone. Throws for what is not an answer to a transaction. */
export function readTransaction(result: unknown, count: number): StatementResult[] | StatementFailure {
  const { results, errors } = readSteps(result, count);
  // The rollback is the last step, and may fail where SQLite has rolled back by itself.
  const failed = errors.slice(0, -1).find((error) => error !== null);
  if (failed) return readFailure(failed);
  const done = results.slice(1, -2).flatMap((step) => (step === null ? [] : [readResult(step)]));
  if (done.length < count) return { code: "TRANSACTION_CLOSED", message: "a statement was not run" };
  return done;
}

/** What the begin, each of `count` statements, the commit and the rollback gave. */
function readSteps(
  result: unknown,
  count: number,
): { results: (Result | null)[]; errors: (Failure | null)[] } {
  const answer = BatchResponse.parse(result);
  const steps = count + 3;
  if (answer.type === "error") {
    const none = new Array<null>(steps - 1).fill(null);
    return { results: [null, ...none], errors: [answer.error, ...none] };
  }
  const { step_results: results, step_errors: errors } = answer.response.result;
  if (results.length !== steps || errors.length !== steps) throw new TypeError("not the batch's steps");
  return { results, errors };
}

const readFailure = ({ code, message }: Failure): StatementFailure => ({
  code: code ?? "UNKNOWN",
  message,
});

const readResult = ({ cols, rows }: Result): StatementResult => ({
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
