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

/** Starts the child, and again whenever it ends, until it is stopped. */
export const superviseChild = (plan: ChildPlan): SupervisedChild => new Supervision(plan);

class Supervision implements SupervisedChild {
  readonly #plan: ChildPlan;
  readonly #stopping = new AbortController();
  readonly #started = Promise.withResolvers<void>();
  readonly #ended: Promise<void>;
  #current: ChildProcess | undefined;

  constructor(plan: ChildPlan) {
    this.#plan = plan;
    this.#started.promise.catch(() => undefined);
    this.#ended = this.#run();
  }

  get started(): Promise<void> {
    return this.#started.promise;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#current !== undefined) await stopChild(this.#current, this.#plan.stopGraceMs);
    await this.#ended;
  }

  killNow(): void {
    this.#current?.kill("SIGKILL");
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let pauseMs = firstPauseMs;
    let lives = 0;
    while (!signal.aborted) {
      const bornAt = performance.now();
      const failure = await this.#live(() => {
        if (lives++ > 0) this.#plan.log("is back");
        this.#started.resolve();
      });
      if (failure !== undefined && lives === 0) return this.#started.reject(failure);
      if (failure !== undefined) this.#plan.log(`did not start: ${failure.message}`);
      if (performance.now() - bornAt >= stableMs) pauseMs = firstPauseMs;
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, maxPauseMs);
    }
  }

  /** One run of the child, to its end. @returns why it never became ready; undefined if it did */
  async #live(onReady: () => void): Promise<Error | undefined> {
    const { spawn, ready, onChange, log } = this.#plan;
    let child: ChildProcess;
    try {
      child = spawn();
    } catch (error) {
      // Its binary is gone while node_modules is being replaced; it is tried again.
      return toError(error);
    }
    this.#current = child;
    const exited = exitOf(child);
    onChange(child.pid);
    try {
      await Promise.race([
        ready(child),
        exited.then((reason) => Promise.reject(new Error(`it ended before it was ready (${reason})`))),
      ]);
      // Recorded again: by now the process has become the command itself (see setpriv in spawn.ts).
      onChange(child.pid);
      onReady();
      const reason = await exited;
      if (!this.#stopping.signal.aborted) log(`ended (${reason}); starting it again`);
      return undefined;
    } catch (error) {
      child.kill("SIGKILL");
      await exited;
      return toError(error);
    } finally {
      this.#current = undefined;
      onChange(undefined);
    }
  }
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
