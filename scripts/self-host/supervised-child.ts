/**
 * One child process that has to be there: started, started again with growing pauses when it dies,
 * stopped on request. What the child is and when it serves is the business of its plan.
 */
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

const firstPauseMs = 50;
const maxPauseMs = 5_000;
/** A child that lived this long starts its next life with the short pause again. */
const stableMs = 10_000;

export type ChildPlan = {
  name: string;
  /** Called again, unchanged, for every life. */
  spawn: () => ChildProcess;
  /** Resolves when the child serves; rejects when it never will. */
  ready: (child: ChildProcess) => Promise<void>;
  /** Between SIGTERM and SIGKILL. */
  stopGraceMs: number;
  log: (line: string) => void;
  /** After every start and every death. */
  onChange: (pid: number | undefined) => void;
};

export type SupervisedChild = {
  /** Settles with the first life: a service that cannot start says so instead of trying for ever. */
  readonly started: Promise<void>;
  /** No further life; resolves when the process is gone. */
  stop(): Promise<void>;
  /** For the last moment of the supervisor itself: no waiting. */
  killNow(): void;
};

export function superviseChild(plan: ChildPlan): SupervisedChild {
  const stopping = new AbortController();
  const started = Promise.withResolvers<void>();
  started.promise.catch(() => undefined);
  let current: ChildProcess | undefined;

  /** One life. @returns why the child could not serve, or undefined when it did until it ended */
  const live = async (onReady: () => void): Promise<Error | undefined> => {
    const child = plan.spawn();
    current = child;
    const exited = exitOf(child);
    plan.onChange(child.pid);
    try {
      await Promise.race([
        plan.ready(child),
        exited.then((reason) => Promise.reject(new Error(`it ended before it was ready (${reason})`))),
      ]);
      // Once more: by now it has become the command that is recorded.
      plan.onChange(child.pid);
      onReady();
      const reason = await exited;
      if (!stopping.signal.aborted) plan.log(`ended (${reason}); starting it again`);
      return undefined;
    } catch (error) {
      child.kill("SIGKILL");
      await exited;
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      current = undefined;
      plan.onChange(undefined);
    }
  };

  const run = async () => {
    let pauseMs = firstPauseMs;
    let lives = 0;
    while (!stopping.signal.aborted) {
      const bornAt = Date.now();
      const failure = await live(() => {
        if (lives++ > 0) plan.log("is back");
        started.resolve();
      });
      if (failure !== undefined && lives === 0) return started.reject(failure);
      if (failure !== undefined) plan.log(`did not start: ${failure.message}`);
      if (Date.now() - bornAt >= stableMs) pauseMs = firstPauseMs;
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

/** SIGTERM, then SIGKILL after `graceMs`. */
async function stopChild(child: ChildProcess, graceMs: number): Promise<void> {
  const exited = exitOf(child);
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
  await exited;
  clearTimeout(timer);
}

/** In words: "code 1", "SIGTERM", or why it could not even be spawned. */
function exitOf(child: ChildProcess): Promise<string> {
  if (child.exitCode !== null || child.signalCode !== null)
    return Promise.resolve(describeExit(child.exitCode, child.signalCode));
  return new Promise((done) => {
    child.once("exit", (code, signal) => done(describeExit(code, signal)));
    child.once("error", (error) => done(error.message));
  });
}

/** Whom the kernel ends for memory has no last words, and our own SIGKILL is never told: it follows a reason of ours. */
function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === "SIGKILL") return "SIGKILL, as the system does when memory runs out";
  return signal ?? `code ${code}`;
}
