/**
 * Keeps one child process running: starts it, restarts it with growing pauses when it dies, and stops it on request. Its plan
 * says what it is and when it is ready.
 */
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

const firstPauseMs = 50;
const maxPauseMs = 5_000;
/** After a child has run this long, its next restart begins with the short pause again. */
const stableMs = 10_000;

export type ChildPlan = {
  name: string;
  /** Called for each start. */
  spawn: () => ChildProcess;
  /** Resolves when the child is ready; rejects if it never will be. */
  ready: (child: ChildProcess) => Promise<void>;
  /** Time between SIGTERM and SIGKILL. */
  stopGraceMs: number;
  log: (line: string) => void;
  /** Called after every start and every death. */
  onChange: (pid: number | undefined) => void;
};

export type SupervisedChild = {
  /** Settles with the first start: if that fails, the service reports it instead of trying for ever. */
  readonly started: Promise<void>;
  /** Prevents further restarts; resolves when the process is gone. */
  stop(): Promise<void>;
  /** Kills it without waiting, when the supervisor itself has to end at once. */
  killNow(): void;
};

export function superviseChild(plan: ChildPlan): SupervisedChild {
  const stopping = new AbortController();
  const started = Promise.withResolvers<void>();
  started.promise.catch(() => undefined);
  let current: ChildProcess | undefined;

  /** One run of the child. @returns why it never became ready, or undefined if it did, when it has ended */
  const live = async (onReady: () => void): Promise<Error | undefined> => {
    let child: ChildProcess;
    try {
      child = plan.spawn();
    } catch (error) {
      // Its binary is gone while node_modules is being replaced; it is tried again.
      return toError(error);
    }
    current = child;
    const exited = exitOf(child);
    plan.onChange(child.pid);
    try {
      await Promise.race([
        plan.ready(child),
        exited.then((reason) => Promise.reject(new Error(`it ended before it was ready (${reason})`))),
      ]);
      // Recorded again: by now the process has become the command itself (see setpriv in spawn.ts).
      plan.onChange(child.pid);
      onReady();
      const reason = await exited;
      if (!stopping.signal.aborted) plan.log(`ended (${reason}); starting it again`);
      return undefined;
    } catch (error) {
      child.kill("SIGKILL");
      await exited;
      return toError(error);
    } finally {
      current = undefined;
      plan.onChange(undefined);
    }
  };

  const run = async () => {
    let pauseMs = firstPauseMs;
    let lives = 0;
    while (!stopping.signal.aborted) {
      const bornAt = performance.now();
      const failure = await live(() => {
        if (lives++ > 0) plan.log("is back");
        started.resolve();
      });
      if (failure !== undefined && lives === 0) return started.reject(failure);
      if (failure !== undefined) plan.log(`did not start: ${failure.message}`);
      if (performance.now() - bornAt >= stableMs) pauseMs = firstPauseMs;
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, maxPauseMs);
    }
  };
  const ended = run();

  return {
    started: started.promise,
    stop: async () => {
      stopping.abort();
      if (current !== undefined) await stopChild(current, plan.stopGraceMs);
      await ended;
    },
    killNow: () => void current?.kill("SIGKILL"),
  };
}

const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** SIGTERM, then SIGKILL after `graceMs`. */
async function stopChild(child: ChildProcess, graceMs: number): Promise<void> {
  const exited = exitOf(child);
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
  await exited;
  clearTimeout(timer);
}

/** In words: "code 1", "SIGTERM", or why it could not be spawned. */
function exitOf(child: ChildProcess): Promise<string> {
  if (child.exitCode !== null || child.signalCode !== null)
    return Promise.resolve(describeExit(child.exitCode, child.signalCode));
  return new Promise((done) => {
    child.once("exit", (code, signal) => done(describeExit(code, signal)));
    child.once("error", (error) => done(error.message));
  });
}

/**
 * A process that the system kills for lack of memory logs nothing itself, so the words name that cause. Our own SIGKILL is never
 * described here: its reason is logged where it is sent.
 */
function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === "SIGKILL") return "SIGKILL, as the system does when memory runs out";
  return signal ?? `code ${code}`;
}
