/**
 * One size as the routes see it: a queue in front of a pool of threads, for every task alike, with figures
 * kept.
 */
import type { EmbedRequest, EmbedResponse } from "../shared/embedding.ts";
import type { Task, TaskName, TaskRequest, TaskResponse } from "../shared/worker-tasks.ts";
import { type Batcher, createBatcher } from "./batcher.ts";
import type { QueueLimits } from "./config.ts";
import { type EmbedPart, joinEmbed, splitEmbed } from "./embed-parts.ts";
import type { Metrics, Reading } from "./metrics.ts";
import type { PlannerPool, TaskAnswer } from "./planner-pool.ts";
import type { PlannerDescription } from "./planning/planner.ts";
import { Refusal } from "./refusal.ts";
import { estimateTokens } from "./task-cost.ts";

export type SizeService = {
  description: PlannerDescription;
  /** The answer with its wait in `timings.queueMs`. Rejects with a Refusal (batcher.ts, planner-pool.ts). */
  run<Name extends TaskName>(
    name: Name,
    request: TaskRequest<Name>,
    signal: AbortSignal,
  ): Promise<TaskResponse<Name>>;
  /** Whether its queue would refuse any request now. */
  isFull(): boolean;
  readings(): Reading[];
  /** Resolves when nothing waits and nothing runs. */
  whenIdle(): Promise<void>;
  close(): Promise<void>;
};

/** Parts of one embeddings request that are queued at a time: others find room between them. */
const partsAtATime = 4;

export function createSizeService(options: {
  pool: PlannerPool;
  limits: QueueLimits;
  metrics: Metrics;
  /** Milliseconds, monotonic. */
  now: () => number;
}): SizeService {
  const { pool, metrics, limits } = options;
  const { size } = pool.description;
  const batcher: Batcher<Task, TaskAnswer> = createBatcher({
    lanes: pool,
    tokensOf: estimateTokens,
    limits,
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

  const submit = async <Name extends TaskName>(
    name: Name,
    request: TaskRequest<Name>,
    signal: AbortSignal,
  ): Promise<TaskResponse<Name>> => {
    const { answer, queueMs } = await batcher.submit({ name, request } as Task, signal);
    return { ...answer, timings: { ...answer.timings, queueMs } } as TaskResponse<Name>;
  };

  const embed = async (request: EmbedRequest, signal: AbortSignal): Promise<EmbedResponse> => {
    const parts = splitEmbed(request, limits.maxBatchTokens);
    if (parts.length === 1) return submit("embed", request, signal);
    const failed = new AbortController();
    const either = AbortSignal.any([signal, failed.signal]);
    const runPart = ({ request, places }: EmbedPart) =>
      submit("embed", request, either).catch((error: Error) => {
        // The parts that still wait are dropped, and the first failure is the whole request's.
        failed.abort();
        throw error instanceof Refusal ? inWhole(error, places) : error;
      });
    return joinEmbed(parts, await runSome(parts, partsAtATime, runPart));
  };

  return {
    description: pool.description,
    async run(name, request, signal) {
      const answer = await (name === "embed"
        ? embed(request as EmbedRequest, signal)
        : submit(name, request, signal));
      metrics.count("svc_worker_tasks_total", { size, task: name });
      metrics.observe("svc_worker_queue_seconds", answer.timings.queueMs / 1000);
      metrics.observe("svc_worker_model_seconds", answer.timings.modelMs / 1000);
      return answer as TaskResponse<typeof name>;
    },
    readings: () => [
      { name: "svc_worker_queue_depth", labels: { size }, value: batcher.depth() },
      { name: "svc_worker_thread_restarts_total", labels: { size }, value: pool.restarts() },
    ],
    isFull: batcher.isFull,
    whenIdle: batcher.whenIdle,
    close: pool.close,
  };
}

/** A part's refusal as the whole request's: its index counts in the whole. */
const inWhole = (refusal: Refusal, places: readonly number[]): Refusal =>
  refusal.index === undefined
    ? refusal
    : new Refusal(refusal.code, { message: refusal.message, index: places[refusal.index]! });

/** Runs all items, `most` at a time; rejects with the first failure and starts nothing more. */
async function runSome<Item, Result>(
  items: readonly Item[],
  most: number,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (next < items.length && !failed) {
      const place = next++;
      try {
        results[place] = await run(items[place]!);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  return results;
}
