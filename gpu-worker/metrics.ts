/**
 * The worker's figures in the Prometheus text format (version 0.0.4): counters, histograms, and gauges
 * read when asked. Label values come from closed sets (routes, statuses, codes, sizes), never from a caller.
 */

type Labels = Record<string, string | number>;
type Definition =
  | { type: "counter"; help: string }
  | { type: "gauge"; help: string }
  | { type: "histogram"; help: string; buckets: readonly number[] };

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const definitions = {
  svc_worker_requests_total: {
    type: "counter",
    help: "Requests answered, by route and status (499: the caller left).",
  },
  svc_worker_refused_total: { type: "counter", help: "Requests refused, by code." },
  svc_worker_dropped_total: {
    type: "counter",
    help: "Requests dropped before work because their caller left.",
  },
  svc_worker_tasks_total: { type: "counter", help: "Tasks done, by size and task." },
  svc_worker_queue_depth: { type: "gauge", help: "Tasks waiting for a batch, by size." },
  svc_worker_thread_restarts_total: {
    type: "counter",
    help: "Threads that died and were started again, by size.",
  },
  svc_worker_batch_requests: {
    type: "histogram",
    help: "Requests per batch.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
  },
  svc_worker_batch_tokens: {
    type: "histogram",
    help: "Estimated tokens per batch.",
    buckets: [64, 256, 1024, 4096, 16_384, 65_536],
  },
  svc_worker_queue_seconds: {
    type: "histogram",
    help: "Wait of a task before its batch left.",
    buckets: secondsBuckets,
  },
  svc_worker_model_seconds: {
    type: "histogram",
    help: "Time in the world model, per task.",
    buckets: secondsBuckets,
  },
} as const satisfies Record<string, Definition>;

type MetricName = keyof typeof definitions;
type NamesOf<Type> = {
  [Name in MetricName]: (typeof definitions)[Name]["type"] extends Type ? Name : never;
}[MetricName];
/** A figure that is read rather than kept. */
export type Reading = { name: NamesOf<"gauge" | "counter">; labels: Labels; value: number };

export type Metrics = {
  count(name: NamesOf<"counter">, labels?: Labels): void;
  observe(name: NamesOf<"histogram">, value: number): void;
  /** The whole page; `readings` are added to what was counted. */
  render(readings: readonly Reading[]): string;
};

type Histogram = { counts: number[]; sum: number; total: number };

/** One set of figures for one worker process; it is the one place that counts. */
export function createMetrics(): Metrics {
  const values = new Map<MetricName, Map<string, number>>();
  const histograms = new Map<MetricName, Histogram>();

  return {
    count(name, labels = {}) {
      const series = values.get(name) ?? new Map<string, number>();
      values.set(name, series);
      const key = writeLabels(labels);
      series.set(key, (series.get(key) ?? 0) + 1);
    },
    observe(name, value) {
      const { buckets } = definitions[name];
      const histogram = histograms.get(name) ?? { counts: buckets.map(() => 0), sum: 0, total: 0 };
      histograms.set(name, histogram);
      const index = buckets.findIndex((bound) => value <= bound);
      if (index >= 0) histogram.counts[index]! += 1;
      histogram.sum += value;
      histogram.total += 1;
    },
    render(readings) {
      const names = Object.keys(definitions) as MetricName[];
      return names
        .map((name) => {
          const definition: Definition = definitions[name];
          const head = [`# HELP ${name} ${definition.help}`, `# TYPE ${name} ${definition.type}`];
          if (definition.type === "histogram") {
            return [...head, ...writeHistogram(name, definition.buckets, histograms.get(name))];
          }
          const counted = [...(values.get(name) ?? [])].map(([labels, value]) => `${name}${labels} ${value}`);
          const read = readings
            .filter((reading) => reading.name === name)
            .map((reading) => `${name}${writeLabels(reading.labels)} ${reading.value}`);
          return [...head, ...counted, ...read];
        })
        .map((lines) => `${lines.join("\n")}\n`)
        .join("");
    },
  };
}

function writeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function writeHistogram(
  name: string,
  buckets: readonly number[],
  histogram: Histogram | undefined,
): string[] {
  const { counts, sum, total } = histogram ?? { counts: [], sum: 0, total: 0 };
  let below = 0;
  const lines = buckets.map((bound, index) => {
    below += counts[index] ?? 0;
    return `${name}_bucket{le="${bound}"} ${below}`;
  });
  return [...lines, `${name}_bucket{le="+Inf"} ${total}`, `${name}_sum ${sum}`, `${name}_count ${total}`];
}
