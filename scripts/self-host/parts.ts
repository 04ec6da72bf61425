/** What a start has brought up so far, and the order in which it is taken down, in whatever state it is. */

import type { PlannedChild } from "./children.ts";
import type { Relay } from "./relay.ts";
import type { RunRecord } from "./run-record.ts";
import { StartError } from "./settings.ts";
import type { Lock } from "./sqld-lock.ts";
import { type SupervisedChild, superviseChild } from "./supervised-child.ts";

/** An operator was promised 10 s. */
const stopLimitMs = 9_000;
/** After this what still runs is cut off, so that the edge, which has another second, settles it: killed with its edge it would hold credit until the sweep. */
const drainMs = 4_000;

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

  /** Resolves when the child serves for the first time. @throws StartError when it does not */
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

  /** Ends every child, the edge first so that it can settle what is under way. Within 10 s. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const lastResort = setTimeout(() => this.killNow(), stopLimitMs);
    this.stopSchedule();
    this.relay?.stopAccepting();
    const cut = setTimeout(() => void this.relay?.close(), drainMs);
    await this.#children.get("edge")?.stop();
    clearTimeout(cut);
    await Promise.all([this.relay?.close(), ...[...this.#children.values()].map((child) => child.stop())]);
    // On a disk that takes no writes any more they stay; the next start finds their process gone.
    await this.databaseLock?.free().catch(() => undefined);
    await this.record?.remove().catch(() => undefined);
    clearTimeout(lastResort);
  }

  /** Kills every child without waiting: for the supervisor's own last moment. */
  killNow(): void {
    for (const child of this.#children.values()) child.killNow();
  }
}
