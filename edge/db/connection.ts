/**
 * Round trips to libSQL over HTTP, and how they fail: a group of statements on the stream that requests share, or a request on a stream of
 * its own. Errors carry the database's words, never a statement's values.
 */
import {
  closeRequest,
  readGroup,
  readPipeline,
  type StatementFailure,
  type StatementOutcome,
  writeGroup,
  writePipeline,
} from "./hrana.ts";

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

/** True for a database that has done nothing: another writer has its lock, or it has no connection to give. */
export function isDatabaseBusy(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  return error.code.startsWith("SQLITE_BUSY") || error.code === tooManyConnections;
}

/** sqld's 429: it has no connection to give. */
const tooManyConnections = "too_many_connections";

/** Codes by which SQLite judges a statement; any other code is about the database. */
const refusals = /^(SQLITE_(CONSTRAINT|ERROR|MISMATCH|RANGE|TOOBIG|MISUSE)|SQL_)/;

export const statementError = ({ code, message }: StatementFailure): DatabaseError =>
  new DatabaseError(code, !refusals.test(code), `database ${code}: ${message}`);

export const timeoutError = () => new DatabaseError("timeout", true, "database timeout");
const protocolError = () =>
  new DatabaseError("protocol", true, "database protocol: not an answer of Hrana's");

function statusError(status: number): DatabaseError {
  const code = status === 429 ? tooManyConnections : "SERVER_ERROR";
  return new DatabaseError(code, true, `database ${code}: status ${status}`);
}

export type ConnectionOptions = {
  /** `libsql:`, `https:`, or `http:` for a loopback sqld. */
  url: string;
  authToken?: string | undefined;
  fetch?: typeof fetch;
};

/** An outcome for each statement of a group, and what continues the stream (null: it is closed). */
export type Sent = { baton: string | null; outcomes: readonly StatementOutcome[] };
/** Nothing was run, and no stream was opened or used. */
export type Refused = { refused: Error };

export type Connection = {
  /** Sends a request on a stream of its own, and reads its result. Throws DatabaseError. */
  sendAlone<Result>(request: string, read: (result: unknown) => Result, signal: AbortSignal): Promise<Result>;
  /** Sends statements as a group on the stream that `baton` continues; null opens one, which stays open. Throws DatabaseError. */
  sendGroup(
    baton: string | null,
    statements: readonly string[],
    signal: AbortSignal,
  ): Promise<Sent | Refused>;
};

export function connect(options: ConnectionOptions): Connection {
  const post = createPost(options);
  return {
    async sendAlone(request, read, signal) {
      const { results } = readAnswer(await post(writePipeline(null, [request, closeRequest]), signal));
      return parse(read, results[0]);
    },
    async sendGroup(baton, statements, signal) {
      const group = writeGroup(statements);
      let answer = await post(writePipeline(baton, [group]), signal);
      // A baton that sqld does not know (it has expired, or sqld has started again) is refused before any statement runs.
      if (answer.status === 400 && baton !== null) answer = await post(writePipeline(null, [group]), signal);
      // So are all requests with such a status.
      if (answer.status >= 400 && answer.status < 500) return { refused: statusError(answer.status) };
      const { baton: next, results } = readAnswer(answer);
      return { baton: next, outcomes: parse((result) => readGroup(result, statements.length), results[0]) };
    },
  };
}

type Answer = { status: number; body: string };

/** The signal covers the answer's body too, so a hung database becomes an error. */
function createPost({ url, authToken, fetch: send = fetch }: ConnectionOptions) {
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
      if (signal.aborted) throw timeoutError();
      throw new DatabaseError("unreachable", true, "database unreachable");
    }
  };
}

function readAnswer({ status, body }: Answer): ReturnType<typeof readPipeline> {
  if (status !== 200) throw statusError(status);
  return parse(readPipeline, body);
}

function parse<Content, Parsed>(read: (content: Content) => Parsed, content: Content): Parsed {
  try {
    return read(content);
  } catch {
    throw protocolError();
  }
}
