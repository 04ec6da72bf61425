/** The service of each size that a worker's settings name: its threads loaded and warm. */
import { join } from "node:path";
import type { ModelSize } from "../shared/model-sizes.ts";
import type { WorkerConfig } from "./config.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { createPlannerPool } from "./planner-pool.ts";
import { createSizeService, type SizeService } from "./size-service.ts";

/** Loads every size, or rejects with the first sentence that says why one cannot be. */
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
        ...(config.intraOpThreads !== undefined && { intraOpThreads: config.intraOpThreads }),
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
  // One line for all threads and sizes: the reason is the machine's.
  const fellBack = [...services.values()].find(({ description }) => description.fellBack)?.description
    .fellBack;
  if (fellBack !== undefined)
    log("warn", "no CUDA", { message: `CUDA cannot be used here, running on the CPU: ${fellBack}` });
  return services;
}
