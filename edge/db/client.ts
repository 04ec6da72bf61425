/**
 * Access to libSQL: statements compiled once and run over HTTP, one round trip for each `execute` or `batch`. A database belongs
 * to the request that opened it (workerd ties I/O to a request), and shares no more with others than the baton of a kept stream.
 * Opening takes a few microseconds and no I/O. Errors carry the database's words, never a statement's values.
 */
import type { BatchItem } from "drizzle-orm/batch";
import { drizzle } from "drizzle-orm/libsql/http";
import { fillPlaceholders } from "drizzle-orm/sql";
import type { SQLitePreparedQuery } from "drizzle-orm/sqlite-core";
import {
  type BoundStatement,
  type HranaAnswer,
  readBatch,
  readExecute,
  type StatementFailure,
  type StatementResult,
  type WritePipeline,
  writeBatch,
  writeExecute,
} from "./hrana.ts";
import type { KeptStream } from "./kept-stream.ts";

/** Only compiles statements; it has no connection. */
export const build = drizzle.mock();

type Query = BatchItem<"sqlite">;
/** A compiled statement; `sql.placeholder(name)` in it is filled by `values[name]` when it runs. */
export type Statement<Result> = {
  readonly text: string;
  readonly parameters: unknown[];
  readonly read: (result: StatementResult) => Result;
};
type Values = Readonly<Record<string, unknown>>;
type Results<Statements extends readonly Statement<unknown>[]> = {
  -readonly [Index in keyof Statements]: Statements[Index] extends Statement<infer Result> ? Result : never;
};

const nameValues = (names: readonly string[], values: readonly unknown[]) =>
  Object.fromEntries(names.map((name, index) => [name, values[index]]));

/** Compiles a query of `build` once, when its module is loaded. */
export function prepare<Q extends Query>(query: Q): Statement<Q["_"]["result"]> {
  // `_prepare` is what drizzle's own batch calls, and `fields` what a row is mapped onto; its types have neither.
  const prepared = (
    query as unknown as { _prepare(): SQLitePreparedQuery<never> & { fields?: unknown } }
  )._prepare();
  const { sql, params } = prepared.getQuery();
  // drizzle reads the rows of a raw statement by column name, those of a built query (which has `fields`) by position.
  const shape = (result: StatementResult) =>
    prepared.fields ? result : { ...result, rows: result.rows.map((row) => nameValues(result.columns, row)) };
  return {
    text: sql,
    parameters: params,
    read: (result) => prepared.mapResult(shape(result), true) as Q["_"]["result"],
  };
}

export type Database = {
  /** Runs one statement in one round trip. Throws DatabaseError. */
  execute<Result>(statement: Statement<Result>, values?: Values): Promise<Result>;
  /**
   * Runs statements as one write transaction in one round trip: all of them or none. They share `values`.
   * The first should write, so that the writer's lock is asked for once. Throws DatabaseError.
   */
  batch<const S extends readonly Statement<unknown>[]>(statements: S, values?: Values): Promise<Results<S>>;
};

/** A statement that the database refused, did not receive, or did not answer. `code` is SQLite's, or a short tag. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly code: string;
  /** True when trying again later may help: nothing is known to be wrong with the statement itself. */
  readonly unavailable: boolean;

  constructor(code: string, unavailable: boolean, message: string) {
    super(message);
    this.code = code;
    this.unavailable = unavailable;
  }
}

/** True for an unreachable, hanging, busy or broken database; false for a statement it refused. */
export function isDatabaseUnavailable(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.unavailable;
}

export type DatabaseOptions = {
  /** `libsql:`, `https:`, or `http:` for a loopback sqld. */
  url: string;
  authToken?: string | undefined;
  fetch?: typeof fetch;
  /** For an sqld on this machine: used while no other request uses it. */
  keptStream?: KeptStream | undefined;
  /** Longest time of one statement or batch, including retries while the database is busy (5 s). */
  timeoutMs?: number;
};

