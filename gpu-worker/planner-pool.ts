/**
 * The threads that work for one size. Starts them, hands each one batch at a time, and when one dies
 * fails the batch it held and starts another. Knows nothing of queues: batcher.ts decides what runs.
 */
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import type { Task, TaskName, TaskResponse } from "../shared/worker-tasks.ts";
import type { Lanes, Outcome } from "./batcher.ts";
import type { Log } from "./log.ts";
import type { FromThread, TaskOutcome, ThreadStart, ToThread } from "./planner-thread.ts";
import type { PlannerDescription, PlannerOptions } from "./planning/planner.ts";
import { Refusal } from "./refusal.ts";

/** The answer to any task: who asked knows which. */
export type TaskAnswer = TaskResponse<TaskName>;

export type PlannerPool = Lanes<Task, TaskAnswer> & {
  description: PlannerDescription;
  /** How many there are, busy ones included. */
  lanes: number;
  /** Threads that died since the start. */
  restarts(): number;
  /** `listener` is told whenever a thread has become free after a restart. */
  onRecovered(listener: () => void): void;
  /** Lets each planner close, then ends its thread. */
  close(): Promise<void>;
};

export type PlannerPoolOptions = {
  threads: number;
  planner: PlannerOptions;
  /** URL of the module that exports `loadPlanner`; another one in tests. */
  plannerModule?: string;
  log: Log;
  /** A batch that takes longer is taken for a hung thread. */
  batchTimeoutMs?: number;
  /** Wait before a restart after one death; doubles with each further one in a row, up to 10 s. */
  restartDelayMs?: number;
};

type Job = {
  tasks: Task[];
  settle(outcomes: Outcome<TaskAnswer>[]): void;
  timer: NodeJS.Timeout;
};
type Slot = { worker: Worker | undefined; ready: boolean; job: Job | undefined; deathsInARow: number };

const realPlanner = new URL("./planning/planner.ts", import.meta.url).href;
/**
 * Young objects of a thread, three half-spaces: they stay in the processor's cache, which answers a sixth more
 * requests and takes 200 MB less than V8's own choice for two threads (measured by the soak).
 */
const maxYoungGenerationSizeMb = 12;
/** Live are 16: the lower the bound, the sooner V8 collects what batches have left (node-flags.ts). */
const maxOldGenerationSizeMb = 512;
/** V8 reads its flags when a thread begins, and would prefer the process's own to the bounds above. */
const noFlagsOfTheProcess = "--max-semi-space-size=0 --max-old-space-size=0";
const maxRestartDelayMs = 10_000;
const closeTimeoutMs = 1_000;

/** Resolves when every thread is warm; rejects with the planner's own sentence when one cannot load. */
export async function createPlannerPool(options: PlannerPoolOptions): Promise<PlannerPool> {
  const { log, batchTimeoutMs = 60_000, restartDelayMs = 100 } = options;
  const threadStart: ThreadStart = {
    plannerModule: options.plannerModule ?? realPlanner,
    planner: options.planner,
  };
  let closing = false;
  let restarts = 0;
  let listeners: (() => void)[] = [];

  const finishJob = (slot: Slot, outcomes: (job: Job) => Outcome<TaskAnswer>[]) => {
    const job = slot.job;
    if (!job) return;
    slot.job = undefined;
    clearTimeout(job.timer);
    job.settle(outcomes(job));
  };

  /** Runs until the thread ends. Resolves with the description, once, when it is warm. */
  const startThread = (slot: Slot) =>
    new Promise<PlannerDescription>((resolve, reject) => {
      setFlagsFromString(noFlagsOfTheProcess);
      const worker = new Worker(new URL("./planner-thread.ts", import.meta.url), {
        workerData: threadStart,
        resourceLimits: { maxYoungGenerationSizeMb, maxOldGenerationSizeMb },
      });
      slot.worker = worker;
      let failure = "the planner's thread ended before it was ready";
      worker.on("message", (message: FromThread) => {
        if (message.type === "ready") {
          slot.ready = true;
          resolve(message.description);
        } else if (message.type === "done") {
          slot.deathsInARow = 0;
          finishJob(slot, () => message.outcomes.map(toOutcome));
        } else {
          failure = message.message;
          void worker.terminate();
        }
      });
      worker.on("error", (error) => log("error", "planner thread failed", { reason: error.name }));
      worker.on("exit", () => {
        reject(new Error(failure));
        const wasReady = slot.ready;
        slot.ready = false;
        slot.worker = undefined;
        finishJob(slot, (job) => job.tasks.map(() => crashed()));
        if (wasReady && !closing) void restart(slot);
      });
    });

  const restart = async (slot: Slot) => {
    while (!closing) {
      restarts += 1;
      const delayMs = Math.min(maxRestartDelayMs, restartDelayMs * 2 ** slot.deathsInARow);
      slot.deathsInARow += 1;
      log("warn", "planner thread restarts", { durationMs: delayMs });
      await new Promise((resolve) => setTimeout(resolve, delayMs).unref());
      try {
        if (!closing) await startThread(slot);
        for (const listener of listeners) listener();
        return;
      } catch (error) {
        log("error", "planner thread could not start", { message: (error as Error).message });
      }
    }
  };

  const slots: Slot[] = Array.from({ length: options.threads }, () => ({
    worker: undefined,
    ready: false,
    job: undefined,
    deathsInARow: 0,
  }));
  const isFree = (slot: Slot) => slot.ready && slot.job === undefined;
  const send = (slot: Slot, message: ToThread) => slot.worker?.postMessage(message);

  const close = async () => {
    closing = true;
    listeners = [];
    await Promise.all(
      slots.map(async ({ worker }, index) => {
        if (!worker) return;
        const ended = new Promise((resolve) => worker.once("exit", resolve));
        send(slots[index]!, { type: "close" });
        const timer = setTimeout(() => void worker.terminate(), closeTimeoutMs);
        await ended;
        clearTimeout(timer);
      }),
    );
  };

  const descriptions = await Promise.all(slots.map(startThread)).catch(async (error: Error) => {
    await close();
    throw error;
  });

  return {
    description: descriptions[0]!,
    lanes: options.threads,
    free: () => slots.filter(isFree).length,
    run(tasks) {
      const slot = slots.find(isFree);
      if (!slot) return Promise.resolve(tasks.map(() => crashed()));
      return new Promise((settle) => {
        const timer = setTimeout(() => {
          log("error", "planner thread hung", { durationMs: batchTimeoutMs });
          void slot.worker?.terminate();
        }, batchTimeoutMs);
        slot.job = { tasks, settle, timer };
        send(slot, { type: "run", tasks });
      });
    },
    restarts: () => restarts,
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
