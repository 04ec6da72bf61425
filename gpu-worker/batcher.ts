/**
 * Natural batching without a timer: a request leaves at once when a lane is free, and requests gather
 * while all lanes are busy. First in, first out; bounded at the door; one whose caller left is dropped
 * before any work. The decisions are pure functions; the batcher below only keeps the queue.
 */
import type { QueueLimits } from "./config.ts";
import { Refusal } from "./refusal.ts";

/** How many from the head of the queue leave together: as many as the budget holds, and always one. */
export function batchLength(tokens: readonly number[], limits: QueueLimits): number {
  let sum = 0;
  let length = 0;
  for (const one of tokens) {
    sum += one;
    if (length > 0 && (length >= limits.maxBatchRequests || sum > limits.maxBatchTokens)) break;
    length += 1;
  }
  return length;
}

export type Queued = { requests: number; tokens: number };

/** Whether one more may wait. An empty queue takes any request, however large. */
export function hasRoom(queued: Queued, tokens: number, limits: QueueLimits): boolean {
  if (queued.requests === 0) return true;
  return queued.requests < limits.maxQueuedRequests && queued.tokens + tokens <= limits.maxQueuedTokens;
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
  /** Whether even the smallest item would be refused now. */
  isFull(): boolean;
  /** Items waiting, those that run not counted. */
  depth(): number;
  /** Resolves when nothing waits and nothing runs. */
  whenIdle(): Promise<void>;
};

type Waiting<Item, Answer> = {
  item: Item;
  tokens: number;
  leave(now: number): (outcome: Outcome<Answer>) => void;
};

export function createBatcher<Item, Answer>(options: {
  lanes: Lanes<Item, Answer>;
  /** Estimated tokens of an item. */
  tokensOf: (item: Item) => number;
  limits: QueueLimits;
  /** Milliseconds, monotonic. */
  now: () => number;
  observer: BatchObserver;
}): Batcher<Item, Answer> {
  const { lanes, tokensOf, limits, now, observer } = options;
  let waiting: Waiting<Item, Answer>[] = [];
  /** Of those that wait, kept as they come and go: every refusal of a full queue asks for it. */
  let waitingTokens = 0;
  let running = 0;
  let idleListeners: (() => void)[] = [];

  const hasRoomFor = (tokens: number) =>
    hasRoom({ requests: waiting.length, tokens: waitingTokens }, tokens, limits);

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
    const tokens = batch.reduce((sum, one) => sum + one.tokens, 0);
    waitingTokens -= tokens;
    observer.onBatch(batch.length, tokens);
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
        waiting.map((one) => one.tokens),
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
        const tokens = tokensOf(item);
        if (signal.aborted) return reject(new Refusal("client_left"));
        if (!hasRoomFor(tokens)) return reject(new Refusal("overloaded"));
        const queuedAt = now();
        const drop = () => {
          waiting = waiting.filter((one) => one !== entry);
          waitingTokens -= tokens;
          observer.onDrop();
          reject(new Refusal("client_left"));
          tellIfIdle();
        };
        const entry: Waiting<Item, Answer> = {
          item,
          tokens,
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
        waitingTokens += tokens;
        pump();
      });
    },
    pump,
    isFull: () => !hasRoomFor(1),
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
