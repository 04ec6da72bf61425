/**
 * Access to libSQL: statements compiled once and run over HTTP, one round trip for each `execute` or `batch`. A database belongs
 * to the request that opened it (workerd ties I/O to a request), and shares at most a stream with others.
 * Opening takes a few microseconds and no I/O. Errors carry the database's words, never a statement's values.
 */
import { sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { drizzle } from "drizzle-orm/libsql/http";
import { fillPlaceholders } from "drizzle-orm/sql";
import type { SQLitePreparedQuery } from "drizzle-orm/sqlite-core";
import {
  type Connection,
  type ConnectionOptions,
  connect,
  isDatabaseBusy,
  statementError,
  timeoutError,
} from "./connection.ts";
import {
  type BoundStatement,
  readGroup,
  readTransaction,
  type StatementFailure,
  type StatementOutcome,
  type StatementResult,
  writeGroup,
  writeStatement,
  writeTransaction,
} from "./hrana.ts";
import type { SendGroup, SharedStream } from "./shared-stream.ts";

/** Only compiles statements; it has no connection. */
export const build = drizzle.mock();
/** `value("name")` in a statement is filled by `values.name` when it runs. */
export const value = sql.placeholder;

type Query = BatchItem<"sqlite">;
/** A compiled statement. */
export type Statement<Result> = {
  readonly text: string;
  /**
   * Writes share a stream with others' writes (shared-stream.ts). Reads travel alone: a slow one would hold up those writes, and sqld
   * breaks off in the midst of a transaction at 10 MB of answer.
   */
  readonly writes: boolean;
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
  const { sql: text, params } = prepared.getQuery();
  // drizzle reads the rows of a raw statement by column name, those of a built query (which has `fields`) by position.
  const shape = (result: StatementResult) =>
    prepared.fields ? result : { ...result, rows: result.rows.map((row) => nameValues(result.columns, row)) };
  return {
    text,
    writes: /^\s*(INSERT|UPDATE|DELETE)\b/i.test(text),
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
  /** Whether writes take more than a second now. Only known of an sqld on this machine; else false. */
  isSlow(): boolean;
};

export type DatabaseOptions = ConnectionOptions & {
  /** For an sqld on this machine: carries single writes, and others' with them. */
  sharedStream?: SharedStream | undefined;
  /** Lets a round trip end though its caller leaves: it may carry other requests' statements. */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** Longest time of one statement or batch, including retries while the database is busy (5 s). */
  timeoutMs?: number;
};

/** Opens a database without I/O, for the life of one request. */
export function openDatabase(options: DatabaseOptions): Database {
  const { timeoutMs = 5000 } = options;
  const connection = connect(options);
  const sendStatement = createSendStatement(connection, timeoutMs, options);
  const run = <Result extends StatementResult | StatementResult[]>(
    send: (signal: AbortSignal) => Promise<Result | StatementFailure>,
  ): Promise<Result> =>
    within(timeoutMs, (signal) => tryWhileBusy(async () => resultOf(await send(signal)), signal));
  return {
    async execute(statement, values = {}) {
      const text = writeStatement(bind(statement, values));
      return statement.read(await run((signal) => sendStatement(text, statement.writes, signal)));
    },
    async batch(statements, values = {}) {
      // On a stream of its own: a transaction that was left open must not go on in another request.
      const request = writeTransaction(
        statements.map((statement) => writeStatement(bind(statement, values))),
      );
      const read = (result: unknown) => readTransaction(result, statements.length);
      const results = await run((signal) => connection.sendAlone(request, read, signal));
      return statements.map((statement, index) => statement.read(results[index]!)) as Results<
        typeof statements
      >;
    },
    isSlow: () => options.sharedStream?.isSlow ?? false,
  };
}

type SendStatement = (statement: string, writes: boolean, signal: AbortSignal) => Promise<StatementOutcome>;

/** One round trip: of a write on the shared stream, unless there is none or it is stuck, else on a stream of its own. */
function createSendStatement(
  connection: Connection,
  timeoutMs: number,
  { sharedStream, waitUntil }: DatabaseOptions,
): SendStatement {
  const readOne = (result: unknown) => readGroup(result, 1)[0]!;
  const sendGroup: SendGroup = async (baton, statements) => {
    const sent = within(timeoutMs, (signal) => connection.sendGroup(baton, statements, signal));
    waitUntil?.(sent.catch(() => {}));
    return sent;
  };
  return async (statement, writes, signal) => {
    const shared =
      writes && sharedStream && (await beforeAbort(sharedStream.send(statement, sendGroup, signal), signal));
    return shared || connection.sendAlone(writeGroup([statement]), readOne, signal);
  };
}

const bind = (statement: Statement<unknown>, values: Values): BoundStatement => ({
  sql: statement.text,
  args: fillPlaceholders(statement.parameters, values),
});

function resultOf<Result extends StatementResult | StatementResult[]>(
  outcome: Result | StatementFailure,
): Result {
  if ("code" in outcome) throw statementError(outcome);
  return outcome;
}

/** Runs work with a signal that aborts when its time is over. */
async function within<Result>(ms: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), ms);
  try {
    return await work(deadline.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Throws when the signal aborts: another request's round trip does not end by this one's deadline. */
function beforeAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(timeoutError()));
  });
  return Promise.race([work, aborted]);
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
      if (!isDatabaseBusy(error) || deadline.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
