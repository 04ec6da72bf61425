/**
 * The whole service as a child process on free ports and a DATA_DIR of its own, for tests that look at it
 * from outside. Stops with the test run, also when that is killed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startNodeFlags } from "../../scripts/self-host/node-flags.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export type ChildName = "edge" | "sqld" | "gpu-worker" | "offline";

export type ServiceOptions = {
  /** Beside PATH and HOME the only variables of the service; ports default to 0. */
  env?: Record<string, string>;
  /** Kept by `stop`; default: a temporary one that `stop` removes. */
  dataDir?: string;
  /** `npm`: exactly what a user types. Default `node`: the same script without npm around it. */
  by?: "node" | "npm";
  /** Until the ready line (60 s). */
  readyMs?: number;
};

export type TestService = {
  url: string;
  /** The demo account's API key, with 10 credits on a fresh DATA_DIR. */
  demoKey: string;
  dataDir: string;
  /** What it runs with: hand it to `npm run admin` to talk to the same database. */
  env: Record<string, string>;
  /** npm itself with `by: "npm"`. */
  process: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Process id of a child in its present life, or of the supervisor, which is the relay too. */
  pidOf(name: ChildName | "supervisor"): Promise<number | undefined>;
  /** Address and token of the database. */
  readLibsql(): Promise<{ url: string; authToken: string }>;
  /** Sends one child a signal (SIGKILL); the service is to start it again. */
  kill(name: ChildName, signal?: NodeJS.Signals): Promise<void>;
  /** SIGTERM and wait; the temporary DATA_DIR goes too. Safe to call twice. */
  stop(): Promise<void>;
};

/** The service ends within 10 s by itself; the rest is for a machine that stands still meanwhile. */
const stopMs = 30_000;

/** @throws Error with everything the service wrote when it does not become ready */
export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "svc-test-")));
  const removeData = () =>
    options.dataDir === undefined ? rm(dataDir, { recursive: true, force: true }) : Promise.resolve();
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    PORT: "0",
    WORKER_PORT: "0",
    DB_PORT: "0",
    DATA_DIR: dataDir,
    ...options.env,
  };
  const child = spawnService(env, options.by);
  const written = { stdout: "", stderr: "" };
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    written.stderr += text;
  });
  const url = await untilReady(child, written, options.readyMs ?? 60_000).catch(async (error) => {
    await stopProcess(child);
    await removeData();
    throw error;
  });
  const readRun = async () => JSON.parse(await readFile(join(dataDir, "run.json"), "utf8"));
  const supervisor: number = (await readRun()).pid;
  const pidOf = async (name: ChildName | "supervisor") => {
    const run = await readRun();
    if (name === "supervisor") return run.pid;
    return run.children.find((entry: { name: string; pid: number }) => entry.name === name)?.pid;
  };
  return {
    url,
    demoKey: (await readFile(join(dataDir, "demo-key"), "utf8").catch(() => "")).trim(),
    dataDir,
    env,
    process: child,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    pidOf,
    readLibsql: async () => {
      const { libsqlUrl, libsqlAuthToken } = await readRun();
      // A database outside is not in the record.
      return { url: libsqlUrl ?? env.LIBSQL_URL, authToken: libsqlAuthToken };
    },
    kill: async (name, signal = "SIGKILL") => {
      const pid = await pidOf(name);
      if (pid === undefined) throw new Error(`${name} is not running`);
      process.kill(pid, signal);
    },
    stop: async () => {
      await stopProcess(child);
      // npm leaves before what it started.
      await untilGone(supervisor);
      await removeData();
    },
  };
}

function spawnService(env: Record<string, string>, by: ServiceOptions["by"]): ChildProcess {
  const [command, args]: [string, string[]] =
    by === "npm" ? ["npm", ["start"]] : [process.execPath, [...startNodeFlags, "scripts/start.ts"]];
  return spawn(command, args, {
    cwd: root,
    // As under npm: the service ends when the process that started it does.
    env: { ...env, ...(by !== "npm" && { npm_lifecycle_event: "start" }) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
}

function untilReady(
  child: ChildProcess,
  written: { stdout: string; stderr: string },
  readyMs: number,
): Promise<string> {
  return new Promise((ready, failed) => {
    const fail = (reason: string) =>
      failed(
        new Error(`the service ${reason}\n--- stdout\n${written.stdout}\n--- stderr\n${written.stderr}`),
      );
    const timer = setTimeout(() => fail(`was not ready within ${readyMs} ms`), readyMs);
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      written.stdout += text;
      const url = /^ready (\S+)$/m.exec(written.stdout)?.[1];
      if (url !== undefined) {
        clearTimeout(timer);
        ready(url);
      }
    });
    child.once("error", (error) => fail(`could not be spawned: ${error.message}`));
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      fail(`ended (${signal ?? `code ${code}`}) before it was ready`);
    });
  });
}

/** Resolves when there is no such process; rejects after `stopMs`. */
export async function untilGone(pid: number): Promise<void> {
  for (const deadline = Date.now() + stopMs; isAlive(pid); await sleep(25)) {
    if (Date.now() > deadline) throw new Error(`process ${pid} is still there`);
  }
}

/** An orphan that has ended but that init has not yet collected (state Z) is not alive. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, "exit");
  const kill = setTimeout(() => child.kill("SIGKILL"), stopMs);
  child.kill("SIGTERM");
  await exited;
  clearTimeout(kill);
}
