/**
 * The edge's metrics for Prometheus: their one table, and how an ended request is counted. Labels are from closed sets: routes,
 * codes, provider kinds, flags; never an account, a key or a model.
 */
import { type ErrorCode, errorTable } from "../../shared/errors.ts";
import * as prometheus from "../../shared/prometheus.ts";
import type { ProviderKind } from "../../shared/providers.ts";
import { usageFlags } from "../../shared/usage-flags.ts";
import {
  callFailures,
  type RequestRecord,
  type SettlementRecord,
  type StageRecord,
  stageNames,
} from "./request-record.ts";
import type { SpanOutcome } from "./span-exporter.ts";

const shortSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const longSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** A provider's calls are counted by metrics of their own. */
const countedStages = stageNames.filter((stage) => stage !== "provider");

export const edgeFamilies = {
  svc_edge_info: { type: "gauge", help: "1, with the commit that runs." },
  svc_edge_requests_total: {
    type: "counter",
    help: "Requests ended, by route and class of status (4xx also: the caller left before the head).",
  },
  svc_edge_errors_total: {
    type: "counter",
    help: "Requests that failed, before the head or in mid-stream, by type and code.",
  },
  svc_edge_request_seconds: {
    type: "histogram",
    help: "From a request to the end of its answer, a stream's last byte and its settlement included, by route.",
    buckets: longSeconds,
  },
  svc_edge_first_byte_seconds: {
    type: "histogram",
    help: "From a chat request to its provider's first event.",
    buckets: longSeconds,
  },
  svc_edge_provider_first_byte_seconds: {
    type: "histogram",
    help: "From a provider's call to its first event, by provider.",
    buckets: longSeconds,
  },
  svc_edge_provider_calls_total: { type: "counter", help: "Calls of providers, by provider and outcome." },
  svc_edge_stage_seconds: {
    type: "histogram",
    help: `Time of a stage that succeeded: ${countedStages.join(", ")}.`,
    buckets: shortSeconds,
  },
  svc_edge_stage_failures_total: { type: "counter", help: "Stages that failed, by stage." },
  svc_edge_settled_total: { type: "counter", help: "Requests settled, by outcome and whose key paid." },
  svc_edge_credits_charged_total: { type: "counter", help: "Credits charged, by whose key paid." },
  svc_edge_reported_cost_credits_total: {
    type: "counter",
    help: "What the aggregator says it took for requests of the pool, in credits (dollars).",
  },
  svc_edge_tokens_total: { type: "counter", help: "Tokens settled, by kind." },
  svc_edge_usage_flags_total: { type: "counter", help: "Rows of the ledger with a flag, by flag." },
  svc_edge_streams: { type: "gauge", help: "Streams in flight." },
  svc_edge_sweep_late_seconds: {
    type: "gauge",
    help: "How long the oldest row that the sweep should have ended or deleted is past its time, by kind of row.",
  },
  svc_edge_spans_total: { type: "counter", help: "Spans of traces, by what became of them." },
} as const;

export type EdgeMetrics = prometheus.Metrics<typeof edgeFamilies>;
export type EdgeReading = prometheus.Reading<typeof edgeFamilies>;

const spanOutcomes: readonly SpanOutcome[] = ["exported", "failed", "dropped"];

/**
 * Counters that alerts watch begin at 0. Prometheus computes growth between two samples: for a series that begins with its first
 * failure it sees no growth, so the alert would miss that failure.
 */
export function createEdgeMetrics(): EdgeMetrics {
  const metrics = prometheus.createMetrics(edgeFamilies);
  for (const code of Object.keys(errorTable)) metrics.count("svc_edge_errors_total", nameError(code), 0);
  for (const stage of countedStages) metrics.count("svc_edge_stage_failures_total", { stage }, 0);
  for (const flag of usageFlags) metrics.count("svc_edge_usage_flags_total", { flag }, 0);
  for (const outcome of spanOutcomes) metrics.count("svc_edge_spans_total", { outcome }, 0);
  return metrics;
}

