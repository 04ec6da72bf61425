/**
 * Every way this worker says no: code -> HTTP status and what to do next. The edge reads the code
 * (shared/planning.ts, WorkerError); messages name no key, no path of the host and nothing of a prompt.
 */
import type { ModelSize } from "../shared/planning.ts";

type RefusalEntry = { status: number; message: string; retryAfterSeconds?: number };

export const refusalTable = {
  unauthorized: { status: 401, message: "Unauthorized." },
  not_found: {
    status: 404,
    message:
      "There is nothing at this path. See GET /health, GET /metrics, POST /plan, POST /rollout, POST /embed.",
  },
  method_not_allowed: { status: 405, message: "This path takes another method: see the Allow header." },
  request_too_large: { status: 413, message: "The body is larger than this worker reads. Send less state." },
  invalid_json: { status: 400, message: "The body is not JSON." },
  invalid_request: { status: 400, message: "The body is not a valid request." },
  text_too_long: {
    status: 413,
    message: "A text is longer than this worker reads: index says which. Split it.",
  },
  overloaded: {
    status: 503,
    message: "The queue is full. Try another worker, or again later.",
    retryAfterSeconds: 1,
  },
  draining: {
    status: 503,
    message: "This worker is shutting down. Try another worker.",
    retryAfterSeconds: 1,
  },
  world_model_not_loaded: { status: 503, message: "This size is not loaded here." },
  world_model_unavailable: {
    status: 503,
    message: "The world model stopped while it worked on this request. Try again.",
    retryAfterSeconds: 1,
  },
  internal_error: {
    status: 500,
    message: "The world model could not work on this request. See the worker's log.",
  },
  /** Never sent: the caller is gone. 499 is what the log and the metrics show. */
  client_left: { status: 499, message: "The caller left." },
} as const satisfies Record<string, RefusalEntry>;

export type RefusalCode = keyof typeof refusalTable;

/** A refusal on its way to the caller. `reason` is a tag for the operator's log. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: RefusalCode;
  readonly reason: string | undefined;
  /** With `world_model_not_loaded`: the sizes that are. */
  readonly sizes: ModelSize[] | undefined;
  /** With `text_too_long`: which text. */
  readonly index: number | undefined;

  constructor(
    code: RefusalCode,
    options: { message?: string; reason?: string; sizes?: ModelSize[]; index?: number } = {},
  ) {
    super(options.message ?? refusalTable[code].message);
    this.code = code;
    this.reason = options.reason;
    this.sizes = options.sizes;
    this.index = options.index;
  }

  get entry(): RefusalEntry {
    return refusalTable[this.code];
  }
}