/** Opens a database without I/O, for the life of one request. */
export function openDatabase(options: DatabaseOptions): Database {
  const { timeoutMs = 5000, keptStream } = options;
  const post = createPost(options);
  const withDeadline = async <Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeoutMs);
    try {
      return await tryWhileBusy(() => work(deadline.signal), deadline.signal);
    } finally {
      clearTimeout(timer);
    }
  };

  /** One round trip for a statement or a batch, on the kept stream if it is free, else on a stream of its own. */
  const send = async <Result extends StatementResult | StatementResult[]>(
    { write, read, closes }: Work<Result>,
    signal: AbortSignal,
  ): Promise<Result> => {
    const lease = keptStream?.take();
    if (lease === undefined) {
      return resultOf(parse(read, await post(write({ baton: null, close: true }), signal)).result);
    }
    let answer = await post(write({ baton: lease.baton, close: closes }), signal);
    // A baton that sqld does not know (it has expired, or sqld has started again) is refused before any statement runs.
    if (answer.status === 400 && lease.baton !== null) {
      answer = await post(write({ baton: null, close: closes }), signal);
    }
    // No stream was opened, and none was used.
    if (answer.status === 400 || answer.status === 429) lease.giveBack(lease.baton);
    const { baton, result } = parse(read, answer);
    lease.giveBack(baton);
    return resultOf(result);
  };
  return {
    async execute(statement, values = {}) {
      const work = { write: writeExecute(bind(statement, values)), read: readExecute, closes: false };
      return statement.read(await withDeadline((signal) => send(work, signal)));
    },
    async batch(statements, values = {}) {
      const write = writeBatch(statements.map((statement) => bind(statement, values)));
      // Its stream is closed: a transaction that was left open must not go on in another request.
      const work = { write, read: readBatch, closes: true };
      const results = await withDeadline((signal) => send(work, signal));
      return statements.map((statement, index) => statement.read(results[index]!)) as Results<
        typeof statements
      >;
    },
  };
}

type Work<Result> = { write: WritePipeline; read: (body: string) => HranaAnswer<Result>; closes: boolean };

const bind = (statement: Statement<unknown>, values: Values): BoundStatement => ({
  sql: statement.text,
  args: fillPlaceholders(statement.parameters, values),
});

type Answer = { status: number; body: string };

/** One round trip; the signal covers the answer's body too, so a hung database becomes an error. */
function createPost({ url, authToken, fetch: send = fetch }: DatabaseOptions) {
  const address = `${url.replace(/^libsql:/, "https:").replace(/\/$/, "")}/v2/pipeline`;
  const headers = {
    "content-type": "application/json",
    ...(authToken && { authorization: `Bearer ${authToken}` }),
  };
  return async (body: string, signal: AbortSignal): Promise<Answer> => {
    try {
      const response = await send(address, { method: "POST", headers, body, signal });
      return { status: response.status, body: await response.text() };
    } catch {
      const code = signal.aborted ? "timeout" : "unreachable";
      throw new DatabaseError(code, true, `database ${code}`);
    }
  };
}

function parse<Parsed>(read: (body: string) => Parsed, { status, body }: Answer): Parsed {
  if (status !== 200) {
    const code = status === 429 ? tooManyConnections : "SERVER_ERROR";
    throw new DatabaseError(code, true, `database ${code}: status ${status}`);
  }
  try {
    return read(body);
  } catch {
    throw new DatabaseError("protocol", true, "database protocol: not an answer of Hrana's");
  }
}

function resultOf<Result extends StatementResult | StatementResult[]>(
  result: Result | StatementFailure,
): Result {
  if (!("code" in result)) return result;
  const { code, message } = result;
  throw new DatabaseError(code, !refusals.test(code), `database ${code}: ${message}`);
}

const firstPauseMs = 10;
const maxPauseMs = 320;

/**
 * A busy database (another writer, or too many connections) has done nothing, so trying again is safe, also for money. Pauses
 * double until the deadline.
 */
async function tryWhileBusy<Result>(attempt: () => Promise<Result>, deadline: AbortSignal): Promise<Result> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error) || deadline.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

/** sqld's 429: it has no connection to give. */
const tooManyConnections = "too_many_connections";

function isBusy(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  return error.code.startsWith("SQLITE_BUSY") || error.code === tooManyConnections;
}

/** Codes by which SQLite judges a statement; any other code is about the database. */
const refusals = /^(SQLITE_(CONSTRAINT|ERROR|MISMATCH|RANGE|TOOBIG|MISUSE)|SQL_)/;
