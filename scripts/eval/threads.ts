/** Threads that each hold the model; tasks are given out in order, as threads become free. */
import { Worker } from "node:worker_threads";
import type { Tasks } from "./tasks.ts";

type Name = keyof Tasks;
type Input<Task extends Name> = Parameters<Tasks[Task]>[0];
type Output<Task extends Name> = Awaited<ReturnType<Tasks[Task]>>;
export type ToThread = { name: Name; input: Input<Name> };
export type FromThread = { output: Output<Name> } | { failure: string };

export type Threads = {
  run<Task extends Name>(name: Task, input: Input<Task>): Promise<Output<Task>>;
  close(): Promise<void>;
};

type Waiting = ToThread & { settle(output: Output<Name>): void; fail(error: Error): void };

/** A thread starts when a task finds none free, until there are `maxThreads`. */
export function createThreads(maxThreads: number, checkpointDir: string): Threads {
  const workers: Worker[] = [];
  const free: Worker[] = [];
  const waiting: Waiting[] = [];

  function start(): Worker {
    const worker = new Worker(new URL("./eval-thread.ts", import.meta.url), {
      workerData: { checkpointDir },
    });
    workers.push(worker);
    return worker;
  }

  function giveOut(): void {
    while (waiting.length > 0) {
      const worker = free.pop() ?? (workers.length < maxThreads ? start() : undefined);
      if (!worker) return;
      runOn(worker, waiting.shift()!);
    }
  }

  function runOn(worker: Worker, { name, input, settle, fail }: Waiting): void {
    const failed = (error: Error) => done(() => fail(error));
    const answered = (message: FromThread) =>
      done(() => ("failure" in message ? fail(new Error(message.failure)) : settle(message.output)));
    const done = (tell: () => void) => {
      worker.off("message", answered).off("error", failed);
      free.push(worker);
      tell();
      giveOut();
    };
    worker.once("message", answered).once("error", failed);
    worker.postMessage({ name, input } satisfies ToThread);
  }

  return {
    run: (name, input) =>
      new Promise((settle, fail) => {
        waiting.push({ name, input, settle: settle as Waiting["settle"], fail });
        giveOut();
      }),
    async close() {
      waiting.length = 0;
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}
