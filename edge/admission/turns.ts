/**
 * Turns at work that blocks others: of one owner only so many pieces are done at once, and the rest waits, so that whoever shares the
 * isolate's thread or the database comes between them. Each waiter polls by its own timer, since on Workers one request must not wake another;
 * one that stops polling (its client left) loses its place.
 */
import type { Clock } from "./memory-budget.ts";

export type Turn = {
  /** Gives the turn back. May be called again. */
  end(): void;
};

/** `name`: whose work of which kind. `lastsMs`: a turn that nobody ends (the runtime stopped its request) ends by then. */
export type WantedTurn = { name: string; atOnce: number; lastsMs: number };

export type Turns = {
  /** Resolves with undefined when none was free within `patienceMs`. Whoever has waited longest is next. */
  take(wanted: WantedTurn, patienceMs: number, clock: Clock): Promise<Turn | undefined>;
};

const pollEveryMs = 15;
/** A waiter that has not polled for this long has left. */
const goneAfterMs = 2_000;

type Queue = { running: Set<{ until: number }>; waiting: { polledAt: number }[] };

export function createTurns(): Turns {
  const queues = new Map<string, Queue>();

  const forgetIdle = (name: string, { running, waiting }: Queue) => {
    if (running.size === 0 && waiting.length === 0) queues.delete(name);
  };

  return {
    async take({ name, atOnce, lastsMs }, patienceMs, { now, sleep }) {
      const waiter = { polledAt: now() };
      const giveUpAt = now() + patienceMs;
      for (;;) {
        // Looked up anew: it is forgotten while nobody runs or waits.
        const queue = queues.get(name) ?? { running: new Set(), waiting: [] };
        queues.set(name, queue);
        waiter.polledAt = now();
        if (!queue.waiting.includes(waiter)) queue.waiting.push(waiter);
        queue.waiting = queue.waiting.filter(({ polledAt }) => now() - polledAt < goneAfterMs);
        for (const turn of queue.running) if (turn.until <= now()) queue.running.delete(turn);
        const isNext = queue.waiting[0] === waiter && queue.running.size < atOnce;
        if (isNext || now() >= giveUpAt) queue.waiting = queue.waiting.filter((other) => other !== waiter);
        if (isNext) {
          const turn = { until: now() + lastsMs };
          queue.running.add(turn);
          return {
            end: () => {
              queue.running.delete(turn);
              forgetIdle(name, queue);
            },
          };
        }
        if (now() >= giveUpAt) {
          forgetIdle(name, queue);
          return undefined;
        }
        await sleep(pollEveryMs);
      }
    },
  };
}
