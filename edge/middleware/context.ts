/** A request's context: what middleware leaves for routes, and how a route's handlers are typed by it. */
import type { Context, MiddlewareHandler } from "hono";
import { createFactory } from "hono/factory";
import type { GatewayError } from "../../shared/errors.ts";
import type { Account } from "../db/api-keys.ts";
import type { Bindings } from "../env.ts";
import type { Admission } from "../pipeline/chat-input.ts";
import type { Services } from "../pipeline/services.ts";

export type ErrorLayout = {
  write: (error: GatewayError, requestId: string) => object;
  /** Set if the dialect's statuses differ from the table of errors. */
  statusOf?: (error: GatewayError) => number;
  /** A second header for the request id, where the dialect's clients look for it. */
  requestIdHeader?: string;
};

/** The lease of a running request (limit-concurrency.ts). */
export type RequestLease = {
  /** To be called when the request ends. */
  onEnd(listener: () => void): void;
  /**
   * For a streamed answer, which outlives its handler: whoever takes the lease must call `end` when the stream ends or its reader
   * leaves.
   */
  handOver(): { end: () => void };
};

export type CallerAdmission = Admission & {
  /** The account is a remembered one that no hold has confirmed yet. */
  readonly isUnconfirmed: boolean;
  /** Sets `account` to what the database holds now. Throws as `authenticate` does. */
  reload(): Promise<void>;
};

/** Middleware reads these by `context.get(name)`: `context.var` is a new object with all of them at each use. */
export type EdgeEnv = {
  Bindings: Bindings;
  Variables: {
    requestId: string;
    services: Services;
    /** Set by `authenticate`. */
    account: Account;
    /** Set by `authenticateCachedFor`. */
    admission: CallerAdmission;
    /** Set by `idempotency`: the id of this run's hold, and the signal that ends it early. */
    attempt: { holdId: string; clientSignal: AbortSignal };
    /** Set by `limitConcurrency`; undefined on paths without it, where nothing bounds an account's requests at once. */
    requestLease: RequestLease | undefined;
    /** Set by `jsonBody`: parsed once, shared, never changed. */
    body: unknown;
    /** Set for a large body: gives back what it claims of the isolate's memory. */
    endBodyClaim: (() => void) | undefined;
    /** Set while a stream is recorded for a retry: ends the recording and gives back its memory. */
    dropRecording: (() => void) | undefined;
    /** Codes and ids a route adds to its access-log line. */
    logFields: Record<string, string | number>;
    /** How this path lays out its errors; OpenAI's layout where nothing is set. */
    errorLayout: ErrorLayout | undefined;
  };
};
export type EdgeContext = Context<EdgeEnv>;
export type EdgeMiddleware = MiddlewareHandler<EdgeEnv>;

/** A route's middleware and handler, in order: what each adds to the request's type, those after it may read. */
export const { createHandlers } = createFactory<EdgeEnv>();

/** Lets go of the parsed body, which nobody reads from here on. */
export function forgetBody(context: EdgeContext): void {
  context.set("body", undefined);
  context.req.addValidatedData("json", {});
}
