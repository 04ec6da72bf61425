/**
 * Turns at work that blocks others: of one owner only so many pieces are done at once, and the rest waits, so that whoever shares the
 * isolate's thread or the database comes between them. Waiters poll (poll.ts).
 */
import { type Clock, isWaiting, poll } from "./poll.ts";

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

type Waiter = { polledAt: number };
type Queue = { running: Set<{ until: number }>; waiting: Waiter[] };

export function createTurns(): Turns {
  const queues = new Map<string, Queue>();

  /** An idle queue is forgotten, and another may have taken its name since. */
  const forgetIdle = (name: string, queue: Queue) => {
    const isIdle = queue.running.size === 0 && queue.waiting.length === 0;
    if (isIdle && queues.get(name) === queue) queues.delete(name);
  };

  /** A turn if it is this waiter's; else it keeps its place among those that wait. */
  const tryTake = (wanted: WantedTurn, waiter: Waiter, now: number): Turn | undefined => {
    const { name, atOnce, lastsMs } = wanted;
    const queue = queues.get(name) ?? { running: new Set(), waiting: [] };
    queues.set(name, queue);
    waiter.polledAt = now;
    if (!queue.waiting.includes(waiter)) queue.waiting.push(waiter);
    queue.waiting = queue.waiting.filter((other) => isWaiting(other, now));
    for (const turn of queue.running) if (turn.until <= now) queue.running.delete(turn);
    if (queue.waiting[0] !== waiter || queue.running.size >= atOnce) return undefined;
    queue.waiting.shift();
    const turn = { until: now + lastsMs };
    queue.running.add(turn);
    const end = () => {
      queue.running.delete(turn);
      forgetIdle(name, queue);
    };
    return { end };
  };

  const leave = (name: string, waiter: Waiter) => {
    const queue = queues.get(name);
    if (queue === undefined) return;
    queue.waiting = queue.waiting.filter((other) => other !== waiter);
    forgetIdle(name, queue);
  };

  return {
    async take(wanted, patienceMs, clock) {
      const waiter = { polledAt: clock.now() };
      const turn = await poll((now) => tryTake(wanted, waiter, now), patienceMs, clock);
      if (turn === undefined) leave(wanted.name, waiter);
      return turn;
    },
  };
}
