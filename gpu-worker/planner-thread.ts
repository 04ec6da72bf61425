/**
 * The code of one worker thread: one planner, one batch at a time, of any mix of tasks. Planners have threads of their own because a
 * model run blocks its thread. Only plain data crosses the thread boundary (structured clone).
 */
import { parentPort, workerData } from "node:worker_threads";
import type { Task, TaskName, TaskResponse } from "../shared/worker-tasks.ts";
import { watchHeap } from "./garbage.ts";
import type {
  loadPlanner,
  PlanBegun,
  Planner,
  PlannerDescription,
  PlannerOptions,
} from "./planning/planner.ts";

/** `plannerModule`: URL of a module that exports `loadPlanner`. */
export type ThreadStart = { plannerModule: string; planner: PlannerOptions };
export type ToThread = { type: "run"; tasks: Task[] } | { type: "close" };
export type TaskOutcome =
  | { ok: true; answer: TaskResponse<TaskName> | PlanBegun }
  | { ok: false; refused: "text_too_long"; index: number }
  | { ok: false; refused?: undefined; message: string };
export type FromThread =
  | { type: "ready"; description: PlannerDescription }
  | { type: "unready"; message: string }
  | { type: "done"; outcomes: TaskOutcome[] };

/**
 * Runs the tasks of each name together; outcomes stand in the order of the tasks. A plan with many unseen texts only reads some of
 * them here, and its outcome is what was read (planning/read-ahead.ts).
 */
async function runBatch(planner: Planner, tasks: readonly Task[]): Promise<TaskOutcome[]> {
  const outcomes: TaskOutcome[] = new Array(tasks.length);
  for (const [index, { name, request }] of tasks.entries()) {
    // A failure here is ignored: the plan then fails in the same way, and reports it.
    const begun = name === "plan" && (await planner.readAhead(request).catch(() => undefined));
    if (begun) outcomes[index] = { ok: true, answer: begun };
  }
  const whole = [...tasks.keys()].filter((index) => !outcomes[index]);
  for (const [name, indexes] of Map.groupBy(whole, (index) => tasks[index]!.name)) {
    const requests = indexes.map((index) => tasks[index]!.request);
    for (const [at, outcome] of (await runAlike(planner, name, requests)).entries())
      outcomes[indexes[at]!] = outcome;
  }
  return outcomes;
}

/** Runs the requests of one task. If the batch fails, each request is run alone, so that only the faulty ones fail. */
async function runAlike(
  planner: Planner,
  name: TaskName,
  requests: readonly Task["request"][],
): Promise<TaskOutcome[]> {
  try {
    const answers = await planner[name](requests as never);
    return answers.map((answer) => ("refused" in answer ? { ok: false, ...answer } : { ok: true, answer }));
  } catch (error) {
    if (requests.length === 1) return [{ ok: false, message: tagOf(error) }];
    const alone: TaskOutcome[] = [];
    for (const request of requests) alone.push(...(await runAlike(planner, name, [request])));
    return alone;
  }
}

/** The error's class only: its message might quote a text of the request. */
function tagOf(error: unknown): string {
  return error instanceof Error ? error.name : "unknown";
}

if (parentPort) {
  const port = parentPort;
  const send = (message: FromThread) => port.postMessage(message);
  const start = workerData as ThreadStart;
  try {
    const module = (await import(start.plannerModule)) as { loadPlanner: typeof loadPlanner };
    const planner = await module.loadPlanner(start.planner);
    watchHeap();
    port.on("message", async (message: ToThread) => {
      if (message.type === "run")
        return send({ type: "done", outcomes: await runBatch(planner, message.tasks) });
      await planner.close();
      port.close();
    });
    send({ type: "ready", description: planner.describe() });
  } catch (error) {
    send({ type: "unready", message: error instanceof Error ? error.message : String(error) });
  }
}
