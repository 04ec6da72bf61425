/** GET /v1/operator/workers: each gpu-worker's health, device and queue, asked now. */
import { inspectWorker } from "../../gpu-workers/inspect-worker.ts";
import { createHandlers } from "../../middleware/context.ts";
import { noStore } from "../../middleware/no-store.ts";
import { operatorOnly } from "../../middleware/session.ts";

export const operatorWorkers = createHandlers(noStore, operatorOnly, async (context) => {
  const { config, fetch } = context.var.services;
  const workers = await Promise.all(config.gpuWorkerUrls.map((url) => inspectWorker(url, fetch)));
  return context.json({
    object: "list",
    data: workers.map(({ plansDone, ...worker }) => ({ ...worker, plans_done: plansDone })),
  });
});
