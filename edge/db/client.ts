/**
 * The way to libSQL: statements compiled once, run over HTTP, one round trip for each `execute` or `batch`.
 * A database belongs to the request that opened it (workerd ties I/O to a request); opening is a few
 * microseconds and no I/O. Errors carry the database's words, never a statement's values.
 */
import { createClient, LibsqlError, type ResultSet } from "@libsql/client/http";
import type { BatchItem } from "drizzle-orm/batch";
import { drizzle } from "drizzle-orm/libsql/http";
import { fillPlaceholders } from "drizzle-orm/sql";
import type { SQLitePreparedQuery } from "drizzle-orm/sqlite-core";

/** Writes statements; it has no connection, so it runs none. */
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

/** Compiles a query of `build`, once, where a module loads. */
export function prepare<Q extends Query>(query: Q): Statement<Q["_"]["result"]> {
  // `_prepare` is what drizzle's own batch calls; its types leave it out.
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

/** A statement the database refused, or did not get or answer. `code` is SQLite's, or a short tag. */
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
  /** Longest time one round trip may take (5 s). */
  timeoutMs?: number;
};

/** Opens a database without I/O, for the life of one request. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, authToken, timeoutMs = 5000 } = options;
  const send = options.fetch ?? ((input, init) => fetch(input, init));
  const client = createClient({
    url,
    ...(authToken && { authToken }),
    fetch: (request: Request) => boundedFetch(send, request, timeoutMs),
  });
  const bind = (statement: Statement<unknown>, values: Values) => ({
    sql: statement.text,
    args: fillPlaceholders(statement.parameters, values) as never[],
  });
  return {
    async execute(statement, values = {}) {
      const bound = bind(statement, values);
      return statement.read(await client.execute(bound).catch(rethrow));
    },
    async batch(statements, values = {}) {
      const bound = statements.map((statement) => bind(statement, values));
      const results = await client.batch(bound, "write").catch(rethrow);
      return statements.map((statement, index) => statement.read(results[index]!)) as Results<
        typeof statements
      >;
    },
  };
}

/** A round trip with an end: the time limit covers the body too, so a hung database becomes an error. */
async function boundedFetch(send: typeof fetch, request: Request, timeoutMs: number): Promise<Response> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), timeoutMs);
  try {
    const response = await send(request, { signal: abort.signal });
    const body = await response.arrayBuffer();
    return new Response(body, { status: response.status, headers: response.headers });
  } catch {
    const code = abort.signal.aborted ? "timeout" : "unreachable";
    throw new DatabaseError(code, true, `database ${code}`);
  } finally {
    clearTimeout(timer);
  }
}

/** Codes by which SQLite judges a statement; any other is about the database. */
const refusals = /^(SQLITE_(CONSTRAINT|ERROR|MISMATCH|RANGE|TOOBIG|MISUSE)|SQL_)/;

function rethrow(error: unknown): never {
  if (!(error instanceof LibsqlError)) throw error;
  // Each layer of the client puts the code before the message once more.
  const words = error.message.replace(/^(?:[A-Z_]+: )+/, "");
  throw new DatabaseError(error.code, !refusals.test(error.code), `database ${error.code}: ${words}`);
}
