/**
 * Sends spans to a collector over OTLP/HTTP as JSON, in batches, after the answers. The queue is bounded and nothing is retried:
 * spans that do not fit or are refused are counted and dropped. It holds values only, never a promise or a timer of its own, as
 * the runtime forbids sharing those between requests. So each send is done within some request.
 */
import { encodeAttributes, type OtlpSpan } from "./encode-spans.ts";
import type { TraceSettings } from "./trace-settings.ts";

/** What sending takes from the request in which it runs: `waitUntil`, which lets it outlast the response, and a timer. */
export type Background = {
  waitUntil: (work: Promise<unknown>) => void;
  sleep: (milliseconds: number) => Promise<void>;
};

export type SpanOutcome = "exported" | "failed" | "dropped";

export type SpanExporterOptions = {
  settings: TraceSettings;
  version: string;
  fetch: typeof fetch;
  now: () => number;
  count: (outcome: SpanOutcome, spans: number) => void;
  /** How long a span may wait for others of its batch. */
  gatherMs?: number;
};

const maxQueued = 4_096;
/** Size of a batch; a full batch is sent at once. */
const batchSpans = 1_024;
const timeoutMs = 10_000;
/** Most batches that one request sends; the rest waits for another request. */
const maxBatches = 4;

export class SpanExporter {
  readonly #options: SpanExporterOptions;
  readonly #gatherMs: number;
  #queue: OtlpSpan[] = [];
  /** When a send was planned, and when one began. If that request died, others wait only as long as the send may take. */
  #plannedAt = Number.NEGATIVE_INFINITY;
  #sendingAt = Number.NEGATIVE_INFINITY;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
    this.#gatherMs = options.gatherMs ?? 1_000;
  }

  add(spans: readonly OtlpSpan[], { waitUntil, sleep }: Background): void {
    if (this.#queue.length + spans.length > maxQueued) {
      this.#options.count("dropped", spans.length);
      return;
    }
    this.#queue.push(...spans);
    const now = this.#options.now();
    if (this.#queue.length >= batchSpans) waitUntil(this.#send());
    else if (now - this.#plannedAt > this.#gatherMs + timeoutMs) {
      this.#plannedAt = now;
      waitUntil(sleep(this.#gatherMs).then(() => this.#send()));
    }
  }

  async #send(): Promise<void> {
    // From here on a new span plans its own send.
    this.#plannedAt = Number.NEGATIVE_INFINITY;
    const now = this.#options.now();
    if (now - this.#sendingAt <= timeoutMs * maxBatches) return;
    this.#sendingAt = now;
    for (let batch = 0; batch < maxBatches && this.#queue.length > 0; batch++) {
      const spans = this.#queue.splice(0, batchSpans);
      const rejected = await this.#post(spans);
      this.#options.count("exported", spans.length - rejected);
      this.#options.count("failed", rejected);
      if (rejected === spans.length) break;
    }
    this.#sendingAt = Number.NEGATIVE_INFINITY;
  }

  /** @returns how many spans were not accepted */
  async #post(spans: readonly OtlpSpan[]): Promise<number> {
    const { settings, fetch } = this.#options;
    try {
      const response = await fetch(settings.url, {
        method: "POST",
        headers: { ...settings.headers, "content-type": "application/json" },
        body: JSON.stringify(this.#envelope(spans)),
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (response.ok) return readRejected(await response.text(), spans.length);
      await response.body?.cancel();
      return spans.length;
    } catch {
      return spans.length;
    }
  }

  #envelope(spans: readonly OtlpSpan[]): object {
    const { settings, version } = this.#options;
    const resource = encodeAttributes({ "service.name": settings.serviceName, "service.version": version });
    return {
      resourceSpans: [
        { resource: { attributes: resource }, scopeSpans: [{ scope: { name: "svc.edge" }, spans }] },
      ],
    };
  }
}

/** How many spans a collector rejected in a 200 answer (OTLP, "Partial Success"; in JSON an int64 is text). */
function readRejected(body: string, sent: number): number {
  try {
    const rejected = Number(JSON.parse(body).partialSuccess?.rejectedSpans) || 0;
    return Math.min(Math.max(0, rejected), sent);
  } catch {
    return 0;
  }
}
