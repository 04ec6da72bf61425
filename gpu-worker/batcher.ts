/**
 * Natural batching without a timer: a request leaves at once when a lane is free, and requests gather
 * while all lanes are busy. First in, first out; bounded at the door; one whose caller left is dropped
 * before any work. The decisions are pure functions; the batcher below only keeps the queue.
 */
import type { QueueLimits } from "./config.ts";
import type { PlanCost } from "./plan-cost.ts";
import { Refusal } from "./refusal.ts";

/** Tokens a batch occupies once every row is padded to the longest. */
export function paddedTokens(costs: readonly PlanCost[]): number {
  let rows = 0;
  let longest = 0;
  for (const cost of costs) {
    rows += cost.rows;
    longest = Math.max(longest, cost.longest);
  }
  return rows * longest;
}

/** How many from the head of the queue leave together: as many as the budget holds, and always one. */
export function batchLength(costs: readonly PlanCost[], limits: QueueLimits): number {
  let rows = 0;
  let longest = 0;
  let length = 0;
  for (const cost of costs) {
    rows += cost.rows;
    longest = Math.max(longest, cost.longest);
    if (length > 0 && (length >= limits.maxBatchRequests || rows * longest > limits.maxBatchTokens)) break;
    length += 1;
  }
  return length;
}

/** Whether one more may wait. An empty queue takes any request, however large. */
export function hasRoom(waiting: readonly PlanCost[], cost: PlanCost, limits: QueueLimits): boolean {
  if (waiting.length === 0) return true;
  const tokens = waiting.reduce((sum, one) => sum + one.rows * one.longest, cost.rows * cost.longest);
  return waiting.length < limits.maxQueuedRequests && tokens <= limits.maxQueuedTokens;
}

export type Outcome<Answer> = { ok: true; answer: Answer } | { ok: false; error: Error };

/** What does the work: some lanes, each running one batch at a time. */
export type Lanes<Item, Answer> = {
  /** Lanes that could start now. */
  free(): number;
  /** Takes a free lane at once. One outcome per item, in order. */
  run(items: Item[]): Promise<Outcome<Answer>[]>;
};

export type BatchObserver = {
  onBatch(requests: number, tokens: number): void;
  onDrop(): void;
};

export type Batcher<Item, Answer> = {
  /**
   * Queues one item. Rejects with Refusal `overloaded` when the queue is full, `client_left` when
   * `signal` aborts first, else with the item's own error. `queueMs` is the wait before its batch left.
   */
  submit(item: Item, signal: AbortSignal): Promise<{ answer: Answer; queueMs: number }>;
  /** To be called when a lane has become free other than by the end of a batch. */
  pump(): void;
  /** Items waiting, those that run not counted. */
  depth(): number;
  /** Resolves when nothing waits and nothing runs. */
  whenIdle(): Promise<void>;
};

type Waiting<Item, Answer> = {
  item: Item;
  cost: PlanCost;
  leave(now: number): (outcome: Outcome<Answer>) => void;
};

export function createBatcher<Item, Answer>(options: {
  lanes: Lanes<Item, Answer>;
  costOf: (item: Item) => PlanCost;
  limits: QueueLimits;
  /** Milliseconds, monotonic. */
  now: () => number;
  observer: BatchObserver;
}): Batcher<Item, Answer> {
  const { lanes, costOf, limits, now, observer } = options;
  let waiting: Waiting<Item, Answer>[] = [];
  let running = 0;
  let idleListeners: (() => void)[] = [];

  const tellIfIdle = () => {
    if (waiting.length > 0 || running > 0) return;
    const listeners = idleListeners;
    idleListeners = [];
    for (const listener of listeners) listener();
  };

  const runBatch = async (batch: Waiting<Item, Answer>[]) => {
    running += 1;
    const leftAt = now();
    const settles = batch.map((one) => one.leave(leftAt));
    observer.onBatch(batch.length, paddedTokens(batch.map((one) => one.cost)));
    let outcomes: Outcome<Answer>[];
    try {
      outcomes = await lanes.run(batch.map((one) => one.item));
    } catch (error) {
      outcomes = settles.map(() => ({ ok: false, error: error as Error }));
    }
    for (const [index, settle] of settles.entries()) settle(outcomes[index] ?? cutShort());
    running -= 1;
    pump();
  };

  const pump = () => {
    while (waiting.length > 0 && lanes.free() > 0) {
      const length = batchLength(
        waiting.map((one) => one.cost),
        limits,
      );
      const batch = waiting.slice(0, length);
      waiting = waiting.slice(length);
      void runBatch(batch);
    }
    tellIfIdle();
  };

  return {
    submit(item, signal) {
      return new Promise((resolve, reject) => {
        const cost = costOf(item);
        const costs = waiting.map((one) => one.cost);
        if (signal.aborted) return reject(new Refusal("client_left"));
        if (!hasRoom(costs, cost, limits)) return reject(new Refusal("overloaded"));
        const queuedAt = now();
        const drop = () => {
          waiting = waiting.filter((one) => one !== entry);
          observer.onDrop();
          reject(new Refusal("client_left"));
          tellIfIdle();
        };
        const entry: Waiting<Item, Answer> = {
          item,
          cost,
          leave(leftAt) {
            signal.removeEventListener("abort", drop);
            return (outcome) =>
              outcome.ok
                ? resolve({ answer: outcome.answer, queueMs: leftAt - queuedAt })
                : reject(outcome.error);
          },
        };
        signal.addEventListener("abort", drop, { once: true });
        waiting.push(entry);
        pump();
      });
    },
    pump,
    depth: () => waiting.length,
    whenIdle: () =>
      new Promise((resolve) => {
        idleListeners.push(resolve);
        tellIfIdle();
      }),
  };
}

function cutShort(): Outcome<never> {
  return { ok: false, error: new Refusal("internal_error", { reason: "batch-came-back-short" }) };
}
