/**
 * The threads that work for one size. Starts them and hands each one batch at a time. When a thread dies, its batch fails and
 * another thread is started. Knows nothing of queues: batcher.ts decides what runs.
 */
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { type Task, type TaskName, type TaskResponse, workerTasks } from "../shared/worker-tasks.ts";
import type { Lanes, Outcome } from "./batcher.ts";
import type { Log } from "./log.ts";
import type { FromThread, TaskOutcome, ThreadStart, ToThread } from "./planner-thread.ts";
import type { PlanBegun, PlannerDescription, PlannerOptions } from "./planning/planner.ts";
import { Refusal } from "./refusal.ts";
import { createSharedGraphs, removeSharedGraphs, type SharedGraphs } from "./world-model/shared-graphs.ts";

/** The answer to a task of any kind; the caller knows which. */
export type TaskAnswer = TaskResponse<TaskName> | PlanBegun;

export type PlannerPool = Lanes<Task, TaskAnswer> & {
  description: PlannerDescription;
  /** Number of threads, busy ones included. */
  lanes: number;
  /** Whether no thread has lived for `patienceMs`: they die, or cannot load again. */
  isDown(): boolean;
  /** Threads that died since the start. */
  restarts(): number;
  /** `listener` is called whenever a thread is free after a restart. */
  onRecovered(listener: () => void): void;
  /** Lets each planner close, then ends its thread. */
  close(): Promise<void>;
};

export type PlannerPoolOptions = {
  threads: number;
  planner: PlannerOptions;
  /** URL of the module that exports `loadPlanner`; tests pass their own. */
  plannerModule?: string;
  log: Log;
  /** A thread whose batch takes longer counts as hung. Default: the longest time that the edge waits for a task of the batch. */
  batchTimeoutMs?: number;
  /** How long a pool without a living thread still counts as one that restarts. */
  patienceMs?: number;
  /** Pause before a thread is restarted; doubles with each further death in a row, up to 10 s. */
  restartDelayMs?: number;
};

type Job = {
  tasks: Task[];
  settle(outcomes: Outcome<TaskAnswer>[]): void;
  timer: NodeJS.Timeout;
};

const realPlanner = new URL("./planning/planner.ts", import.meta.url).href;
/**
 * Size of a thread's young generation, three half-spaces. It fits into the processor's cache: with two threads the soak answers a
 * sixth more requests and takes 200 MB less than with V8's own choice.
 */
const maxYoungGenerationSizeMb = 12;
/** 16 MiB of it are live: the smaller the limit, the sooner V8 collects the garbage of batches (node-flags.ts). */
const maxOldGenerationSizeMb = 512;
/** Resets the process's own flags, which would override the bounds above: V8 reads its flags whenever a thread starts. */
const noFlagsOfTheProcess = "--max-semi-space-size=0 --max-old-space-size=0";
const maxRestartDelayMs = 10_000;
const closeTimeoutMs = 1_000;
/** A thread loads and warms up in two to four seconds. */
const restartPatienceMs = 8_000;

type LaneOptions = PlannerPoolOptions & { onRecovered(): void };

