/**
 * The worker's HTTP surface: a table of routes on plain node:http. The signature of a task is verified from its headers before the
 * body is read, and the body's hash before any work is done. Answers are JSON or Prometheus text.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type EmbedProgress, progressType } from "../shared/embedding.ts";
import { createTable } from "../shared/lookup-table.ts";
import type { ModelSize } from "../shared/model-sizes.ts";
import { metricsContentType } from "../shared/prometheus.ts";
import type { VerifiedHead, Verifier, VerifyRefusal } from "../shared/signature.ts";
import type { WorkerHealth } from "../shared/worker-health.ts";
import { workerRefusals } from "../shared/worker-refusals.ts";
import { type TaskName, type TaskRequest, workerTasks } from "../shared/worker-tasks.ts";
import { type BodyReader, createBodyReader } from "./body-reader.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { Refusal } from "./refusal.ts";
import { checkOpen, type SizeService } from "./size-service.ts";

export type AppOptions = {
  verifier: Verifier;
  services: ReadonlyMap<ModelSize, SizeService>;
  metrics: Metrics;
  log: Log;
  /** Milliseconds since the epoch: signatures expire by it. */
  now: () => number;
  /** Aborted once the worker takes no more work. */
  draining: AbortSignal;
  maxBodyBytes?: number;
};

type Reply = { status: number; contentType: string; body: string; headers?: Record<string, string> };
type Call = {
  request: IncomingMessage;
  path: string;
  signal: AbortSignal;
  /** Where the caller asks for progress: writes a line with the tokens read so far. The answer is then the last line. */
  onProgress?: (tokens: number) => void;
};
type App = AppOptions & { bodies: BodyReader };
type Handler = (app: App, call: Call) => Promise<Reply> | Reply;
type Methods = Readonly<Record<string, Handler>>;

/** By path, then by method. */
const routes = createTable<Methods>({
  ...Object.fromEntries(
    Object.entries(workerTasks).map(([name, { path }]) => [
      path,
      createTable({ POST: work(name as TaskName) }),
    ]),
  ),
  "/health": createTable({ GET: health }),
  "/metrics": createTable({ GET: showMetrics }),
});

/** Longer than the idle time after which the edge's runtime drops a connection, so it is never cut in use. */
const keepAliveTimeoutMs = 60_000;
/** How often Node looks for connections past `headersTimeout` or `requestTimeout`, milliseconds. By default every 30 s. */
const connectionsCheckingInterval = 5_000;

export function createApp(options: AppOptions): Server {
  const app: App = { ...options, bodies: createBodyReader(options.maxBodyBytes) };
  const server = createServer({ connectionsCheckingInterval }, (request, response) => {
    void answer(app, request, response);
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 20_000;
  server.keepAliveTimeout = keepAliveTimeoutMs;
  return server;
}

/** One request from its head to the last byte of its answer; never throws. */
async function answer(app: App, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const startedAt = performance.now();
  const path = (request.url ?? "/").split("?", 1)[0]!;
  const leaving = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) leaving.abort();
  });
  let reason: string | undefined;
  let reply: Reply;
  try {
    const onProgress =
      request.headers.accept === progressType && ((done: number) => writeProgress(response, { done }));
    reply = await route(app, { request, path, signal: leaving.signal, ...(onProgress && { onProgress }) });
  } catch (error) {
    const refusal =
      error instanceof Refusal ? error : new Refusal("internal_error", { reason: nameOf(error) });
    reason = refusal.details.reason ?? refusal.code;
    app.metrics.count("svc_worker_refused_total", { code: refusal.code });
    reply = json(refusal.status, refusal.body, refusal.headers);
  }
  const hasLeft = leaving.signal.aborted || reply.status === workerRefusals.client_left.status;
  if (hasLeft) reply.status = workerRefusals.client_left.status;
  const routeLabel = path in routes ? path : "other";
  app.metrics.count("svc_worker_requests_total", { route: routeLabel, status: reply.status });
  if (reply.status >= 400) {
    const durationMs = Math.round(performance.now() - startedAt);
    app.log("warn", "refused", {
      requestId: requestIdOf(request),
      traceId: traceIdOf(request),
      route: routeLabel,
      status: reply.status,
      reason,
      durationMs,
    });
  }
  if (hasLeft) return void response.destroy();
  if (response.headersSent) return void response.end(reply.body);
  response.writeHead(reply.status, {
    "content-type": reply.contentType,
    "content-length": Buffer.byteLength(reply.body),
    ...(app.draining.aborted && { connection: "close" }),
    ...reply.headers,
  });
  // Node discards the rest of an unread body as it arrives, within requestTimeout.
  response.end(reply.body);
}

