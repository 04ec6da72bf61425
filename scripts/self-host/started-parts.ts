/** The parts that a start has brought up so far, and the order in which they are stopped, whatever state they are in. */
import { setTimeout as sleep } from "node:timers/promises";
import type { PlannedChild } from "./child-plans.ts";
import type { Relay } from "./relay/relay.ts";
import type { RunRecord } from "./run-record.ts";
import { StartError } from "./settings.ts";
import type { Lock } from "./sqld-lock.ts";
import { type SupervisedChild, superviseChild } from "./supervised-child.ts";

/** Below the 10 s that docs/operating.md promises. */
const stopLimitMs = 9_000;
/** How long running requests may take to end by themselves. Then their callers are cut off. */
const drainMs = 4_000;
/** How long the edge lives on to settle those: a request that is killed with its edge holds credit until the sweep. */
const settleMs = 700;

export class Parts {
  relay: Relay | undefined;
  databaseLock: Lock | undefined;
  record: RunRecord | undefined;
  stopSchedule: () => void = () => undefined;
  readonly #log: (line: string) => void;
  readonly #children = new Map<string, SupervisedChild>();
  #stopped: Promise<void> | undefined;

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  /** Resolves when the child is ready for the first time. @throws StartError if it never is */
  async add(plan: PlannedChild): Promise<void> {
    if (this.#stopped !== undefined) throw new StartError("stopped while starting.");
    const child = superviseChild({
      ...plan,
      log: (line) => this.#log(`${plan.name} ${line}`),
      onChange: (pid) => this.record?.setChild(plan.name, pid),
    });
    this.#children.set(plan.name, child);
    await child.started.catch((error: Error) => {
      throw new StartError(`${plan.name} did not start: ${error.message}; its own lines above say why.`);
    });
  }

  /** Stops every child within 10 s, the edge first, so that it can settle running requests. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const lastResort = setTimeout(() => this.killNow(), stopLimitMs);
    this.stopSchedule();
    this.relay?.stopAccepting();
    const release = await this.relay?.keepTarget();
    await Promise.all([this.#children.get("edge")?.stop(), this.#drain().then(release)]);
    await Promise.all([this.relay?.close(), ...[...this.#children.values()].map((child) => child.stop())]);
    // If the disk takes no writes the lock file stays; the next start finds that its processes are gone.
    await this.databaseLock?.free().catch(() => undefined);
    await this.record?.remove().catch(() => undefined);
    clearTimeout(lastResort);
  }

  async #drain(): Promise<void> {
    if (this.relay === undefined) return;
    const deadline = performance.now() + drainMs;
    while (this.relay.connections() > 0 && performance.now() < deadline) await sleep(25);
    await this.relay.close();
    await sleep(settleMs);
  }

  /** Kills every child without waiting, when the supervisor itself has to end at once. */
  killNow(): void {
    for (const child of this.#children.values()) child.killNow();
  }
}
