/** One gpu-worker for the operator's page: its health, and two of its metrics. Never throws. */
import type { Fetch } from "./call-worker.ts";
import { askHealth, askWorker } from "./fleet-health.ts";

export type InspectedWorker = {
  url: string;
  healthy: boolean;
  sizes: readonly string[];
  device: string | null;
  checkpoint: string | null;
  /** Tasks that wait for a batch; null if the worker does not report it. */
  queued: number | null;
  /** Plans made since it started; the difference of two readings gives plans a second. */
  plansDone: number | null;
};

/** Bound of the metrics' text, which has some hundred lines. */
const maxMetricsBytes = 1024 * 1024;

export async function inspectWorker(url: string, fetch: Fetch): Promise<InspectedWorker> {
  const [health, metrics] = await Promise.all([
    askHealth(url, fetch),
    askWorker(`${url}/metrics`, maxMetricsBytes, fetch),
  ]);
  return {
    url,
    healthy: health !== undefined,
    sizes: health?.sizes ?? [],
    device: health?.device ?? null,
    checkpoint: health?.brain.checkpoint ?? null,
    queued: metrics === undefined ? null : sumMetric(metrics, "svc_worker_queue_depth"),
    plansDone: metrics === undefined ? null : sumMetric(metrics, "svc_worker_tasks_total", 'task="plan"'),
  };
}

/** The sum of a metric's samples in Prometheus' text format; with `label`, of the samples that have it. Pure. */
export function sumMetric(text: string, name: string, label = ""): number {
  return text
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => line.includes(label))
    .reduce((sum, line) => sum + (Number(line.slice(line.lastIndexOf(" ") + 1)) || 0), 0);
}