export function countRequest(metrics: EdgeMetrics, requestRecord: RequestRecord): void {
  const { answered, settled, startedAt, firstAt, endedAt = startedAt, code } = requestRecord;
  if (answered !== undefined) {
    const { route, status } = answered;
    metrics.count("svc_edge_requests_total", { route, status: nameStatusClass(status) });
    metrics.observe("svc_edge_request_seconds", (endedAt - startedAt) / 1000, { route });
  }
  if (code !== undefined) metrics.count("svc_edge_errors_total", nameError(code));
  for (const record of requestRecord.stages) countStage(metrics, record);
  if (firstAt !== undefined) metrics.observe("svc_edge_first_byte_seconds", (firstAt - startedAt) / 1000);
  if (settled !== undefined) countSettlement(metrics, settled);
}

/** Ended requests, and failed ones by kind, the most frequent first. */
export function readErrors(metrics: EdgeMetrics): {
  requests: number;
  errors: { code: ErrorCode; status: number; count: number }[];
} {
  const requests = metrics.read("svc_edge_requests_total").reduce((sum, { value }) => sum + value, 0);
  const errors = metrics.read("svc_edge_errors_total").map(({ labels, value }) => {
    const code = labels.code as ErrorCode;
    return { code, status: errorTable[code].status, count: value };
  });
  const seen = errors.filter(({ count }) => count > 0);
  return { requests, errors: seen.sort((left, right) => right.count - left.count) };
}

export const nameStatusClass = (status: number): string => `${Math.floor(status / 100)}xx`;

function nameError(code: string): { type: string; code: string } {
  const known = Object.hasOwn(errorTable, code) ? (code as ErrorCode) : "internal_error";
  return { type: errorTable[known].type, code: known };
}

function countStage(metrics: EdgeMetrics, record: StageRecord): void {
  const { stage, provider, startedAt, endedAt, error } = record;
  if (provider !== undefined) countCall(metrics, provider, record);
  else if (error !== undefined) metrics.count("svc_edge_stage_failures_total", { stage });
  else if (endedAt !== undefined) {
    metrics.observe("svc_edge_stage_seconds", (endedAt - startedAt) / 1000, { stage });
  }
}

function countCall(
  metrics: EdgeMetrics,
  provider: ProviderKind,
  { startedAt, firstAt, error }: StageRecord,
): void {
  metrics.count("svc_edge_provider_calls_total", { provider, outcome: nameOutcome(error) });
  if (firstAt === undefined) return;
  metrics.observe("svc_edge_provider_first_byte_seconds", (firstAt - startedAt) / 1000, { provider });
}

/** How a provider's call ended, from its failure and from settlements. */
const outcomes: ReadonlySet<string> = new Set([
  ...callFailures,
  ...["client_left", "deadline", "error", "429"],
]);

function nameOutcome(error: string | undefined): string {
  if (error === undefined) return "completed";
  if (outcomes.has(error)) return error;
  return /^[3-5]\d\d$/.test(error) ? nameStatusClass(Number(error)) : "other";
}

function countSettlement(metrics: EdgeMetrics, settled: SettlementRecord): void {
  const { outcome, keySource = "none", flag, charged, reportedCost, planningTokens, usage } = settled;
  metrics.count("svc_edge_settled_total", { outcome, key_source: keySource });
  metrics.count("svc_edge_credits_charged_total", { key_source: keySource }, charged);
  if (reportedCost !== undefined) metrics.count("svc_edge_reported_cost_credits_total", {}, reportedCost);
  if (flag != null) metrics.count("svc_edge_usage_flags_total", { flag });
  metrics.count("svc_edge_tokens_total", { kind: "planning" }, planningTokens);
  if (usage === undefined) return;
  metrics.count("svc_edge_tokens_total", { kind: "input" }, usage.input);
  metrics.count("svc_edge_tokens_total", { kind: "cached_input" }, usage.cachedInput);
  metrics.count("svc_edge_tokens_total", { kind: "output" }, usage.output);
}
