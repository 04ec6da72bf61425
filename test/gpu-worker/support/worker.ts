/** A worker on a free port with real threads, real signatures and the fake planner. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createApp } from "../../../gpu-worker/app.ts";
import type { QueueLimits } from "../../../gpu-worker/config.ts";
import { createLog, type Log } from "../../../gpu-worker/log.ts";
import { createMetrics, type Metrics } from "../../../gpu-worker/metrics.ts";
import { createPlannerPool } from "../../../gpu-worker/planner-pool.ts";
import { createSizeService } from "../../../gpu-worker/size-service.ts";
import type { ModelSize } from "../../../shared/model-sizes.ts";
import type { PlanRequest } from "../../../shared/planning.ts";
import { createReplayGuard } from "../../../shared/replay-guard.ts";
import {
  createSigner,
  createSigningKeys,
  createVerifier,
  workerAudience,
} from "../../../shared/signature.ts";
import { fakePlannerModule } from "./fake-planner.ts";

const roomy: QueueLimits = {
  maxQueuedRequests: 256,
  maxQueuedTokens: 262_144,
  maxBatchRequests: 32,
  maxBatchTokens: 16_384,
};

export function planRequest(goal: string, extra: Partial<PlanRequest> = {}): PlanRequest {
  return { size: "base", goal, state: "a shop", history: [], turns: [], tools: [], maxSteps: 5, ...extra };
}

type WorkerOptions = {
  keys?: Awaited<ReturnType<typeof createSigningKeys>>;
  audience?: string;
  limits?: Partial<QueueLimits>;
  threads?: number;
  sizes?: ModelSize[];
  maxBodyBytes?: number;
  patienceMs?: number;
};

/** Starts a worker with one thread of the size base unless told otherwise, and a caller whose requests it accepts. */
export async function startWorker(options: WorkerOptions = {}) {
  const keys = options.keys ?? (await createSigningKeys());
  const metrics = createMetrics();
  const logLines: string[] = [];
  const log = createLog((line) => void logLines.push(line), Date.now);
  const draining = new AbortController();
  const services = await startServices(options, metrics, log);
  const server = createApp({
    verifier: await createVerifier({
      jwks: keys.publicJwks,
      audience: options.audience ?? workerAudience,
      replay: createReplayGuard(),
    }),
    services,
    metrics,
    log,
    now: Date.now,
    draining: draining.signal,
    ...(options.maxBodyBytes !== undefined && { maxBodyBytes: options.maxBodyBytes }),
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    server,
    keys,
    drain: () => draining.abort(),
    logLines,
    ...createCaller(url, await createSigner(keys)),
    /** The value of one line of /metrics; 0 when it is not there. */
    async figure(line: string) {
      const page = await (await fetch(`${url}/metrics`)).text();
      const found = page.split("\n").find((one) => one.startsWith(`${line} `));
      return Number(found?.slice(line.length + 1) ?? 0);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all([...services.values()].map((service) => service.close()));
    },
  };
}

async function startServices(options: WorkerOptions, metrics: Metrics, log: Log) {
  const pools = await Promise.all(
    (options.sizes ?? ["base"]).map((size) =>
      createPlannerPool({
        threads: options.threads ?? 1,
        planner: { checkpointDir: `/nowhere/${size}`, device: "cpu" },
        plannerModule: fakePlannerModule,
        log,
        restartDelayMs: 10,
        ...(options.patienceMs !== undefined && { patienceMs: options.patienceMs }),
      }),
    ),
  );
  const limits = { ...roomy, ...options.limits };
  const now = () => performance.now();
  return new Map(
    pools.map((pool) => [pool.description.size, createSizeService({ pool, limits, metrics, now })]),
  );
}

type Init = { token?: string; signal?: AbortSignal; path?: string; share?: string; accept?: string };

/** Signs and sends requests; by default plans, of one account. */
function createCaller(url: string, signer: Awaited<ReturnType<typeof createSigner>>) {
  const sign = (body: string, path = "/plan", share = "account") =>
    signer.sign({
      share,
      audience: workerAudience,
      method: "POST",
      path,
      body,
      now: Date.now(),
      nonce: crypto.randomUUID(),
    });
  const post = async (body: string, init: Init = {}) =>
    fetch(`${url}${init.path ?? "/plan"}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${init.token ?? (await sign(body, init.path, init.share))}`,
        "content-type": "application/json",
        ...(init.accept && { accept: init.accept }),
      },
      body,
      ...(init.signal && { signal: init.signal }),
    });
  return { sign, post, plan: (request: PlanRequest, init?: Init) => post(JSON.stringify(request), init) };
}

/** Waits until `check` holds, 15 s at most unless told. */
export async function until(check: () => boolean | Promise<boolean>, maxMs = 15_000): Promise<void> {
  const giveUpAt = performance.now() + maxMs;
  while (performance.now() < giveUpAt) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("it never came about");
}
