/**
 * Natural batching without a timer: a request leaves at once when a lane is free, and requests gather
 * while all lanes are busy. Chat leaves before bulk, and within each the accounts share alike (fair-queue.ts);
 * one whose caller left is dropped before any work. Who may wait at all is decided before (door.ts).
 */
import type { Urgency } from "../shared/worker-tasks.ts";
import type { QueueLimits } from "./config.ts";
import { createFairQueue, type FairQueue } from "./fair-queue.ts";
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

/** After so many batches of chat in a row one of bulk leaves, so that a flood of chat does not stop it for good. */
export const chatBatchesBeforeBulk = 16;

/** Which queue the next batch comes from. A batch is of one urgency: no plan runs beside a slice of texts. */
export function chooseUrgency(
  waiting: Readonly<Record<Urgency, number>>,
  chatInARow: number,
): Urgency | undefined {
  if (waiting.bulk > 0 && (waiting.chat === 0 || chatInARow >= chatBatchesBeforeBulk)) return "bulk";
  return waiting.chat > 0 ? "chat" : undefined;
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
  /** After a batch that came back. */
  onDone(urgency: Urgency, tokens: number, elapsedMs: number): void;
  onDrop(): void;
};

/** How one item waits. */
export type Ticket = {
  urgency: Urgency;
  /** The account, or what stands for it. */
  share: string;
  /** Estimated. */
  tokens: number;
  signal: AbortSignal;
};

export type Batcher<Item, Answer> = {
  /**
   * Queues one item. Rejects with Refusal `client_left` when the ticket's signal aborts first, else with the
   * item's own error. `queueMs` is the wait before its batch left, `onBegin` hears of that moment.
   */
  submit(item: Item, ticket: Ticket, onBegin?: () => void): Promise<{ answer: Answer; queueMs: number }>;
  /** To be called when a lane has become free other than by the end of a batch. */
  pump(): void;
  /** Items waiting, those that run not counted. */
  depth(): number;
  /** Resolves when nothing waits and nothing runs. */
  whenIdle(): Promise<void>;
};

type Waiting<Item, Answer> = {
  item: Item;
  leave(now: number): (outcome: Outcome<Answer>) => void;
};

export function createBatcher<Item, Answer>(options: {
  lanes: Lanes<Item, Answer>;
  limits: QueueLimits;
  /** Milliseconds, monotonic. */
  now: () => number;
  observer: BatchObserver;
}): Batcher<Item, Answer> {
  const { lanes, limits, now, observer } = options;
  const queues: Record<Urgency, FairQueue<Waiting<Item, Answer>>> = {
    chat: createFairQueue(),
    bulk: createFairQueue(),
  };
  let chatInARow = 0;
  let running = 0;
  let idleListeners: (() => void)[] = [];

  const depth = () => queues.chat.size() + queues.bulk.size();

  const tellIfIdle = () => {
    if (depth() > 0 || running > 0) return;
    const listeners = idleListeners;
    idleListeners = [];
    for (const listener of listeners) listener();
  };

  const runBatch = async (urgency: Urgency) => {
    running += 1;
    const leftAt = now();
    const batch = queues[urgency].take((tokens) => batchLength(tokens, limits));
    const settles = batch.map(({ item }) => item.leave(leftAt));
    const tokens = batch.reduce((sum, one) => sum + one.tokens, 0);
    observer.onBatch(batch.length, tokens);
    let outcomes: Outcome<Answer>[];
    try {
      outcomes = await lanes.run(batch.map(({ item }) => item.item));
      observer.onDone(urgency, tokens, now() - leftAt);
    } catch (error) {
      outcomes = settles.map(() => ({ ok: false, error: error as Error }));
    }
    for (const [index, settle] of settles.entries()) settle(outcomes[index] ?? cutShort());
    running -= 1;
    pump();
  };

  const pump = () => {
    while (lanes.free() > 0) {
      const waiting = { chat: queues.chat.size(), bulk: queues.bulk.size() };
      const urgency = chooseUrgency(waiting, chatInARow);
      if (urgency === undefined) break;
      chatInARow = urgency === "chat" ? chatInARow + 1 : 0;
      void runBatch(urgency);
    }
    tellIfIdle();
  };

  return {
    submit(item, { urgency, share, tokens, signal }, onBegin) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(new Refusal("client_left"));
        const queuedAt = now();
        const waiting: Waiting<Item, Answer> = {
          item,
          leave(leftAt) {
            signal.removeEventListener("abort", drop);
            onBegin?.();
            return (outcome) =>
              outcome.ok
                ? resolve({ answer: outcome.answer, queueMs: leftAt - queuedAt })
                : reject(outcome.error);
          },
        };
        const entry = queues[urgency].push(waiting, share, tokens);
        const drop = () => {
          queues[urgency].remove(entry);
          observer.onDrop();
          reject(new Refusal("client_left"));
          tellIfIdle();
        };
        signal.addEventListener("abort", drop, { once: true });
        pump();
      });
    },
    pump,
    depth,
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
