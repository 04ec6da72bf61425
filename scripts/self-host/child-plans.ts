/** The plans of the four child processes: command, environment, and when each is ready. */
import type { ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { workerNodeFlags, workerVariables } from "../../gpu-worker/node-flags.ts";
import { findBinary } from "./binaries.ts";
import type { DatabaseKey } from "./database-key.ts";
import type { EdgeVariables } from "./edge-variables.ts";
import type { Environment } from "./settings.ts";
import { spawnChild, untilLine, withoutEdgeVariables } from "./spawn.ts";
import { spawnSqld, untilAnswers } from "./sqld.ts";
import type { Lock } from "./sqld-lock.ts";
import type { ChildPlan } from "./supervised-child.ts";

export type PlannedChild = Omit<ChildPlan, "onChange" | "log">;
type Log = (line: string) => void;
/** What every child of ours is started from. `root`: the checkout. */
type ChildContext = { root: string; env: Environment; log: Log };

/** sqld in `directory`, on loopback only. The lock of the directory names each process that runs it. */
export function planDatabase(
  { port, directory, key, lock }: { port: number; directory: string; key: DatabaseKey; lock: Lock },
  { env, log }: Omit<ChildContext, "root">,
): PlannedChild {
  return {
    name: "sqld",
    stopGraceMs: 3_000,
    spawn: () => spawnSqld({ directory, port, key, env: withoutEdgeVariables(env), log }),
    ready: async (child) => {
      if (child.pid !== undefined) await lock.nameServer(child.pid);
      await untilAnswers(child, { port, directory }, log);
    },
  };
}

/**
 * Planning threads: one core is left to edge, database and relay. On two cores a second thread takes half of each batch, and a
 * plan alone costs twice the CPU time of one in a batch of four: a request then takes 15 % more, the gpu-worker 120 MiB more
 * (docs/performance/history.md, "Plans: CPU time").
 */
const plannerThreads = Math.min(4, Math.max(1, availableParallelism() - 1));

/** The gpu-worker. Loading a checkpoint is the slowest part of a start. */
export const planGpuWorker = (port: number, publicKeys: string, context: ChildContext): PlannedChild =>
  planNodeChild(context, {
    name: "gpu-worker",
    flags: workerNodeFlags,
    script: "gpu-worker/main.ts",
    readyMs: 120_000,
    defaults: { ...workerVariables, WORKER_THREADS: String(plannerThreads) },
    variables: {
      WORKER_PORT: String(port),
      EDGE_PUBLIC_KEYS: publicKeys,
      // An operator may have set these for a worker elsewhere. Here the edge calls 127.0.0.1, and signs for the default audience.
      WORKER_HOST: "127.0.0.1",
      WORKER_AUDIENCE: undefined,
    },
  });

export const planOfflineResponder = (port: number, context: ChildContext): PlannedChild =>
  planNodeChild(context, {
    name: "offline",
    script: "scripts/self-host/offline-responder/offline-responder.ts",
    readyMs: 10_000,
    variables: { OFFLINE_PORT: String(port) },
  });

/** The edge. workerd gets another port each time it starts, and reports it to `onPort`. */
export function planEdge(
  config: string,
  variables: EdgeVariables,
  log: Log,
  onPort: (port: number | undefined) => void,
): PlannedChild {
  return {
    name: "edge",
    // SIGTERM lets running requests finish. A stream may take longer than an operator waits: started-parts.ts cuts it off after 4 s, and it settles.
    stopGraceMs: 5_000,
    spawn: () => {
      onPort(undefined);
      return spawnChild({
        name: "edge",
        command: findBinary("workerd"),
        arguments: ["serve", config, "--socket-addr", "http=127.0.0.1:0", "--control-fd=3"],
        env: { ...variables, TZ: "UTC" },
        stdio: ["ignore", "pipe", "pipe", "pipe"],
        log,
      });
    },
    ready: async (child) => {
      onPort(Number(await untilLine(child.stdio[3] as Readable, /"socket":"http","port":(\d+)/, 15_000)));
    },
  };
}

type NodeChild = {
  name: string;
  /** Path from the root. */
  script: string;
  flags?: readonly string[];
  readyMs: number;
  /** Variables that the operator's environment overrides. */
  defaults?: Environment;
  /** Variables that override it. */
  variables: Environment;
};

/** Where Node keeps scripts with their types stripped, and compiled: it makes the folder, or does without. */
const compiled = (root: string): Environment => ({
  NODE_COMPILE_CACHE: join(root, "node_modules/.cache/svc-compiled"),
});

/** A script of ours: prints `listening URL` when it is ready, and ends when its stdin does. */
function planNodeChild({ root, env, log }: ChildContext, child: NodeChild): PlannedChild {
  const { name, script, flags = [], readyMs, defaults, variables } = child;
  return {
    name,
    stopGraceMs: 4_000,
    spawn: () =>
      spawnChild({
        name,
        command: process.execPath,
        arguments: [...flags, join(root, script)],
        env: { ...compiled(root), ...defaults, ...withoutEdgeVariables(env), ...variables, SUPERVISED: "1" },
        stdio: ["pipe", "pipe", "pipe"],
        log,
      }),
    ready: async ({ stdout }: ChildProcess) => {
      await untilLine(stdout as Readable, /^listening (\S+)/, readyMs);
    },
  };
}
