/**
 * Planning for one size as the routes see it: a queue in front of a pool of threads, with figures kept.
 */
import type { PlanRequest, PlanResponse } from "../shared/planning.ts";
import { type Batcher, createBatcher } from "./batcher.ts";
import type { QueueLimits } from "./config.ts";
import type { Metrics, Reading } from "./metrics.ts";
import { estimatePlanTokens } from "./plan-cost.ts";
import type { PlannerPool } from "./planner-pool.ts";
import type { PlannerDescription } from "./planning/planner.ts";

export type PlanService = {
  description: PlannerDescription;
  /** The plan with its wait in `timings.queueMs`. Rejects with a Refusal (batcher.ts, planner-pool.ts). */
  plan(request: PlanRequest, signal: AbortSignal): Promise<PlanResponse>;
  readings(): Reading[];
  /** Resolves when nothing waits and nothing runs. */
  whenIdle(): Promise<void>;
  close(): Promise<void>;
};

export function createPlanService(options: {
  pool: PlannerPool;
  limits: QueueLimits;
  metrics: Metrics;
  /** Milliseconds, monotonic. */
  now: () => number;
}): PlanService {
  const { pool, metrics } = options;
  const { size } = pool.description;
  const batcher: Batcher<PlanRequest, PlanResponse> = createBatcher({
    lanes: pool,
    tokensOf: estimatePlanTokens,
    limits: options.limits,
    now: options.now,
    observer: {
      onBatch(requests, tokens) {
        metrics.observe("svc_worker_batch_requests", requests);
        metrics.observe("svc_worker_batch_tokens", tokens);
      },
      onDrop: () => metrics.count("svc_worker_dropped_total", { size }),
    },
  });
  pool.onRecovered(batcher.pump);

  return {
    description: pool.description,
    async plan(request, signal) {
      const { answer, queueMs } = await batcher.submit(request, signal);
      metrics.count("svc_worker_planned_total", { size });
      metrics.observe("svc_worker_queue_seconds", queueMs / 1000);
      metrics.observe("svc_worker_model_seconds", answer.timings.modelMs / 1000);
      return { ...answer, timings: { ...answer.timings, queueMs } };
    },
    readings: () => [
      { name: "svc_worker_queue_depth", labels: { size }, value: batcher.depth() },
      { name: "svc_worker_thread_restarts_total", labels: { size }, value: pool.restarts() },
    ],
    whenIdle: batcher.whenIdle,
    close: pool.close,
  };
}
