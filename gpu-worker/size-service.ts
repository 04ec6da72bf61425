/**
 * One loaded size as the routes see it: admission.ts, a queue (batcher.ts) and a pool of threads (planner-pool.ts), with
 * metrics. Also loads the sizes named in the settings. A long embeddings request is admitted as a whole, and queued in parts of
 * one batch each; so is a plan with many unseen texts, piece after piece.
 */
import { join } from "node:path";
import type { ModelSize } from "../shared/model-sizes.ts";
import {
  type Task,
  type TaskName,
  type TaskRequest,
  type TaskResponse,
  workerTasks,
} from "../shared/worker-tasks.ts";
import { type Admission, type AdmittedRequest, createAdmission } from "./admission.ts";
import { Batcher, type BatchObserver } from "./batcher.ts";
import type { QueueLimits, WorkerConfig } from "./config.ts";
import { embedInParts } from "./embed-parts.ts";
import type { Log } from "./log.ts";
import type { Metrics, Reading } from "./metrics.ts";
import { planInPieces } from "./plan-pieces.ts";
import { createPlannerPool, type PlannerPool, type TaskAnswer } from "./planner-pool.ts";
import type { PlannerDescription } from "./planning/planner.ts";
import { Refusal } from "./refusal.ts";
import { createWeigher, estimateTokens } from "./task-cost.ts";

/** Who asks: the account's share, a signal that aborts when the caller leaves, and a listener for the tokens read so far. */
export type TaskContext = { share: string; signal: AbortSignal; onProgress?: (tokens: number) => void };

export type SizeService = {
  description: PlannerDescription;
  /** The answer with its wait in `timings.queueMs`. Rejects with a Refusal (admission.ts, batcher.ts, planner-pool.ts). */
  run<Name extends TaskName>(
    name: Name,
    request: TaskRequest<Name>,
    context: TaskContext,
  ): Promise<TaskResponse<Name>>;
  /** Throws the Refusal that this account's smallest request would get now. */
  checkOpen(name: TaskName, share: string): void;
  readings(): Reading[];
  /** Whether it has had no living thread for some seconds. Requests are then refused, since they would wait for nothing. */
  isDown(): boolean;
  /** Resolves when nothing waits and nothing runs, also between two pieces of a task. */
  whenIdle(): Promise<void>;
  close(): Promise<void>;
};

type AdmittedContext = TaskContext & AdmittedRequest;
type Work<Name extends TaskName> = (
  request: TaskRequest<Name>,
  context: AdmittedContext,
) => Promise<TaskResponse<Name>>;

export function createSizeService(options: {
  pool: PlannerPool;
  limits: QueueLimits;
  metrics: Metrics;
  /** Milliseconds, monotonic. */
  now: () => number;
}): SizeService {
  const { pool, metrics, limits } = options;
  const { size } = pool.description;
  const admission = createAdmission(limits, pool.lanes);
  const batcher = new Batcher<Task, TaskAnswer>({
    lanes: pool,
    limits,
    now: options.now,
    observer: createObserver(metrics, size, admission),
  });
  pool.onRecovered(() => batcher.pump());

  const work = createWork(createQueue(batcher, limits, options.now), limits);
  const open = createOpenWork();
  return {
    description: pool.description,
    async run(name, request, context) {
      const { urgency } = workerTasks[name];
      const admitted = admission.admit(urgency, context.share, estimateTokens({ name, request } as Task));
      const own = { ...context, ...admitted };
      const answer = await open.keep(work[name](request, own).finally(admitted.leave));
      metrics.count("svc_worker_tasks_total", { size, task: name });
      metrics.observe("svc_worker_queue_seconds", answer.timings.queueMs / 1000);
      metrics.observe("svc_worker_model_seconds", answer.timings.modelMs / 1000);
      return answer;
    },
    readings: () => [
      { name: "svc_worker_queue_depth", labels: { size }, value: batcher.depth() },
      { name: "svc_worker_thread_restarts_total", labels: { size }, value: pool.restarts() },
    ],
    checkOpen(name, share) {
      if (pool.isDown()) throw new Refusal("world_model_unavailable", { reason: "no-thread" });
      admission.checkOpen(workerTasks[name].urgency, share);
    },
    isDown: pool.isDown,
    async whenIdle() {
      await open.ended();
      await batcher.whenIdle();
    },
    close: pool.close,
  };
}

type Queue = <Answer extends TaskAnswer>(
  name: TaskName,
  request: Task["request"],
  context: AdmittedContext,
  /** Tag of the piece before. */
  after?: number,
) => Promise<{ answer: Answer; start: number }>;

