/**
 * Access to libSQL: statements compiled once and run over HTTP, one round trip for each `execute` or `batch`. A database belongs
 * to the request that opened it (workerd ties I/O to a request); opening takes a few microseconds and no I/O. Errors carry the
 * database's words, never a statement's values.
 */
import { createClient, LibsqlError, type ResultSet } from "@libsql/client/http";
import type { BatchItem } from "drizzle-orm/batch";
import { drizzle } from "drizzle-orm/libsql/http";
import { fillPlaceholders } from "drizzle-orm/sql";
import type { SQLitePreparedQuery } from "drizzle-orm/sqlite-core";

/** Only compiles statements; it has no connection. */
export const build = drizzle.mock();

type Query = BatchItem<"sqlite">;
/** A compiled statement; `sql.placeholder(name)` in it is filled by `values[name]` when it runs. */
export type Statement<Result> = {
  readonly text: string;
  readonly parameters: unknown[];
  readonly read: (result: ResultSet) => Result;
};
type Values = Readonly<Record<string, unknown>>;
type Results<Statements extends readonly Statement<unknown>[]> = {
  -readonly [Index in keyof Statements]: Statements[Index] extends Statement<infer Result> ? Result : never;
};

/** Compiles a query of `build` once, when its module is loaded. */
export function prepare<Q extends Query>(query: Q): Statement<Q["_"]["result"]> {
  // `_prepare` is what drizzle's own batch calls; its types do not have it.
  const prepared = (query as unknown as { _prepare(): SQLitePreparedQuery<never> })._prepare();
  const { sql, params } = prepared.getQuery();
  return {
    text: sql,
    parameters: params,
    read: (result) => prepared.mapResult(result, true) as Q["_"]["result"],
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
  /** Longest time of one statement or batch, including retries while the database is busy (5 s). */
  timeoutMs?: number;
};

type Client = ReturnType<typeof createClient>;

/** Opens a database without I/O, for the life of one request. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, authToken, timeoutMs = 5000 } = options;
  const send = options.fetch ?? ((input, init) => fetch(input, init));
  const bind = (statement: Statement<unknown>, values: Values) => ({
    sql: statement.text,
    args: fillPlaceholders(statement.parameters, values) as never[],
  });
  const withDeadline = async <Result>(work: (client: Client) => Promise<Result>): Promise<Result> => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeoutMs);
    const boundedFetch = (request: Request) => fetchWhole(send, request, deadline.signal);
    const client = createClient({ url, ...(authToken && { authToken }), fetch: boundedFetch });
    try {
      return await tryWhileBusy(() => work(client), deadline.signal);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    async execute(statement, values = {}) {
      const bound = bind(statement, values);
      return statement.read(await withDeadline((client) => client.execute(bound)));
    },
    async batch(statements, values = {}) {
      const bound = statements.map((statement) => bind(statement, values));
      const results = await withDeadline((client) => client.batch(bound, "write"));
      return statements.map((statement, index) => statement.read(results[index]!)) as Results<
        typeof statements
      >;
    },
  };
}

/** The part of a Response that the client reads: a real Response around the text would cost more than reading it. */
const wholeAnswer = ({ ok, status, headers }: Response, text: string) =>
  ({
    ok,
    status,
    headers,
    text: async () => text,
    json: async () => JSON.parse(text) as unknown,
  }) as Response;

/** One round trip; the signal covers the body too, so a hung database becomes an error. */
async function fetchWhole(send: typeof fetch, request: Request, signal: AbortSignal): Promise<Response> {
  try {
    const response = await send(request, { signal });
    return wholeAnswer(response, await response.text());
  } catch {
    const code = signal.aborted ? "timeout" : "unreachable";
    throw new DatabaseError(code, true, `database ${code}`);
  }
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
      if (!isBusy(error) || deadline.aborted) return rethrow(error);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

/** SQLite's code for it, or the 429 by which sqld refuses a connection. */
function isBusy(error: unknown): boolean {
  if (!(error instanceof LibsqlError)) return false;
  return (
    error.code.startsWith("SQLITE_BUSY") || (error.code === "SERVER_ERROR" && / 429\b/.test(error.message))
  );
}

/** Codes by which SQLite judges a statement; any other code is about the database. */
const refusals = /^(SQLITE_(CONSTRAINT|ERROR|MISMATCH|RANGE|TOOBIG|MISUSE)|SQL_)/;

function rethrow(error: unknown): never {
  if (!(error instanceof LibsqlError)) throw error;
  // Each layer of the client puts the code before the message again.
  const words = error.message.replace(/^(?:[A-Z_]+: )+/, "");
  throw new DatabaseError(error.code, !refusals.test(error.code), `database ${error.code}: ${words}`);
}
