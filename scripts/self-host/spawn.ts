/**
 * Spawns children: in their own process group, so that Ctrl-C reaches only the supervisor and they can be stopped in order;
 * killed by the kernel if the supervisor is killed; without secrets that they do not need; with every line of their output
 * prefixed in the log. Also waits until one is ready: by a line of its output, or by its /health.
 */
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { edgeVariableNames } from "./edge-variables.ts";
import type { Environment } from "./settings.ts";

const onlyForEdge: ReadonlySet<string> = new Set(edgeVariableNames);

/** The environment for children other than the edge: without the variables that only the edge reads, which include its secrets. */
export function withoutEdgeVariables(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !onlyForEdge.has(name)));
}

export type SpawnOptions = {
  name: string;
  command: string;
  arguments: string[];
  env: Environment;
  stdio: StdioOptions;
  /** Called with each line of the child's stdout and stderr, prefixed with its name. */
  log: (line: string) => void;
};

/** util-linux: asks the kernel for the signal, then becomes the command (same pid). Not installed everywhere. */
const setpriv = ["/usr/bin/setpriv", "/bin/setpriv"].find((path) => existsSync(path));

export function spawnChild(options: SpawnOptions): ChildProcess {
  const [command, ...rest] = [
    ...(setpriv === undefined ? [] : [setpriv, "--pdeathsig", "TERM"]),
    options.command,
    ...options.arguments,
  ];
  const child = spawn(command!, rest, { env: { ...options.env }, stdio: options.stdio, detached: true });
  for (const stream of [child.stdout, child.stderr]) {
    // Node leaves them undefined where the process has no descriptor left for them.
    if (stream == null) continue;
    createInterface({ input: stream }).on("line", (line) => {
      // Removes the colours of a library that takes the pipe for a terminal.
      const plain = stripVTControlCharacters(line).trimEnd();
      if (plain !== "") options.log(`[${options.name}] ${plain}`);
    });
  }
  return child;
}

/**
 * Waits for the line of `stream` that matches and gives its first group.
 * @throws after `timeoutMs`
 */
export function untilLine(stream: Readable, pattern: RegExp, timeoutMs: number): Promise<string> {
  return new Promise((found, failed) => {
    const timer = setTimeout(
      () => failed(new Error(`it did not report ready within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    const lines = createInterface({ input: stream });
    lines.on("line", (line) => {
      const match = pattern.exec(line);
      if (match === null) return;
      clearTimeout(timer);
      found(match[1] ?? "");
    });
    lines.once("close", () => clearTimeout(timer));
  });
}

/** Polls until the answer is 2xx. @throws after `timeoutMs`, or once `hasEnded` says that nobody will answer */
export async function untilHealthy(url: string, timeoutMs: number, hasEnded = () => false): Promise<void> {
  // Not Date.now(): after a boot the clock may be set, by years where the machine has no battery for it.
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
    if (hasEnded() || performance.now() >= deadline) {
      throw new Error(
        `it did not answer within ${timeoutMs / 1000} s${response ? ` (last status ${response.status})` : ""}`,
      );
    }
    await sleep(25);
  }
}
