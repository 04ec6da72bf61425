/** Tasks of the gpu-workers as stages of the request that asks for them, in its trace. */
import type { RequestWatch } from "../telemetry/request-watch.ts";
import type { GpuWorkers } from "./gpu-workers.ts";

/** The same workers, watched for one request. */
export function watchWorkers(workers: GpuWorkers, watch: RequestWatch): GpuWorkers {
  return {
    ...workers,
    run: (task, request, context) =>
      watch.time(task, async ({ record }) => {
        const answer = await workers.run(task, request, {
          ...context,
          traceparent: watch.traceparent(record),
        });
        const { tokens, timings } = answer;
        Object.assign(record.attributes, {
          "svc.size": request.size,
          "svc.planning_tokens": tokens,
          "svc.queue_ms": timings.queueMs,
          "svc.model_ms": timings.modelMs,
        });
        return answer;
      }),
  };
}
