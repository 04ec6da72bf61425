/**
 * How fast the pieces of a stream flow through the isolate: the queue between a provider and a reader of different speeds, and the pace
 * at which all streams are written where many are open. Knows neither bytes nor what the pieces mean.
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

/**
 * A bounded queue between a source and a reader. Pieces are counted as they arrive, so a reader that stops does not stop the counting. A
 * full queue pauses the source; when it stays full too long, the rest of the source is read and counted, but dropped. `source` must never
 * throw. It is read from now on.
 */
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

/**
 * Paces the writes of all streams of one isolate. A write costs many times what translating its piece does, and an isolate has
 * one thread. So when many streams run, each writes only at intervals, with all that has gathered since: a piece waits a tenth
 * of a second at most. While up to eight streams are open, each piece is written as it comes.
 */
export type SharedPace = {
  /** A stream is read from now on; to be called back when it has ended. */
  enter(): () => void;
  /** How long a stream is to wait between two writes, milliseconds. */
  restMs(): number;
};

/** So many streams never wait. */
const freeStreams = 8;
/** Rest per open stream: keeps the isolate at 2,000 writes a second, up to 200 streams, where the longest rest is reached. */
const restPerStreamMs = 0.5;
const longestRestMs = 100;

export function createSharedPace(): SharedPace {
  let streams = 0;
  return {
    enter() {
      streams += 1;
      let entered = true;
      return () => {
        if (entered) streams -= 1;
        entered = false;
      };
    },
    restMs: () => (streams <= freeStreams ? 0 : Math.min(streams * restPerStreamMs, longestRestMs)),
  };
}

export type GatherOptions = {
  pace: SharedPace;
  now: () => number;
  sleep: (milliseconds: number) => Promise<unknown>;
};

/**
 * Passes lists on; those that arrive before the next write is due are joined into one. The source is read ahead only while
 * something waits to be written.
 */
export async function* gather<T>(
  source: AsyncGenerator<T[], void, void>,
  { pace, now, sleep }: GatherOptions,
): AsyncGenerator<T[], void, void> {
  const leave = pace.enter();
  let wroteAt = Number.NEGATIVE_INFINITY;
  let gathered: T[] = [];
  let next: Promise<IteratorResult<T[], void>> | undefined;
  let due: Promise<undefined> | undefined;
  try {
    for (;;) {
      next ??= source.next();
      const arrived = await (due === undefined ? next : Promise.race([next, due]));
      if (arrived !== undefined) {
        next = undefined;
        if (arrived.done) break;
        gathered = gathered.length === 0 ? arrived.value : gathered.concat(arrived.value);
        const waitMs = wroteAt + pace.restMs() - now();
        if (waitMs > 0) {
          due ??= sleep(waitMs).then(() => undefined);
          continue;
        }
      }
      wroteAt = now();
      due = undefined;
      const written = gathered;
      gathered = [];
      yield written;
    }
    if (gathered.length > 0) yield gathered;
  } finally {
    leave();
    // Not waited for: a read that is under way ends when its request does, by the signal.
    void source.return();
  }
}