/** One thread at a time: when it dies, the batch it held fails and another one takes its place. */
class Lane {
  restarts = 0;
  readonly #options: LaneOptions;
  #worker: Worker | undefined;
  #ready = false;
  #job: Job | undefined;
  #deathsInARow = 0;
  #diedAt = performance.now();
  #closing = false;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  isFree(): boolean {
    return this.#ready && this.#job === undefined;
  }

  /** Milliseconds since its thread died; 0 if it lives. */
  deadMs(): number {
    return this.#ready ? 0 : performance.now() - this.#diedAt;
  }

  /** Runs until the thread ends. Resolves with the description, once, when it is warm. */
  start(shared?: SharedGraphs): Promise<PlannerDescription> {
    const { plannerModule = realPlanner, log } = this.#options;
    const planner = { ...this.#options.planner, shared };
    return new Promise((resolve, reject) => {
      setFlagsFromString(noFlagsOfTheProcess);
      const workerData: ThreadStart = { plannerModule, planner };
      const worker = new Worker(new URL("./planner-thread.ts", import.meta.url), {
        workerData,
        resourceLimits: { maxYoungGenerationSizeMb, maxOldGenerationSizeMb },
      });
      this.#worker = worker;
      let failure = "the planner's thread ended before it was ready";
      worker.on("message", (message: FromThread) => {
        if (message.type === "ready") {
          this.#ready = true;
          resolve(message.description);
        } else if (message.type === "done") {
          this.#deathsInARow = 0;
          this.#finishJob(() => message.outcomes.map(toOutcome));
        } else {
          failure = message.message;
          void worker.terminate();
        }
      });
      worker.on("error", (error) => log("error", "planner thread failed", { reason: error.name }));
      worker.on("exit", () => {
        reject(new Error(failure));
        const wasReady = this.#ready;
        if (wasReady) this.#diedAt = performance.now();
        this.#ready = false;
        this.#worker = undefined;
        this.#finishJob(({ tasks }) => tasks.map(crashed));
        if (wasReady && !this.#closing) void this.#restart();
      });
    });
  }

  /** To be called only while the lane is free. */
  run(tasks: Task[]): Promise<Outcome<TaskAnswer>[]> {
    const patience = tasks.map(({ name }) => workerTasks[name].timeoutMs);
    const { log, batchTimeoutMs = Math.max(...patience) } = this.#options;
    return new Promise((settle) => {
      const timer = setTimeout(() => {
        log("error", "planner thread hung", { durationMs: batchTimeoutMs });
        void this.#worker?.terminate();
      }, batchTimeoutMs);
      this.#job = { tasks, settle, timer };
      this.#worker?.postMessage({ type: "run", tasks } satisfies ToThread);
    });
  }

  async close(): Promise<void> {
    this.#closing = true;
    const worker = this.#worker;
    if (!worker) return;
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    worker.postMessage({ type: "close" } satisfies ToThread);
    const timer = setTimeout(() => void worker.terminate(), closeTimeoutMs);
    await ended;
    clearTimeout(timer);
  }

  #finishJob(outcomes: (job: Job) => Outcome<TaskAnswer>[]): void {
    const job = this.#job;
    if (!job) return;
    this.#job = undefined;
    clearTimeout(job.timer);
    job.settle(outcomes(job));
  }

  async #restart(): Promise<void> {
    const { log, onRecovered, restartDelayMs = 100 } = this.#options;
    while (!this.#closing) {
      this.restarts += 1;
      const delayMs = Math.min(maxRestartDelayMs, restartDelayMs * 2 ** this.#deathsInARow);
      this.#deathsInARow += 1;
      log("warn", "planner thread restarts", { durationMs: delayMs });
      await new Promise((resolve) => setTimeout(resolve, delayMs).unref());
      try {
        if (!this.#closing) await this.start();
        onRecovered();
        return;
      } catch (error) {
        log("error", "planner thread could not start", { message: (error as Error).message });
      }
    }
  }
}

/** Resolves when every thread is warm; rejects with the planner's own sentence when one cannot load. */
export async function createPlannerPool(options: PlannerPoolOptions): Promise<PlannerPool> {
  let listeners: (() => void)[] = [];
  const onRecovered = () => {
    for (const listener of listeners) listener();
  };
  const lanes = Array.from({ length: options.threads }, () => new Lane({ ...options, onRecovered }));
  const close = async () => {
    listeners = [];
    await Promise.all(lanes.map((lane) => lane.close()));
  };
  // The files are deleted once all threads are warm, so that a crash leaves none behind. A thread that restarts later packs its own.
  const shared = await createSharedGraphs();
  const descriptions = await Promise.all(lanes.map((lane) => lane.start(shared)))
    .catch(async (error: Error) => {
      await close();
      throw error;
    })
    .finally(() => removeSharedGraphs(shared));
  return {
    description: descriptions[0]!,
    lanes: options.threads,
    free: () => lanes.filter((lane) => lane.isFree()).length,
    run: (tasks) => lanes.find((lane) => lane.isFree())?.run(tasks) ?? Promise.resolve(tasks.map(crashed)),
    isDown: () => lanes.every((lane) => lane.deadMs() > (options.patienceMs ?? restartPatienceMs)),
    restarts: () => lanes.reduce((sum, { restarts }) => sum + restarts, 0),
    onRecovered: (listener) => void listeners.push(listener),
    close,
  };
}

function crashed(): Outcome<TaskAnswer> {
  return { ok: false, error: new Refusal("world_model_unavailable", { reason: "thread-died" }) };
}

function toOutcome(outcome: TaskOutcome): Outcome<TaskAnswer> {
  if (outcome.ok) return outcome;
  if (outcome.refused) return { ok: false, error: new Refusal(outcome.refused, { index: outcome.index }) };
  return { ok: false, error: new Refusal("internal_error", { reason: outcome.message }) };
}
