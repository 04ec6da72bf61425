/**
 * A bounded queue between a source and a reader of different speeds. Pieces are counted as they arrive, so a reader that stops
 * does not stop the counting. A full queue pauses the source; when it stays full too long, the rest of the source is read and
 * counted, but dropped.
 */

export type PumpOptions<T> = {
  /** Called with each piece as it arrives, whoever reads. */
  observe: (piece: T) => void;
  /** Called once, when the source has ended or the pump was cut. */
  onEnd: () => void;
  sizeOf: (piece: T) => number;
  /** Size from which the source waits; one piece more may be held. */
  mostWaiting: number;
  /** How long a full queue may stand untouched, milliseconds; undefined: for ever. */
  patienceMs?: number | undefined;
  /** The last piece for a reader that was waited for in vain. */
  stalled: T;
};

export type Pump<T> = {
  pieces: AsyncGenerator<T, void, void>;
  /** Ends the reader's side with `last`, after what waits, whatever the source does; a second call changes nothing. */
  cut(last: T): void;
};

/** `source` must never throw. It is read from now on. */
export function createPump<T>(source: AsyncGenerator<T, void, void>, options: PumpOptions<T>): Pump<T> {
  const queue = createQueue<T>(options);
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

function createQueue<T>({ sizeOf, mostWaiting, patienceMs }: PumpOptions<T>) {
  let waiting: { value: T; size: number }[] = [];
  let at = 0;
  let size = 0;
  let takes = 0;
  let wakeReader = () => {};
  let wakeSource = () => {};
  const isFull = () => size >= mostWaiting;
  return {
    isFull,
    add(value: T): void {
      const own = sizeOf(value);
      size += own;
      waiting.push({ value, size: own });
      wakeReader();
    },
    take(): { value: T } | undefined {
      const first = waiting[at];
      if (first === undefined) return undefined;
      at += 1;
      // The list is replaced once it is read to its end: removing its head at each take would copy the rest.
      if (at === waiting.length) {
        waiting = [];
        at = 0;
      }
      size -= first.size;
      takes += 1;
      wakeSource();
      return first;
    },
    wake(): void {
      wakeReader();
      wakeSource();
    },
    nonEmpty: () =>
      new Promise<void>((resolve) => {
        wakeReader = resolve;
      }),
    /** False when the reader took nothing for `patienceMs`. */
    async hasRoom(): Promise<boolean> {
      while (isFull()) {
        const seen = takes;
        let timer: ReturnType<typeof setTimeout> | undefined;
        await new Promise<void>((resolve) => {
          wakeSource = resolve;
          if (patienceMs !== undefined) timer = setTimeout(resolve, patienceMs);
        });
        clearTimeout(timer);
        if (takes === seen) return false;
      }
      return true;
    },
  };
}
