/**
 * Batches requests without a timer: one leaves at once when a lane (a thread) is free, and requests gather while all lanes are busy.
 * Chat leaves before bulk; within each, accounts get equal shares (fair-queue.ts). A request whose caller left is dropped. Who may wait at all is
 * decided in admission.ts.
 */
import type { Urgency } from "../shared/worker-tasks.ts";
import type { QueueLimits } from "./config.ts";
import { createFairQueue, type FairQueue, type QueuePlace } from "./fair-queue.ts";
import { Refusal } from "./refusal.ts";

/** How many requests from the head of the queue leave together: as many as the limits allow, but at least one. */
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

/** After this many batches of chat in a row a batch of bulk leaves, so that a flood of chat does not stop bulk for good. */
export const chatBatchesBeforeBulk = 16;

/** The urgency of the next batch. A batch has only one, so that no plan runs beside a part of long embeddings. */
export function chooseUrgency(
  waiting: Readonly<Record<Urgency, number>>,
  chatInARow: number,
): Urgency | undefined {
  if (waiting.bulk > 0 && (waiting.chat === 0 || chatInARow >= chatBatchesBeforeBulk)) return "bulk";
  return waiting.chat > 0 ? "chat" : undefined;
}

export type Outcome<Answer> = { ok: true; answer: Answer } | { ok: false; error: Error };

/** What runs batches: a number of lanes, each with one batch at a time. */
export type Lanes<Item, Answer> = {
  /** Lanes that could start now. */
  free(): number;
  /** Takes a free lane at once. One outcome per item, in order. */
  run(items: Item[]): Promise<Outcome<Answer>[]>;
};

export type BatchObserver = {
  onBatch(requests: number, tokens: number): void;
  /** Called after a batch has ended. */
  onDone(urgency: Urgency, tokens: number, elapsedMs: number): void;
  onDrop(): void;
};

/** How one item waits. */
export type Ticket = QueuePlace & { urgency: Urgency; signal: AbortSignal };

type Waiting<Item, Answer> = {
  item: Item;
  /** Called when its batch leaves, with the time; returns the function that settles the item. */
  leave(now: number): (outcome: Outcome<Answer>) => void;
};

export type BatcherOptions<Item, Answer> = {
  lanes: Lanes<Item, Answer>;
  limits: QueueLimits;
  /** Milliseconds, monotonic. */
  now: () => number;
  observer: BatchObserver;
};

export class Batcher<Item, Answer> {
  readonly #options: BatcherOptions<Item, Answer>;
  readonly #queues: Record<Urgency, FairQueue<Waiting<Item, Answer>>> = {
    chat: createFairQueue(),
    bulk: createFairQueue(),
  };
  #chatInARow = 0;
  #running = 0;
  #idleListeners: (() => void)[] = [];

  constructor(options: BatcherOptions<Item, Answer>) {
    this.#options = options;
  }

  /**
   * Queues one item. Rejects with Refusal `client_left` when the ticket's signal aborts first, else with the item's own error.
   * `queueMs` is the wait until its batch left; `onBegin` is called then. `start` is its tag in its account's share.
   */
  submit(
    item: Item,
    { urgency, signal, ...place }: Ticket,
    onBegin?: () => void,
  ): Promise<{ answer: Answer; queueMs: number; start: number }> {
    const { now, observer } = this.#options;
    const queue = this.#queues[urgency];
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
              ? resolve({ answer: outcome.answer, queueMs: leftAt - queuedAt, start: entry.start })
              : reject(outcome.error);
        },
      };
      const entry = queue.push(waiting, place);
      const drop = () => {
        queue.remove(entry);
        observer.onDrop();
        reject(new Refusal("client_left"));
        this.#tellIfIdle();
      };
      signal.addEventListener("abort", drop, { once: true });
      this.pump();
    });
  }

  /** To be called when a lane becomes free without the end of a batch. */
  pump(): void {
    while (this.#options.lanes.free() > 0) {
      const waiting = { chat: this.#queues.chat.size(), bulk: this.#queues.bulk.size() };
      const urgency = chooseUrgency(waiting, this.#chatInARow);
      if (urgency === undefined) break;
      this.#chatInARow = urgency === "chat" ? this.#chatInARow + 1 : 0;
      void this.#runBatch(urgency);
    }
    this.#tellIfIdle();
  }

  /** Number of waiting items; running ones do not count. */
  depth(): number {
    return this.#queues.chat.size() + this.#queues.bulk.size();
  }

  /** Resolves when nothing waits and nothing runs. */
  whenIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idleListeners.push(resolve);
      this.#tellIfIdle();
    });
  }

  async #runBatch(urgency: Urgency): Promise<void> {
    const { lanes, limits, now, observer } = this.#options;
    this.#running += 1;
    const leftAt = now();
    const batch = this.#queues[urgency].take((tokens) => batchLength(tokens, limits));
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
    this.#running -= 1;
    this.pump();
  }

  #tellIfIdle(): void {
    if (this.depth() > 0 || this.#running > 0) return;
    const listeners = this.#idleListeners;
    this.#idleListeners = [];
    for (const listener of listeners) listener();
  }
}

function cutShort(): Outcome<never> {
  return { ok: false, error: new Refusal("internal_error", { reason: "batch-came-back-short" }) };
}
