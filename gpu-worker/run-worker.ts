/**
 * One worker process from its environment to its exit: load, listen, drain. `main.ts` runs it with the
 * real planner.
 */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { findMisspelt } from "../shared/misspelt.ts";
import { createReplayGuard } from "../shared/replay-guard.ts";
import { createVerifier, type Verifier } from "../shared/signature.ts";
import { createApp } from "./app.ts";
import { hashBody } from "./body-reader.ts";
import { readConfig, type WorkerConfig, workerVariableNames } from "./config.ts";
import { watchHeap } from "./garbage.ts";
import { createLog } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { loadServices, type SizeService } from "./size-service.ts";

/** Longest time of a drain, below the 10 s that Docker waits. `npm start` kills the worker after 4 s: its edge has ended by then. */
const drainTimeoutMs = 8_000;
/** Time left for answers to reach their sockets when all work is done. */
const flushMs = 250;

export type RunOptions = {
  process: NodeJS.Process;
  /** URL of a module that exports `loadPlanner`, instead of the real one. */
  plannerModule?: string;
};

/** Resolves when the worker listens; the process ends by itself on SIGTERM, SIGINT or a bad start. */
export async function runWorker({ process, plannerModule }: RunOptions): Promise<void> {
  // The reader of our log may end before us: without listeners the next line would end this process.
  process.stdout.on("error", () => undefined);
  process.stderr.on("error", () => undefined);
  const log = createLog((line) => process.stderr.write(line), Date.now);
  const fail = (message: string): never => {
    log("error", "cannot start", { message });
    return process.exit(1);
  };
  const read = readConfig(process.env);
  if (!read.ok) return fail(read.message);
  const { config } = read;
  // Under a supervisor, that has warned already, for all parts.
  const misspelt = config.supervised ? [] : findMisspelt(process.env, workerVariableNames);
  for (const message of misspelt) log("warn", "unknown variable", { message });

  const metrics = createMetrics();
  const services = await loadServices(config, metrics, log, plannerModule).catch((error: Error) =>
    fail(`gpu-worker cannot start. ${error.message}`),
  );
  const verifier = await openVerifier(config).catch((error: Error) =>
    fail(`gpu-worker cannot start. ${error.message}`),
  );
  const draining = new AbortController();
  const server = createApp({ verifier, services, metrics, log, now: Date.now, draining: draining.signal });
  server.listen(config.port, config.host);
  await once(server, "listening").catch((error: Error) =>
    fail(
      `gpu-worker cannot listen on ${config.host}:${config.port}. ${error.message}. Set WORKER_PORT or WORKER_HOST.`,
    ),
  );

  const stop = async (reason: string) => {
    if (draining.signal.aborted) return;
    draining.abort();
    log("info", "draining", { reason });
    setTimeout(() => process.exit(0), drainTimeoutMs);
    await drain(server, [...services.values()]);
    log("info", "stopped");
    process.exit(0);
  };
  process.on("SIGTERM", () => void stop("SIGTERM"));
  process.on("SIGINT", () => void stop("SIGINT"));
  if (config.supervised) {
    process.stdin.on("end", () => void stop("supervisor-left"));
    process.stdin.on("close", () => void stop("supervisor-left"));
    process.stdin.resume();
  }

  watchHeap();
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  process.stdout.write(`listening http://${host}:${port}\n`);
}

/** @throws Error, a sentence for the operator, for an invalid key */
export const openVerifier = ({ publicKeys, audience }: WorkerConfig): Promise<Verifier> =>
  createVerifier({ jwks: publicKeys, audience, replay: createReplayGuard(), hashBody }).catch(() => {
    throw new Error("EDGE_PUBLIC_KEYS holds a key that is not a valid Ed25519 key.");
  });

/** Stops accepting, lets queued work finish and its answers be sent, then closes the planners. */
async function drain(server: Server, services: readonly SizeService[]): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  await Promise.all(services.map((service) => service.whenIdle()));
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, flushMs))]);
  server.closeAllConnections();
  await Promise.all(services.map((service) => service.close()));
}