/** Queues a task, or one piece of it, for its account's share. The answer has its wait in `timings.queueMs`. */
function createQueue(batcher: Batcher<Task, TaskAnswer>, limits: QueueLimits, now: () => number): Queue {
  const weigh = createWeigher(now);
  return async <Answer extends TaskAnswer>(
    name: TaskName,
    request: Task["request"],
    { share, signal, begin }: AdmittedContext,
    after?: number,
  ) => {
    const task = { name, request } as Task;
    const tokens = estimateTokens(task);
    const { urgency } = workerTasks[name];
    // A further piece of a plan leaves alone: nothing else shall wait in its batch while it reads.
    const inBatch = after === undefined ? tokens : limits.maxBatchTokens;
    const ticket = { urgency, share, tokens: inBatch, weight: weigh(task, share), after, signal };
    const { answer, queueMs, start } = await batcher.submit(task, ticket, () => begin(tokens));
    return { answer: { ...answer, timings: { ...answer.timings, queueMs } } as Answer, start };
  };
}

/** How each task is queued. */
function createWork(queue: Queue, { maxBatchTokens }: QueueLimits): { [Name in TaskName]: Work<Name> } {
  const submit = async <Answer extends TaskAnswer>(...task: Parameters<Queue>) =>
    (await queue<Answer>(...task)).answer;
  return {
    plan: (request, context) =>
      planInPieces(request, (piece, after) => queue("plan", piece, context, after), context),
    rollout: (request, context) => submit("rollout", request, context),
    embed: (request, context) =>
      embedInParts(
        request,
        maxBatchTokens,
        (part, signal) => submit("embed", part, { ...context, signal }),
        context,
      ),
  };
}

/** The tasks under way. The batcher does not know them all: between two pieces of a task nothing waits in it and nothing runs. */
function createOpenWork() {
  const open = new Set<Promise<unknown>>();
  return {
    keep<Answer>(task: Promise<Answer>): Promise<Answer> {
      const kept = task.finally(() => open.delete(kept));
      open.add(kept);
      return kept;
    },
    async ended(): Promise<void> {
      while (open.size > 0) await Promise.allSettled(open);
    },
  };
}

const createObserver = (metrics: Metrics, size: ModelSize, admission: Admission): BatchObserver => ({
  onBatch(requests, tokens) {
    metrics.observe("svc_worker_batch_requests", requests);
    metrics.observe("svc_worker_batch_tokens", tokens);
  },
  onDone(urgency, tokens, elapsedMs) {
    if (urgency === "bulk") admission.learnPace(tokens, elapsedMs);
  },
  onDrop: () => metrics.count("svc_worker_dropped_total", { size }),
});

/**
 * Refuses before the body is read, so that under overload a refused request costs one signature check. The size is known only
 * from the body, so this refuses only if every size would.
 */
export function checkOpen(services: readonly SizeService[], name: TaskName, share: string): void {
  let refusal: unknown;
  for (const service of services) {
    try {
      service.checkOpen(name, share);
      return;
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}

/** Loads every size and warms up its threads. Rejects with the first sentence that says why a size cannot be loaded. */
export async function loadServices(
  config: WorkerConfig,
  metrics: Metrics,
  log: Log,
  plannerModule: string | undefined,
): Promise<ReadonlyMap<ModelSize, SizeService>> {
  const services = new Map<ModelSize, SizeService>();
  for (const size of config.sizes) {
    const pool = await createPlannerPool({
      threads: config.threadsPerSize,
      planner: {
        checkpointDir: join(config.modelDir, size),
        device: config.device,
        warmUpRequests: config.limits.maxBatchRequests,
        intraOpThreads: config.intraOpThreads,
      },
      ...(plannerModule !== undefined && { plannerModule }),
      log,
    }).catch((error: Error) => {
      throw new Error(`The size ${size} (MODEL_SIZES, MODEL_DIR) does not load: ${error.message}`);
    });
    services.set(
      size,
      createSizeService({ pool, limits: config.limits, metrics, now: () => performance.now() }),
    );
    log("info", "loaded", { size, device: pool.description.device });
  }
  // One line for all threads and sizes, since the reason is the machine's.
  const fellBack = [...services.values()].find(({ description }) => description.fellBack)?.description
    .fellBack;
  if (fellBack !== undefined)
    log("warn", "no CUDA", { message: `CUDA cannot be used here, running on the CPU: ${fellBack}` });
  return services;
}
