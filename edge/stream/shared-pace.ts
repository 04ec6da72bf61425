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
