/**
 * Paces the writes of all streams of one isolate. A write costs many times the translation of its piece, and an isolate has one
 * thread. So while many streams are open, each writes at intervals what has gathered since; a piece waits 100 ms at most. With up
 * to eight streams nothing waits.
 */

export type SharedPace = {
  /** Counts a stream as open; call the result when it has ended. */
  enter(): () => void;
  /** Time between two writes of one stream. */
  restMs(): number;
};

/** Up to this many open streams, none waits. */
const freeStreams = 8;
/** Rest per open stream: keeps the isolate at 2,000 writes a second, up to 200 streams, where the longest rest is reached. */
const restPerStreamMs = 0.5;
const maxRestMs = 100;

/** The pace of one isolate's streams. */
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
    restMs: () => (streams <= freeStreams ? 0 : Math.min(streams * restPerStreamMs, maxRestMs)),
  };
}

/**
 * Size at which a list that gathers is not added to. A provider that writes faster than all streams are written filled it with MiBs: the
 * more streams, the longer the rest, and the later its timer. No real stream comes near it in 100 ms.
 */
const maxGathered = 16 * 1_024;

export type GatherOptions<T> = {
  pace: SharedPace;
  sizeOf: (pieces: readonly T[]) => number;
  now: () => number;
  sleep: (milliseconds: number) => Promise<unknown>;
};

/**
 * Yields the source's lists, joining those that arrive before the next write is due. Reads ahead of its consumer only while
 * something waits to be written, and is not full.
 */
export async function* gather<T>(
  source: AsyncGenerator<T[], void, void>,
  { pace, sizeOf, now, sleep }: GatherOptions<T>,
): AsyncGenerator<T[], void, void> {
  const leave = pace.enter();
  let wroteAt = Number.NEGATIVE_INFINITY;
  let gathered: T[] = [];
  let size = 0;
  let next: Promise<IteratorResult<T[], void>> | undefined;
  let due: Promise<undefined> | undefined;
  try {
    for (;;) {
      if (size < maxGathered) next ??= source.next();
      const arrived = await (next !== undefined && due !== undefined
        ? Promise.race([next, due])
        : (next ?? due));
      if (arrived !== undefined) {
        next = undefined;
        if (arrived.done) break;
        gathered = gathered.length === 0 ? arrived.value : gathered.concat(arrived.value);
        size += sizeOf(arrived.value);
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
      size = 0;
      yield written;
    }
    if (gathered.length > 0) yield gathered;
  } finally {
    leave();
    // Not awaited: a read under way would delay it. The request's signal ends that read.
    void source.return();
  }
}
