/**
 * The inside of one worker thread: one planner, one batch at a time. It exists because a model run blocks
 * the thread it is on. Everything that crosses the border is plain data (structured clone).
 */
import { parentPort, workerData } from "node:worker_threads";
import type { PlanRequest, PlanResponse } from "../shared/planning.ts";
import type { loadPlanner, Planner, PlannerDescription, PlannerOptions } from "./planning/planner.ts";

/** `plannerModule`: URL of a module that exports `loadPlanner`. */
export type ThreadStart = { plannerModule: string; planner: PlannerOptions };
export type ToThread = { type: "plan"; requests: PlanRequest[] } | { type: "close" };
export type PlanOutcome = { ok: true; answer: PlanResponse } | { ok: false; message: string };
export type FromThread =
  | { type: "ready"; description: PlannerDescription }
  | { type: "unready"; message: string }
  | { type: "planned"; outcomes: PlanOutcome[] };

/** Plans a batch; when it fails as a whole each request is tried alone, so that one bad one fails alone. */
async function planBatch(planner: Planner, requests: PlanRequest[]): Promise<PlanOutcome[]> {
  try {
    const answers = await planner.plan(requests);
    return answers.map((answer) => ({ ok: true, answer }));
  } catch (error) {
    if (requests.length === 1) return [{ ok: false, message: tagOf(error) }];
    const alone: PlanOutcome[] = [];
    for (const request of requests) alone.push(...(await planBatch(planner, [request])));
    return alone;
  }
}

/** The error's class only: a message might quote the text that was being planned. */
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
    port.on("message", async (message: ToThread) => {
      if (message.type === "plan")
        return send({ type: "planned", outcomes: await planBatch(planner, message.requests) });
      await planner.close();
      port.close();
    });
    send({ type: "ready", description: planner.describe() });
  } catch (error) {
    send({ type: "unready", message: error instanceof Error ? error.message : String(error) });
  }
}
