/**
 * The worker's metrics for Prometheus: their one table. Label values come from closed sets (routes, statuses, codes, sizes),
 * never from a caller.
 */
import * as prometheus from "../shared/prometheus.ts";

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const families = {
  svc_worker_requests_total: {
    type: "counter",
    help: "Requests answered, by route and status (499: the caller left).",
  },
  svc_worker_refused_total: { type: "counter", help: "Requests refused, by code." },
  svc_worker_dropped_total: {
    type: "counter",
    help: "Requests dropped before work because their caller left.",
  },
  svc_worker_tasks_total: { type: "counter", help: "Tasks done, by size and task." },
  svc_worker_queue_depth: { type: "gauge", help: "Tasks waiting for a batch, by size." },
  svc_worker_thread_restarts_total: {
    type: "counter",
    help: "Threads that died and were started again, by size.",
  },
  svc_worker_batch_requests: {
    type: "histogram",
    help: "Requests per batch.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
  },
  svc_worker_batch_tokens: {
    type: "histogram",
    help: "Estimated tokens per batch.",
    buckets: [64, 256, 1024, 4096, 16_384, 65_536],
  },
  svc_worker_queue_seconds: {
    type: "histogram",
    help: "Wait of a task before its batch left.",
    buckets: secondsBuckets,
  },
  svc_worker_model_seconds: {
    type: "histogram",
    help: "Time in the world model, per task.",
    buckets: secondsBuckets,
  },
} as const;

export type Metrics = prometheus.Metrics<typeof families>;
export type Reading = prometheus.Reading<typeof families>;

/** The metrics of one worker process. */
export const createMetrics = (): Metrics => prometheus.createMetrics(families);
