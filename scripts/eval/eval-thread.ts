/** The code of one thread of the evaluation: one model, one task at a time. A run of a model blocks its thread. */
import { parentPort, workerData } from "node:worker_threads";
import { loadTasks } from "./tasks.ts";
import type { FromThread, ToThread } from "./threads.ts";

const { checkpointDir } = workerData as { checkpointDir: string };
const answer = (message: FromThread) => parentPort!.postMessage(message);

try {
  const tasks = await loadTasks(checkpointDir);
  parentPort!.on("message", async ({ name, input }: ToThread) => {
    try {
      answer({ output: await tasks[name](input as never) });
    } catch (error) {
      answer({ failure: (error as Error).message });
    }
  });
} catch (error) {
  answer({ failure: (error as Error).message });
}
