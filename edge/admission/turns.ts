/**
 * Turns at work that blocks others: of one owner only so many pieces are done at once, and the rest waits, so that whoever shares the
 * isolate's thread or the database comes between them. Each waiter polls by its own timer, since on Workers one request must not wake another.
 */
import type { Clock } from "./memory-budget.ts";

export type Turn = {
  /** Gives the turn back. May be called again. */
  end(): void;
};

/** `name`: whose work of which kind. `lastsMs`: a turn that nobody ends (the runtime stopped its request) ends by then. */
export type WantedTurn = { name: string; atOnce: number; lastsMs: number };

export type Turns = {
  /** Resolves with undefined when none was free within `patienceMs`. */
  take(wanted: WantedTurn, patienceMs: number, clock: Clock): Promise<Turn | undefined>;
};

/** The longer one waits, the longer the pauses: many waiters would else keep the thread busy with asking. */
const pauses = { firstMs: 5, growth: 1.5, mostMs: 60 };

export function createTurns(): Turns {
  const taken = new Map<string, Set<{ until: number }>>();

  const tryTake = ({ name, atOnce, lastsMs }: WantedTurn, now: number): Turn | undefined => {
    const own = taken.get(name) ?? new Set();
    for (const turn of own) if (turn.until <= now) own.delete(turn);
    if (own.size >= atOnce) return undefined;
    const turn = { until: now + lastsMs };
    taken.set(name, own.add(turn));
    const end = () => {
      own.delete(turn);
      if (own.size === 0 && taken.get(name) === own) taken.delete(name);
    };
    return { end };
  };

  return {
    async take(wanted, patienceMs, { now, sleep }) {
      const giveUpAt = now() + patienceMs;
      let pauseMs = pauses.firstMs;
      for (;;) {
        const turn = tryTake(wanted, now());
        if (turn !== undefined || now() >= giveUpAt) return turn;
        await sleep(pauseMs);
        pauseMs = Math.min(pauseMs * pauses.growth, pauses.mostMs);
      }
    },
  };
}
