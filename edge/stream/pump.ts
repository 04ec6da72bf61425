/** A bounded queue between a source, such as a provider, and a slower reader. Knows neither bytes nor what the pieces mean. */

export type PumpOptions<T> = {
  /** Called with each piece as it arrives, whether or not anybody reads. */
  observe: (piece: T) => void;
  /** Called once, when the source has ended or the pump was cut. */
  onEnd: () => void;
  sizeOf: (piece: T) => number;
  /** Queue size at which the source is paused; the piece that reaches it is still queued. */
  maxWaiting: number;
  /** Asked at that size for a longer queue, until that is empty again; undefined if there is no room for one now. */
  extend?: (() => Promise<Room | undefined>) | undefined;
  /** How long a full queue may stay unread; undefined: for ever. */
  patienceMs?: number | undefined;
  /** The last piece for a reader that took nothing for `patienceMs`. */
  stalled: T;
  /** Aborts when nobody will read any more: then a full queue no longer pauses the source, which is to end by itself. */
  signal?: AbortSignal;
};

/** `end`: gives the room back; may be called again. */
export type Room = { maxWaiting: number; end(): void };

export type Pump<T> = {
  pieces: AsyncGenerator<T, void, void>;
  /** Ends the reader's side: the queued pieces, then `last`. Further pieces of the source are dropped. A second call does nothing. */
  cut(last: T): void;
};

/**
 * Reads `source` at once, and lets a slower reader take its pieces from a bounded queue. `observe` sees each piece as it arrives, so
 * a reader that stops does not stop the metering. A full queue pauses the source; when it stays full too long, the rest is observed
 * and dropped. `source` must never throw.
 */
export function createPump<T>(source: AsyncGenerator<T, void, void>, options: PumpOptions<T>): Pump<T> {
  const queue = new Queue(options);
  options.signal?.addEventListener("abort", () => queue.wake(), { once: true });
  let end: { last?: T } | undefined;
  const finish = (how: { last?: T }) => {
    if (end !== undefined) return;
    end = how;
    queue.wake();
    options.onEnd();
  };
  const run = async () => {
    let stalled = false;
    for await (const piece of source) {
      if (end !== undefined) break;
      options.observe(piece);
      if (stalled) continue;
      queue.add(piece);
      if (queue.isFull()) await queue.extend();
      stalled = queue.isFull() && !(await queue.hasRoom());
    }
    finish(stalled ? { last: options.stalled } : {});
  };
  run().catch(() => finish({ last: options.stalled }));
  async function* pieces(): AsyncGenerator<T, void, void> {
    for (;;) {
      const piece = queue.take();
      if (piece !== undefined) yield piece.value;
      else if (end === undefined) await queue.nonEmpty();
      else {
        if (end.last !== undefined) yield end.last;
        return;
      }
    }
  }
  return { pieces: pieces(), cut: (last) => finish({ last }) };
}

/** The pieces that a reader has not taken yet. */
class Queue<T> {
  readonly #options: PumpOptions<T>;
  #waiting: ({ value: T; size: number } | undefined)[] = [];
  #at = 0;
  #size = 0;
  #takes = 0;
  #room: Room | undefined;
  #wakeReader = () => {};
  #wakeSource = () => {};

  constructor(options: PumpOptions<T>) {
    this.#options = options;
  }

  isFull(): boolean {
    return this.#size >= (this.#room ?? this.#options).maxWaiting;
  }

  async extend(): Promise<void> {
    this.#room ??= await this.#options.extend?.();
    if (this.#waiting.length === 0) this.#endRoom();
  }

  #endRoom(): void {
    this.#room?.end();
    this.#room = undefined;
  }

  add(value: T): void {
    const size = this.#options.sizeOf(value);
    this.#size += size;
    this.#waiting.push({ value, size });
    this.#wakeReader();
  }

  take(): { value: T } | undefined {
    const first = this.#waiting[this.#at];
    if (first === undefined) return undefined;
    // A reader that is always behind never reaches the end of the list, so each piece is released when it is read.
    this.#waiting[this.#at] = undefined;
    this.#at += 1;
    // The list is replaced once it has been read to its end: removing its head each time would copy the rest.
    if (this.#at === this.#waiting.length) {
      this.#waiting = [];
      this.#at = 0;
      this.#endRoom();
    }
    this.#size -= first.size;
    this.#takes += 1;
    this.#wakeSource();
    return first;
  }

  wake(): void {
    this.#wakeReader();
    this.#wakeSource();
  }

  nonEmpty(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeReader = resolve;
    });
  }

  /** False if the reader took nothing for `patienceMs`. */
  async hasRoom(): Promise<boolean> {
    const { patienceMs } = this.#options;
    while (this.isFull() && !this.#isLeft()) {
      const seen = this.#takes;
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((resolve) => {
        this.#wakeSource = resolve;
        if (patienceMs !== undefined) timer = setTimeout(resolve, patienceMs);
      });
      clearTimeout(timer);
      if (this.#takes === seen && !this.#isLeft()) return false;
    }
    return true;
  }

  #isLeft(): boolean {
    return this.#options.signal?.aborted === true;
  }
}