function writeProgress(response: ServerResponse, progress: EmbedProgress): void {
  if (!response.headersSent) response.writeHead(200, { "content-type": progressType });
  response.write(`${JSON.stringify(progress)}\n`);
}

function route(app: App, call: Call): Promise<Reply> | Reply {
  const byMethod = routes[call.path];
  if (!byMethod) throw new Refusal("not_found");
  const handler = byMethod[call.request.method ?? ""];
  if (!handler) throw new Refusal("method_not_allowed", { allow: Object.keys(byMethod) });
  return handler(app, call);
}

/** The handler of one task of the shared table. */
function work(name: TaskName): Handler {
  return async (app, call) => {
    const { body, share } = await readSignedJson(app, call, name);
    const parsed = workerTasks[name].request.safeParse(body);
    if (!parsed.success) {
      const fields = parsed.error.issues.slice(0, 8).map((issue) => issue.path.join(".") || "body");
      throw new Refusal("invalid_request", {
        message: `The body is not a valid ${name} request: see ${fields.join(", ")}.`,
      });
    }
    const request: TaskRequest<TaskName> = { ...parsed.data, share };
    const service = app.services.get(request.size);
    if (!service) {
      const loaded = [...app.services.keys()];
      throw new Refusal("world_model_not_loaded", {
        message: `The size ${request.size} is not loaded here. Loaded: ${loaded.join(", ") || "none"}.`,
        sizes: loaded,
      });
    }
    const { signal, onProgress } = call;
    return json(200, await service.run(name, request, { share, signal, ...(onProgress && { onProgress }) }));
  };
}

/** The body of a request that was signed for this worker and path and not sent before, and the account's share that it uses. */
async function readSignedJson(
  app: App,
  { request, path }: Call,
  name: TaskName,
): Promise<{ body: unknown; share: string }> {
  if (app.draining.aborted) throw new Refusal("draining");
  const token = /^Bearer ([\w.-]+)$/.exec(request.headers.authorization ?? "")?.[1];
  if (token === undefined) throw new Refusal("unauthorized", { reason: "no-token" });
  const head = unlessRefused(
    await app.verifier.verifyHead({ token, method: request.method ?? "", path, now: app.now() }),
  );
  checkOpen([...app.services.values()], name, head.share);
  const bytes = await app.bodies.read(request, head.nonce);
  unlessRefused(await app.verifier.verifyBody(head, bytes, app.now()));
  try {
    return { body: JSON.parse(bytes.toString("utf8")), share: head.share };
  } catch {
    throw new Refusal("invalid_json");
  }
}

function unlessRefused(
  verdict: { ok: true; value: VerifiedHead } | { ok: false; reason: VerifyRefusal },
): VerifiedHead {
  if (verdict.ok) return verdict.value;
  throw new Refusal(verdict.reason === "replay-guard-full" ? "overloaded" : "unauthorized", {
    reason: verdict.reason,
  });
}

/** `brain` is that of the first size: an operator lists the main one first. A size without a living thread counts as not loaded. */
function health(app: AppOptions): Reply {
  if (app.draining.aborted) throw new Refusal("draining");
  const living = [...app.services.values()].filter((service) => !service.isDown());
  if (living.length === 0) throw new Refusal("world_model_unavailable", { reason: "no-thread" });
  const loaded = living.map(({ description }) => description);
  const { device, checkpoint, numActions } = loaded[0]!;
  const described: WorkerHealth = {
    status: "healthy",
    sizes: loaded.map(({ size }) => size),
    dimensions: Object.fromEntries(loaded.map(({ size, dimension }) => [size, dimension])),
    device,
    brain: {
      loaded: true,
      checkpoint,
      device,
      num_actions: numActions,
      random_baseline_nats: Math.log(numActions),
      sentence_transformers: true,
      tool_matching: "sentence-transformers",
    },
  };
  return json(200, described);
}

function showMetrics(app: AppOptions): Reply {
  const readings = [...app.services.values()].flatMap((service) => service.readings());
  return { status: 200, contentType: metricsContentType, body: app.metrics.render(readings) };
}

function json(status: number, value: unknown, headers?: Record<string, string>): Reply {
  return {
    status,
    contentType: "application/json",
    body: JSON.stringify(value),
    ...(headers && { headers }),
  };
}

function requestIdOf(request: IncomingMessage): string | undefined {
  return /^[\w.:-]{1,128}$/.exec(String(request.headers["x-request-id"] ?? ""))?.[0];
}

/** The trace id that the edge sent, so that a refusal can be found from its trace. */
function traceIdOf(request: IncomingMessage): string | undefined {
  return /^00-([0-9a-f]{32})-/.exec(String(request.headers.traceparent ?? ""))?.[1];
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "unknown";
}
