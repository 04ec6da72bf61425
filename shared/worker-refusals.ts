/**
 * Every refusal of a gpu-worker: its status and message, and how the edge reacts. Both sides read this table, so a new refusal
 * is a new row. Messages name no key, no path of the host, no prompt.
 */
import { z } from "zod";
import { ModelSize } from "./model-sizes.ts";

type WorkerRefusal = {
  status: number;
  message: string;
  retryAfterSeconds?: number;
  /** Whether another worker may serve the request. */
  retry: boolean;
  /** Whether it counts against the worker: three in a row set it aside. */
  unwell: boolean;
  /** The outcome that the edge makes of it (edge/gpu-workers/call-worker.ts). */
  outcome: "unavailable" | "unable" | "account-busy" | "worker-busy" | "not-loaded" | "text-too-long";
};

/** Not sent to another worker, and not counted against this one: mostly the request itself is at fault. Each row says its outcome. */
const faulty = { retry: false, unwell: false };
/** This worker has too much work, which does not count against it. */
const busy = { retry: true, unwell: false, retryAfterSeconds: 1 };
/** This worker cannot serve at the moment. */
const broken = { retry: true, unwell: true, outcome: "unavailable" } as const;

const rows = {
  unauthorized: { status: 401, message: "Unauthorized.", ...broken },
  not_found: {
    status: 404,
    message:
      "There is nothing at this path. See GET /health, GET /metrics, POST /plan, POST /rollout, POST /embed.",
    ...broken,
  },
  method_not_allowed: {
    status: 405,
    message: "This path takes another method: see the Allow header.",
    ...broken,
  },
  request_too_large: {
    status: 413,
    message: "The body is larger than this worker reads. Send less state.",
    ...faulty,
    outcome: "unavailable",
  },
  invalid_json: { status: 400, message: "The body is not JSON.", ...faulty, outcome: "unavailable" },
  invalid_request: {
    status: 400,
    message: "The body is not a valid request.",
    ...faulty,
    outcome: "unavailable",
  },
  text_too_long: {
    status: 413,
    message: "A text is longer than this worker reads: index says which. Split it.",
    ...faulty,
    outcome: "text-too-long",
  },
  /** Too much work of this one account waits. */
  account_busy: {
    status: 429,
    message: "This account has as much work waiting as may wait. Send the request again later.",
    ...busy,
    outcome: "account-busy",
  },
  overloaded: {
    status: 503,
    message: "The queue is full. Try another worker, or again later.",
    ...busy,
    outcome: "worker-busy",
  },
  draining: {
    status: 503,
    message: "This worker is shutting down. Try another worker.",
    retryAfterSeconds: 1,
    ...broken,
  },
  world_model_not_loaded: {
    status: 503,
    message: "This size is not loaded here.",
    ...faulty,
    outcome: "not-loaded",
  },
  world_model_unavailable: {
    status: 503,
    message: "The world model stopped while it worked on this request. Try again.",
    retryAfterSeconds: 1,
    ...broken,
  },
  /**
   * Counts against the worker only if another one then serves the request. A worker whose every plan fails (a GPU in a bad state) answers
   * fastest of all, so it would be given nearly every request. A request that no worker can serve is itself at fault, and must not set the
   * workers aside.
   */
  internal_error: {
    status: 500,
    message: "The world model could not work on this request. See the worker's log.",
    retry: true,
    unwell: false,
    outcome: "unable",
  },
  /** Never sent, since the caller has left. 499 appears in the log and the metrics. */
  client_left: { status: 499, message: "The caller left.", ...faulty, outcome: "unavailable" },
} as const satisfies Record<string, WorkerRefusal>;

/** The longest Retry-After that is passed on from a worker: a rented host may lie, and clients wait as long as they are told. */
export const maxRetryAfterSeconds = 60;

export type WorkerRefusalCode = keyof typeof rows;
export const workerRefusals: Readonly<Record<WorkerRefusalCode, WorkerRefusal>> = rows;

/** The row of a code that came over the wire; undefined for one that this edge does not know. */
export function findWorkerRefusal(code: string): WorkerRefusal | undefined {
  return Object.hasOwn(rows, code) ? rows[code as WorkerRefusalCode] : undefined;
}

/** Body of every refusal of a gpu-worker. `sizes`: the loaded sizes, with world_model_not_loaded. */
export const WorkerError = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    sizes: z.array(ModelSize).optional(),
    /** The index of the text, with `text_too_long`. */
    index: z.int().nonnegative().optional(),
  }),
});
export type WorkerError = z.infer<typeof WorkerError>;
