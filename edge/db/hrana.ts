/**
 * The wire to libSQL: Hrana 2 over HTTP, in JSON (libsql/docs/HRANA_2_SPEC.md). One POST to /v2/pipeline opens a
 * stream, runs one statement or one transaction in it, and closes it. Pure: text in, rows or HranaError out.
 * Ours because the public client took over half a millisecond of CPU for a round trip, and every request makes
 * three (docs/performance.md).
 */

/** What is bound and read. Integers beyond 2^53 and blobs have no use here and are refused. */
type Value = string | number | null;
export type BoundStatement = { sql: string; args: readonly unknown[] };
export type Rows = { columns: string[]; rows: Value[][] };

/** The server's refusal in its own words, or an answer that is none. */
export class HranaError extends Error {
  override readonly name = "HranaError";
  /** SQLite's code, `SERVER_ERROR` for an HTTP status, or `HRANA_PROTO_ERROR`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

type Condition = { type: "ok"; step: number } | { type: "not"; cond: Condition };
type Step = { stmt: object; condition?: Condition };

/** Numbers go as floats, as the public client sends them: a column's affinity makes integers of them. */
function writeValue(value: unknown): object {
  if (value === null || value === undefined) return { type: "null" };
  if (typeof value === "string") return { type: "text", value };
  if (typeof value === "number" && Number.isFinite(value)) return { type: "float", value };
  if (typeof value === "boolean") return { type: "integer", value: value ? "1" : "0" };
  throw new TypeError(`a ${typeof value} cannot be bound to a statement`);
}

const writeStatement = ({ sql, args }: BoundStatement) => ({
  sql,
  args: args.map(writeValue),
  want_rows: true,
});
const writePipeline = (request: object): string =>
  JSON.stringify({ baton: null, requests: [request, { type: "close" }] });

/** The body of a request that runs one statement by itself. */
export function writeExecute(statement: BoundStatement): string {
  return writePipeline({ type: "execute", stmt: writeStatement(statement) });
}

const ok = (step: number): Condition => ({ type: "ok", step });

/** The body of a request that runs statements as one write transaction, each if the one before it did. */
export function writeTransaction(statements: readonly BoundStatement[]): string {
  const commit = statements.length + 1;
  const steps: Step[] = [
    { stmt: { sql: "BEGIN IMMEDIATE" } },
    ...statements.map((statement, index) => ({ stmt: writeStatement(statement), condition: ok(index) })),
    { stmt: { sql: "COMMIT" }, condition: ok(statements.length) },
    { stmt: { sql: "ROLLBACK" }, condition: { type: "not", cond: ok(commit) } },
  ];
  return writePipeline({ type: "batch", batch: { steps } });
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;
const unreadable = (): HranaError => new HranaError("HRANA_PROTO_ERROR", "the answer cannot be read");

function readObject(value: unknown): Json {
  if (isObject(value)) return value;
  throw unreadable();
}

function readList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw unreadable();
}

function readError(value: unknown): HranaError {
  const { code, message } = readObject(value);
  return new HranaError(
    typeof code === "string" ? code : "UNKNOWN",
    typeof message === "string" ? message : "",
  );
}

function readValue(value: unknown): Value {
  const { type, value: content } = readObject(value);
  if (type === "null") return null;
  if (type === "text" && typeof content === "string") return content;
  if (type === "float" && typeof content === "number") return content;
  const whole = type === "integer" ? Number(content) : Number.NaN;
  if (Number.isSafeInteger(whole)) return whole;
  throw unreadable();
}

function readRows(value: unknown): Rows {
  const { cols, rows } = readObject(value);
  return {
    columns: readList(cols).map((column) => String(readObject(column).name ?? "")),
    rows: readList(rows).map((row) => readList(row).map(readValue)),
  };
}

/** The result of the pipeline's one request. */
function readResult(body: unknown): unknown {
  const first = readObject(readList(readObject(body).results)[0]);
  if (first.type === "error") throw readError(first.error);
  return readObject(first.response).result;
}

/** Throws HranaError when the statement was refused. */
export function readExecute(body: unknown): Rows {
  return readRows(readResult(body));
}

/** Rows of each of `count` statements. Throws HranaError for the first that was refused: then none was done. */
export function readTransaction(body: unknown, count: number): Rows[] {
  const { step_results: results, step_errors: errors } = readObject(readResult(body));
  const steps = readList(results).slice(0, count + 2);
  for (const error of readList(errors).slice(0, count + 2)) if (error !== null) throw readError(error);
  if (steps.length < count + 2 || steps.includes(null)) throw unreadable();
  return steps.slice(1, -1).map(readRows);
}

/** What a status other than 2xx means; `text` is the body, which may tell a code. */
export function readRefusal(status: number, text: string): HranaError {
  try {
    const body: unknown = JSON.parse(text);
    if (isObject(body) && typeof body.code === "string") return readError(body);
  } catch {}
  return new HranaError("SERVER_ERROR", `HTTP status ${status}`);
}
