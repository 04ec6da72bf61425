/** The types of a request's context: what middleware leaves for routes. */
import type { Context, MiddlewareHandler } from "hono";
import type { GatewayError } from "../../shared/errors.ts";
import type { Account } from "../db/api-keys.ts";
import type { Bindings } from "../env.ts";
import type { Admission } from "../pipeline/chat-input.ts";
import type { Services } from "../pipeline/services.ts";

export type ErrorLayout = {
  encode: (error: GatewayError, requestId: string) => object;
  /** Where the dialect has other statuses than the table of errors. */
  statusOf?: (error: GatewayError) => number;
  /** The header in which the dialect's clients look for the request id, beside ours. */
  requestIdHeader?: string;
};

/** What a request holds while it runs (occupy.ts). */
export type Occupancy = {
  /** To be called when the request ends. */
  onEnd(listener: () => void): void;
  /** For an answer that outlives its handler, a stream: who takes it must call `end` when it ends or is left. */
  handOver(): { end: () => void };
};

export type CallerAdmission = Admission & {
  /** The account is a remembered one, and no hold has compared it with the database yet. */
  readonly isUnconfirmed: boolean;
  /** Sets `account` to what the database says now. Throws as `authenticate` does. */
  readAnew(): Promise<void>;
};

export type EdgeEnv = {
  Bindings: Bindings;
  Variables: {
    requestId: string;
    services: Services;
    /** Set by `authenticate`. */
    account: Account;
    /** Set by `recogniseFor`. */
    admission: CallerAdmission;
    /** Set by `idempotency`: the id of this run's hold, and the signal that ends it early. */
    attempt: { holdId: string; clientSignal: AbortSignal };
    /** Set by `occupy`. */
    occupancy: Occupancy;
    /** Set by `jsonBody`: parsed once, shared, never changed. */
    body: unknown;
    /** Codes and ids a route adds to its access-log line. */
    logFields: Record<string, string | number>;
    /** How this path lays out its errors; OpenAI's layout where nothing is set. */
    errorLayout: ErrorLayout | undefined;
  };
};
export type EdgeContext = Context<EdgeEnv>;
export type EdgeMiddleware = MiddlewareHandler<EdgeEnv>;
