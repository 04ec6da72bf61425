/**
 * What an isolate reports to its operator about its requests: metrics for Prometheus if it runs alone, data points if a dataset
 * is bound, traces if a collector is named. A failure here must not fail a request.
 */
import { buildDataPoint, type Dataset } from "./data-point.ts";
import { encodeSpans } from "./encode-spans.ts";
import { countRequest, createEdgeMetrics, type EdgeReading, readErrors } from "./metrics.ts";
import { RequestRecord } from "./request-record.ts";
import { type Background, SpanExporter } from "./span-exporter.ts";
import { openTrace, type RandomBytes } from "./trace-context.ts";
import type { TraceSettings } from "./trace-settings.ts";

export type TelemetryOptions = {
  gitSha: string;
  /** When this isolate began to count. */
  startedAt: number;
  dataset?: Dataset | undefined;
  traces?:
    | { settings: TraceSettings; fetch: typeof fetch; randomBytes: RandomBytes; gatherMs?: number }
    | undefined;
};

/** What telemetry needs of a request. */
export type RecordedRequest = Background & { now: () => number; headers: Headers };

export class Telemetry {
  readonly #options: TelemetryOptions;
  readonly #metrics = createEdgeMetrics();
  #exporter: SpanExporter | undefined;
  #streams = 0;

  constructor(options: TelemetryOptions) {
    this.#options = options;
  }

  openRecord(request: RecordedRequest): RequestRecord {
    const { traces } = this.#options;
    const { now, headers } = request;
    const onEnd = (requestRecord: RequestRecord) => this.#tell(requestRecord, request);
    if (traces === undefined) return new RequestRecord({ now, onEnd });
    const { settings, randomBytes } = traces;
    const trace = openTrace(headers.get("traceparent"), settings.sampler, randomBytes);
    return new RequestRecord({ now, onEnd, trace });
  }

  /** Counts a stream as open; the returned function must be called once, when it has ended. */
  beginStream(): () => void {
    this.#streams += 1;
    return () => {
      this.#streams -= 1;
    };
  }

  /** The metrics page for Prometheus. `more`: what others know. */
  render(more: readonly EdgeReading[] = []): string {
    const readings: EdgeReading[] = [
      { name: "svc_edge_info", labels: { git_sha: this.#options.gitSha }, value: 1 },
      { name: "svc_edge_streams", labels: {}, value: this.#streams },
      ...more,
    ];
    return this.#metrics.render(readings);
  }

  /** Failures since this isolate began to count, by kind. */
  readErrors() {
    return { startedAt: this.#options.startedAt, ...readErrors(this.#metrics) };
  }

  #tell(requestRecord: RequestRecord, request: RecordedRequest): void {
    try {
      countRequest(this.#metrics, requestRecord);
      if (requestRecord.trace?.sampled)
        this.#openExporter(request)?.add(encodeSpans(requestRecord, requestRecord.trace), request);
      this.#options.dataset?.writeDataPoint(buildDataPoint(requestRecord));
    } catch {
      // The dataset may refuse more, or the runtime may end the request: an answer must not fail for it.
    }
  }

  #openExporter({ now }: RecordedRequest): SpanExporter | undefined {
    const { traces, gitSha } = this.#options;
    if (traces === undefined) return undefined;
    this.#exporter ??= new SpanExporter({
      ...traces,
      now,
      version: gitSha,
      count: (outcome, spans) => this.#metrics.count("svc_edge_spans_total", { outcome }, spans),
    });
    return this.#exporter;
  }
}
