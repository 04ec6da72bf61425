/**
 * What every request gets before anything else: an id, a record of its stages (sent to the caller as Server-Timing, to the
 * operator as metrics and traces: request-record.ts), and a line in the operator's log.
 */
import { maskKeys } from "../../shared/mask-keys.ts";
import type { Account } from "../db/api-keys.ts";
import type { GpuWorkers } from "../gpu-workers/gpu-workers.ts";
import type { IsolateServices, Services } from "../pipeline/services.ts";
import { type RequestRecord, type Stage, type StageRecord, stageNames } from "../telemetry/request-record.ts";
import type { EdgeContext, EdgeMiddleware } from "./context.ts";

/** Safe in a header and in a log line; long enough for a UUID with a prefix. */
const saneToken = /^[\w.:-]{1,128}$/;
/** False for a key that was sent in the wrong header: ids are logged. */
const isSane = (id: string): boolean => saneToken.test(id) && maskKeys(id) === id;

/** The request id: the caller's own `x-request-id` if it is acceptable, else a new one. Every answer carries it. */
export const requestId =
  (randomId: () => string): EdgeMiddleware =>
  async (context, next) => {
    const given = context.req.header("x-request-id");
    const id = given !== undefined && isSane(given) ? given : `req_${randomId()}`;
    context.set("requestId", id);
    context.set("logFields", {});
    context.header("x-request-id", id);
    await next();
  };

/** The services of one request: those of the isolate, its record, and gpu-workers whose calls are recorded. */
export function createRequestServices(services: IsolateServices, headers: Headers): Services {
  const { now, waitUntil, sleep } = services;
  const requestRecord = services.telemetry.openRecord({ headers, now, waitUntil, sleep });
  return { ...services, requestRecord, gpuWorkers: recordWorkers(services.gpuWorkers, requestRecord) };
}

/** The same workers, with their tasks recorded as stages of this request and of its trace. */
function recordWorkers(workers: GpuWorkers, requestRecord: RequestRecord): GpuWorkers {
  return {
    ...workers,
    run: (task, request, context) =>
      requestRecord.time(task, async ({ record }) => {
        const answer = await workers.run(task, request, {
          ...context,
          traceparent: requestRecord.traceparent(record),
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

/** The status recorded for a caller who left before the head was sent, as nginx does. */
const leftStatus = 499;

/** Records how the request was answered and when it ended, also when its caller left. */
export const recordRequest: EdgeMiddleware = async (context, next) => {
  const services = context.get("services");
  const requestId = context.get("requestId");
  const logFields = context.get("logFields");
  const { requestRecord } = services;
  const letGo = requestRecord.keepOpen();
  // The runtime may stop a handler when its caller leaves. Its settlement goes on, and keeps the record open by itself.
  const leave = () => {
    requestRecord.answer({ requestId, route: nameRoute(context), status: leftStatus });
    letGo();
  };
  context.req.raw.signal.addEventListener("abort", leave, { once: true });
  await next();
  // Only with a valid key: the timing would distinguish a mistyped key from an unknown one.
  const account = context.get("account") as Account | undefined;
  if (account !== undefined) context.res.headers.set("server-timing", writeServerTiming(requestRecord));
  const code = logFields.code as string | undefined;
  requestRecord.answer({ requestId, route: nameRoute(context), status: context.res.status, code });
  letGo();
};

/**
 * The same promise, for work that goes on after its client has left, so that it is settled. The runtime keeps the request, and its record
 * stays open, until it has ended.
 */
export function outliveClient<Result>(context: EdgeContext, work: Promise<Result>): Promise<Result> {
  const { waitUntil, requestRecord } = context.get("services");
  const end = requestRecord.keepOpen();
  waitUntil(work.then(end, end));
  return work;
}

/** The route's pattern, never the path: patterns are a closed set. */
function nameRoute({ req }: EdgeContext): string {
  const { routePath } = req;
  return routePath === "/*" ? "other" : `${req.method} ${routePath.replace(/\{.*\}/, "")}`;
}

/**
 * The header `Server-Timing` (W3C): how long each stage took, as far as they are known when the head is sent. At most one entry
 * for each stage, so its length is bounded. Pure.
 */
export function writeServerTiming(requestRecord: RequestRecord): string {
  const entries = stageNames.flatMap((stage) => {
    const length = sumStage(requestRecord.stages, stage);
    return length === undefined ? [] : [`${stage};dur=${length}`];
  });
  return [...entries, `total;dur=${requestRecord.elapsed()}`].join(", ");
}

/** Sum of a stage's ended records; a provider's call counts up to its first event. Undefined if none has ended. */
function sumStage(stages: readonly StageRecord[], stage: Stage): number | undefined {
  const lengths = stages.flatMap((record) => {
    const until = stage === "provider" ? record.firstAt : record.endedAt;
    return record.stage === stage && until !== undefined ? [until - record.startedAt] : [];
  });
  if (lengths.length === 0) return undefined;
  // Calls for several choices run in parallel: the caller waited for the first event of any of them.
  return stage === "provider" ? lengths[0] : lengths.reduce((sum, length) => sum + length, 0);
}

/** One line per request for the operator: ids, codes and times; never a header, a body or a query. */
export const accessLog: EdgeMiddleware = async (context, next) => {
  const services = context.get("services");
  const requestId = context.get("requestId");
  const logFields = context.get("logFields");
  const startedAt = services.now();
  await next();
  const status = context.req.raw.signal.aborted ? leftStatus : context.res.status;
  services.log({
    level: status >= 500 || "error_class" in logFields ? "error" : "info",
    event: "request",
    request_id: requestId,
    method: context.req.method,
    // Unknown paths may hold anything. Known ones may hold a key: `DELETE /v1/account/api-keys/KEY` is an easy slip for the key's id.
    path: context.req.routePath === "/*" ? "(unknown)" : maskKeys(context.req.path).slice(0, 64),
    status,
    duration_ms: services.now() - startedAt,
    ...logFields,
  });
};
