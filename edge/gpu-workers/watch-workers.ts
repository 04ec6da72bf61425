/** Tasks of the gpu-workers as stages of the request that asks for them. */
import type { RequestWatch } from "../telemetry/request-watch.ts";
import type { GpuWorkers } from "./gpu-workers.ts";

/** The same workers, watched for one request. */
export function watchWorkers(workers: GpuWorkers, watch: RequestWatch): GpuWorkers {
  return {
    ...workers,
    run: (task, request, context) => watch.time(task, () => workers.run(task, request, context)),
  };
}
