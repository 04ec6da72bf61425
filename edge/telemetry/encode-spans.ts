/**
 * An ended request as spans in OTLP's JSON: one server span, with a child span for each stage. Provider calls use the names of
 * the GenAI semantic conventions (in development; names of November 2026). Pure: names, numbers and ids only.
 */
import type { Attributes, AttributeValue, RequestRecord, Stage, StageRecord } from "./request-record.ts";
import type { TraceContext } from "./trace-context.ts";

type OtlpValue =
  | { stringValue: string }
  | { intValue: string }
  | { doubleValue: number }
  | { boolValue: boolean }
  | { arrayValue: { values: OtlpValue[] } };

export type OtlpAttribute = { key: string; value: OtlpValue };

export type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: OtlpAttribute[];
  status: { code?: number };
};

const kinds = { internal: 1, server: 2, client: 3 } as const;
const failed = { code: 2 };

/** Name and kind of each stage's span; some stages call another service of ours. */
const spanKinds: Readonly<Record<Stage, { name: string; kind: number }>> = {
  auth: { name: "auth", kind: kinds.internal },
  plan: { name: "plan", kind: kinds.client },
  rollout: { name: "rollout", kind: kinds.client },
  embed: { name: "embeddings", kind: kinds.client },
  hold: { name: "hold", kind: kinds.internal },
  provider: { name: "chat", kind: kinds.client },
  settle: { name: "settle", kind: kinds.internal },
};

export function encodeSpans(requestRecord: RequestRecord, trace: TraceContext): OtlpSpan[] {
  const endedAt = requestRecord.endedAt ?? requestRecord.startedAt;
  const root: OtlpSpan = {
    traceId: trace.traceId,
    spanId: trace.spanId,
    ...(trace.parentId !== undefined && { parentSpanId: trace.parentId }),
    name: requestRecord.answered?.route ?? "other",
    kind: kinds.server,
    ...writeTimes(requestRecord.startedAt, endedAt),
    attributes: encodeAttributes(describeRequest(requestRecord)),
    status: isOurFailure(requestRecord) ? failed : {},
  };
  return [root, ...requestRecord.stages.map((record) => encodeStage(record, trace, endedAt))];
}

/** By the conventions, a server's 4xx is its client's failure. */
const isOurFailure = ({ answered, code }: RequestRecord): boolean =>
  (answered?.status ?? 0) >= 500 || ((answered?.status ?? 0) < 400 && code !== undefined);

function describeRequest({ answered, settled, code }: RequestRecord): Attributes {
  const [method, route] = answered?.route.split(" ") ?? [];
  return {
    "http.request.method": route === undefined ? "_OTHER" : method,
    "http.route": route,
    "http.response.status_code": answered?.status,
    "error.type": code,
    "svc.request_id": answered?.requestId,
    "svc.outcome": settled?.outcome,
    "svc.key_source": settled?.keySource,
    "svc.credits_charged": settled?.charged,
    "svc.planning_tokens": settled?.planningTokens,
    "svc.usage_flag": settled?.flag ?? undefined,
  };
}

function encodeStage(record: StageRecord, trace: TraceContext, requestEndedAt: number): OtlpSpan {
  const { stage, startedAt, firstAt, endedAt = requestEndedAt, error, attributes } = record;
  const { name, kind } = spanKinds[stage];
  const model = attributes["gen_ai.request.model"];
  return {
    traceId: trace.traceId,
    spanId: record.spanId ?? trace.newSpanId(),
    parentSpanId: trace.spanId,
    name: model === undefined ? name : `${name} ${model}`,
    kind,
    ...writeTimes(startedAt, endedAt),
    attributes: encodeAttributes({
      ...attributes,
      "error.type": error,
      ...(firstAt !== undefined && { "gen_ai.response.time_to_first_chunk": (firstAt - startedAt) / 1000 }),
    }),
    status: error === undefined || error === "client_left" ? {} : failed,
  };
}

const writeTimes = (startedAt: number, endedAt: number) => ({
  startTimeUnixNano: `${Math.round(startedAt)}000000`,
  endTimeUnixNano: `${Math.round(endedAt)}000000`,
});

export const encodeAttributes = (attributes: Attributes): OtlpAttribute[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [{ key, value: doubles.test(key) ? { doubleValue: Number(value) } : encodeValue(value) }],
  );

/** Numbers of times and amounts are sent as doubles, so that a backend sees one type for each name. */
const doubles = /(time_to_first_chunk|credits_charged|_ms)$/;

function encodeValue(value: AttributeValue): OtlpValue {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") {
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  }
  return { arrayValue: { values: value.map(encodeValue) } };
}
