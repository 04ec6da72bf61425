/**
 * Bytes of a body, read in large pieces, and in turns: a reader whose bytes are always there already waits now and then, so that everything
 * else of the isolate goes on. Knows nothing of what the bytes are.
 */

export type ByteReader = {
  /** The next bytes, undefined at the end. Valid until the next call, which reuses their buffer. */
  read(): Promise<Uint8Array | undefined>;
  /** Never rejects. */
  cancel(): void;
};

const smallestBytes = 4 * 1024;
const largestBytes = 64 * 1024;

/** Size of the next buffer after a read of `readBytes` bytes into a buffer of `size`. */
export function chooseBufferBytes(size: number, readBytes: number): number {
  if (readBytes === size) return Math.min(size * 4, largestBytes);
  return readBytes * 4 < size ? smallestBytes : size;
}

/**
 * workerd's event loop asks the kernel what has arrived only when nothing is left to run, and a read that finds its bytes runs on at once. So
 * readers that always find some keep out all else: new connections, timers, the database's answers. Three streams that came as fast as
 * they were read did so for twenty seconds, and so did 128 of 50 events a second while the isolate had half a core. A timer fires only after
 * the kernel was asked: that is a turn. It takes a millisecond, 30 us of it CPU time, so no reader waits before `turnUnits` were read
 * without a pause.
 */
const turns = { begun: 0, read: 0, readAt: 0, waiting: 0, isCrowded: false };
/** What is read in a turn is counted in units: one for each read, and one for so many bytes. */
const bytesPerUnit = 2_048;
/** Some 20 ms of translating. */
const turnUnits = 512;
/** Pause between two reads, of whichever readers, in which the loop had nothing to run and so asked the kernel. */
const pauseMs = 3;
/** What each reader may read in a turn, however many wait. A slow stream needs less, so it never waits for the fast ones. */
const readerUnits = 8;
/** If more readers wait, not all of them may read in each turn. */
const fewReaders = 8;

function beginTurn(): void {
  turns.begun += 1;
  // Among several, the one that is woken first would read all that a turn allows.
  turns.read = turns.waiting > 1 ? turnUnits : 0;
  turns.isCrowded = turns.waiting > fewReaders;
  turns.waiting = 0;
}

/** One reader's part of the turns. */
class TurnShare {
  #turn = turns.begun;
  #used = 0;

  /** Whether the next read has to wait for a turn. */
  isUsedUp(): boolean {
    return turns.read >= turnUnits && this.#isOver();
  }

  async waitForTurn(): Promise<void> {
    do {
      const present = turns.begun;
      turns.waiting += 1;
      await new Promise((resolve) => setTimeout(resolve));
      if (turns.begun === present) beginTurn();
    } while (turns.isCrowded && this.#isOver());
  }

  /**
   * Counts a read. What it takes beyond the reader's part is charged to its next turns. What earlier reads took beyond it is forgotten,
   * since the reader may have been the only one then.
   */
  use(bytes: number, now: number): void {
    const units = 1 + bytes / bytesPerUnit;
    // A clock that was set back counts as a pause, too.
    turns.read = Math.abs(now - turns.readAt) < pauseMs ? turns.read + units : units;
    turns.readAt = now;
    this.#used = Math.min(this.#used, readerUnits) + units;
  }

  #isOver(): boolean {
    this.#used = Math.max(0, this.#used - (turns.begun - this.#turn) * readerUnits);
    this.#turn = turns.begun;
    return this.#used >= readerUnits;
  }
}

/** Reads a body in large pieces and in turns. Locks `body`. @param now Unix milliseconds */
export function createByteReader(body: ReadableStream<Uint8Array>, now = Date.now): ByteReader {
  const reader = takeOwnBuffers(body);
  const source = reader === undefined ? createPlainReader(body) : createBufferedReader(reader);
  const share = new TurnShare();
  return {
    async read() {
      if (share.isUsedUp()) await share.waitForTurn();
      const bytes = await source.read();
      share.use(bytes?.byteLength ?? 0, now());
      return bytes;
    },
    cancel: source.cancel,
  };
}

/** Undefined for a stream made in JavaScript, which has no BYOB reader. A fetched body has one. */
function takeOwnBuffers(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
}

/**
 * workerd gives at most 4 KiB to a reader without its own buffer, and a read costs as much as translating a dozen chunks. So the buffer grows
 * while reads fill it and shrinks when they do not: a slow stream holds 4 KiB.
 */
function createBufferedReader(reader: ReadableStreamBYOBReader): ByteReader {
  let buffer = new ArrayBuffer(smallestBytes);
  return {
    async read() {
      const size = buffer.byteLength;
      const { done, value } = await reader.read(new Uint8Array(buffer));
      if (done) return undefined;
      const next = chooseBufferBytes(size, value.byteLength);
      // `read` detaches the buffer; the result's buffer is the same memory.
      buffer = next === size ? (value.buffer as ArrayBuffer) : new ArrayBuffer(next);
      return value;
    },
    cancel: () => void reader.cancel().catch(() => {}),
  };
}

function createPlainReader(body: ReadableStream<Uint8Array>): ByteReader {
  const reader = body.getReader();
  return {
    read: async () => (await reader.read()).value,
    cancel: () => void reader.cancel().catch(() => {}),
  };
}
