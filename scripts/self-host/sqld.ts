/**
 * The embedded database: one sqld process on one directory. sqld itself lets two processes open the same
 * directory, which would lose writes, so a lock file beside its data names who runs it.
 */
import type { ChildProcess } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { findBinary } from "./binaries.ts";
import type { DatabaseKey } from "./database-key.ts";
import { settlePort } from "./ports.ts";
import type { Environment } from "./settings.ts";
import { spawnChild, untilHealthy } from "./spawn.ts";
import { acquireLock } from "./sqld-lock.ts";

export type Sqld = {
  url: string;
  port: number;
  process: ChildProcess;
  /** Stops the process (SIGKILL after `stopGraceMs`) and frees the directory. May be called twice. */
  stop(): Promise<void>;
};

export type SqldOptions = {
  directory: string;
  /** Loopback port; 0 picks a free one. */
  port: number;
  /** Without it sqld answers anybody on this machine; with it only requests with its token. */
  key?: DatabaseKey;
  /** How long to wait until another process frees the directory (5 s). */
  lockTimeoutMs?: number;
};

/**
 * sqld's arguments for a directory and a loopback port. sqld may open three connections: one for the writes of the edge's requests
 * (edge/db/shared-stream.ts), and two that everything else takes in turn. A killed edge holds one of the two for ten seconds more. With
 * more connections their writers block each other in sqld 0.24: with seven, requests were never answered. A request that waits for
 * over 1 s gets a 429, which edge/db/client.ts retries.
 */
function sqldArguments(directory: string, port: number): string[] {
  const address = ["--http-listen-addr", `127.0.0.1:${port}`];
  const limits = ["--max-concurrent-connections", "3", "--max-concurrent-requests", "1024"];
  return ["--no-welcome", "--disable-metrics", "-d", directory, ...address, ...limits];
}

/**
 * One thread for sockets: only three connections work at once, so a second thread would only add wake-ups (docs/performance/history.md,
 * "The database"). One arena for all threads: glibc gives each of sqld's own one, which keeps what a statement freed.
 */
const sqldEnvironment = (key: DatabaseKey | undefined): Record<string, string> => ({
  RUST_LOG: "error",
  TOKIO_WORKER_THREADS: "1",
  MALLOC_ARENA_MAX: "1",
  ...(key && { SQLD_AUTH_JWT_KEY: key.publicKey }),
});

/**
 * Deletes sqld's own log (`wallog`, for replicas) after an end by force, of which its `.sentinel` tells: sqld then writes it anew from
 * the database in any case, but reads the old one first. After a power cut the log's head may name frames that never reached the disk,
 * and sqld would never start again.
 */
function discardTornLog(directory: string): void {
  const data = join(directory, "dbs/default");
  if (existsSync(join(data, ".sentinel"))) rmSync(join(data, "wallog"), { force: true });
}

type SqldProcess = Pick<SqldOptions, "directory" | "port" | "key"> & {
  /** Variables beside those that sqld itself reads. */
  env?: Environment;
  /** Called with each line of its output; without it the output is dropped. */
  log?: (line: string) => void;
};

/** Starts the process; `untilAnswers` says when it can be used. */
export function spawnSqld({ directory, port, key, env, log }: SqldProcess): ChildProcess {
  discardTornLog(directory);
  const output = log === undefined ? "ignore" : "pipe";
  return spawnChild({
    name: "sqld",
    command: findBinary("sqld"),
    arguments: sqldArguments(directory, port),
    env: { ...env, ...sqldEnvironment(key) },
    stdio: ["ignore", output, output],
    log: log ?? (() => {}),
  });
}

const startTimeoutMs = 10_000;
const stopGraceMs = 5_000;
/** 30 were measured with ten busy programs on two cores. */
const slowestRebuildMibPerSecond = 2;

/**
 * How long sqld may take until it answers. After an end by force, and with a restored file, it first writes its log anew from the
 * whole database, a second for each 30 to 200 MiB. If it is killed meanwhile it begins again, so a limit that fits no large
 * database would keep it from ever serving.
 */
export async function startLimitMs(directory: string): Promise<number> {
  const data = await stat(join(directory, "dbs/default/data")).catch(() => undefined);
  const mib = (data?.size ?? 0) / (1024 * 1024);
  return startTimeoutMs + (mib / slowestRebuildMibPerSecond) * 1_000;
}

/** Resolves when sqld answers; tells `log` why that takes longer than usual. @throws after `startLimitMs`, or when sqld has ended */
export async function untilAnswers(
  child: ChildProcess,
  { port, directory }: { port: number; directory: string },
  log: (line: string) => void,
): Promise<void> {
  const limitMs = await startLimitMs(directory);
  const hasEnded = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  const notice = setTimeout(() => log(`[sqld] ${rebuildNotice(limitMs)}`), startTimeoutMs);
  await untilHealthy(`http://127.0.0.1:${port}/health`, limitMs, hasEnded).finally(() =>
    clearTimeout(notice),
  );
}

const rebuildNotice = (limitMs: number) =>
  "did not end by itself last time, or was given a restored database: it reads all of it before it answers. " +
  `It is given ${Math.ceil(limitMs / 60_000)} min`;

/**
 * Starts sqld and resolves when it answers.
 * @throws DirectoryInUseError while another process runs it; Error when sqld does not start.
 */
export async function startSqld(options: SqldOptions): Promise<Sqld> {
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  const lock = await acquireLock(options.directory, options.lockTimeoutMs ?? 5000);
  try {
    const sqld = await launch(options);
    await lock.nameServer(sqld.process.pid!);
    const stopped = new Promise((resolve) => sqld.process.once("exit", resolve)).then(() => lock.free());
    return {
      ...sqld,
      stop: async () => {
        const kill = setTimeout(() => sqld.process.kill("SIGKILL"), stopGraceMs);
        sqld.process.kill("SIGTERM");
        await stopped;
        clearTimeout(kill);
      },
    };
  } catch (error) {
    await lock.free();
    throw error;
  }
}

async function launch({ directory, port: wanted, key }: SqldOptions): Promise<Omit<Sqld, "stop">> {
  // Checked before the start: a process that holds the port would answer in sqld's place.
  const port = await settlePort("DB_PORT", wanted);
  const url = `http://127.0.0.1:${port}`;
  const child = spawnSqld({ directory, port, ...(key && { key }) });
  const failed = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`it ended with code ${code} before it answered`)));
  });
  failed.catch(() => {});
  const answers = untilAnswers(child, { port, directory }, () => {});
  await Promise.race([answers, failed]).catch((error: Error) => {
    child.kill("SIGKILL");
    throw new Error(`sqld did not start: ${error.message}`);
  });
  return { url, port, process: child };
}
