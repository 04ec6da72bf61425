/**
 * Batches requests without a timer: one leaves at once when a lane (a thread) is free, and requests gather while all lanes are busy.
 * Chat leaves before bulk; within each, accounts get equal shares. A request whose caller left is dropped. Who may wait at all is
 * decided in admission.ts.
 */
import type { Urgency } from "../shared/worker-tasks.ts";
import type { QueueLimits } from "./config.ts";
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

/** `start`: its start tag (see createFairQueue). */
type Entry<Item> = { item: Item; share: string; tokens: number; start: number };

type FairQueue<Item> = {
  /** `after`: the tag of the piece before, if a task goes on. */
  push(item: Item, share: string, tokens: number, weight: number, after?: number): Entry<Item>;
  /** Does nothing if the entry has been taken already. */
  remove(entry: Entry<Item>): void;
  /** Removes and returns the first entries. `count` is given the tokens of all that wait, and says how many to take. */
  take(count: (tokens: readonly number[]) => number): Entry<Item>[];
  size(): number;
};

/**
 * The order in which requests of several accounts leave: start-time fair queueing (Goyal, Vin, Cheng 1996).
 * Each request gets a start tag, the weight of what its account has asked for so far, and the lowest tag leaves first.
 * An account that was idle begins at the tag last served: it does not wait behind another's backlog, nor is it served first for as
 * long as it was idle. A piece of a task goes behind the piece before it, and before what its account asked for later: otherwise
 * the pieces of many tasks would alternate, and all tasks would end late. Costs a binary search per request.
 */
export function createFairQueue<Item>(): FairQueue<Item> {
  let waiting: Entry<Item>[] = [];
  /** Tag of the latest request that left. */
  let served = 0;
  /** Start tag of each account's next request. An account that is not ahead of `served` is left out: it starts there. */
  const next = new Map<string, number>();

  const indexAfter = (start: number): number => {
    let low = 0;
    let high = waiting.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (waiting[middle]!.start <= start) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    push(item, share, tokens, weight, after) {
      const own = next.get(share) ?? 0;
      const start = Math.max(served, after === undefined ? own : after + weight);
      const entry = { item, share, tokens, start };
      next.set(share, Math.max(own, start + weight));
      waiting.splice(indexAfter(start), 0, entry);
      return entry;
    },
    remove(entry) {
      const index = waiting.indexOf(entry);
      if (index !== -1) waiting.splice(index, 1);
    },
    take(count) {
      const length = count(waiting.map(({ tokens }) => tokens));
      const taken = waiting.slice(0, length);
      waiting = waiting.slice(length);
      served = taken.at(-1)?.start ?? served;
      for (const [share, start] of next) if (start <= served) next.delete(share);
      return taken;
    },
    size: () => waiting.length,
  };
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
export type Ticket = {
  urgency: Urgency;
  /** The account's pseudonym, or what stands for it. */
  share: string;
  /** Estimated tokens, which count against a batch's limit. */
  tokens: number;
  /** What it counts in its account's share (task-cost.ts). */
  weight: number;
  /** The tag that came with the answer of the piece before, if this is a further piece. */
  after?: number | undefined;
  signal: AbortSignal;
};

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
    { urgency, share, tokens, weight, after, signal }: Ticket,
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
      const entry = queue.push(waiting, share, tokens, weight, after);
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
