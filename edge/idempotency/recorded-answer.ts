/**
 * An answer as it is kept for a retry: status, the headers that belong to it, and its body, compressed; a stream is recorded as it
 * passes. For a charged request whose answer cannot be kept, the reason is kept instead.
 */
import { z } from "zod";

const Recorded = z.union([
  z.object({
    status: z.number(),
    headers: z.record(z.string(), z.string()),
    /** Text: every answer of this service is. */
    body: z.string(),
  }),
  z.object({ lost: z.enum(["too_large", "no_memory", "cut_off", "account_full"]) }),
]);
/** The answer that a retry gets. */
export type Recorded = z.infer<typeof Recorded>;

/** Headers that belong to the answer; the others belong to the connection or to one request. */
const keptHeader = /^(content-type|cache-control|x-accel-buffering|x-svc-.+)$/;

/** Largest answer kept, in bytes of its body before compression: the longest output of a model as a stream. */
export const maxAnswerBytes = 4 * 1024 * 1024;

export function recordAnswer(response: Response, body: string): Recorded {
  const headers: Record<string, string> = {};
  response.headers.forEach((text, name) => {
    if (keptHeader.test(name)) headers[name] = text;
  });
  return { status: response.status, headers, body };
}

export async function encodeRecorded(recorded: Recorded): Promise<Uint8Array> {
  return pass(new Blob([JSON.stringify(recorded)]).stream(), new CompressionStream("gzip"));
}

/** How many bytes an encoded answer has once it is decompressed: gzip's last four bytes say it (RFC 1952, ISIZE). */
export const decompressedBytes = ({ buffer, byteOffset, byteLength }: Uint8Array): number =>
  new DataView(buffer, byteOffset + byteLength - 4).getUint32(0, true);

/** @throws Error for bytes that `encodeRecorded` did not write */
export async function decodeRecorded(bytes: Uint8Array): Promise<Recorded> {
  const blob = new Blob([bytes as Uint8Array<ArrayBuffer>]);
  const json = await pass(blob.stream(), new DecompressionStream("gzip"));
  return Recorded.parse(JSON.parse(new TextDecoder().decode(json)));
}

async function pass(source: ReadableStream, through: CompressionStream | DecompressionStream) {
  return new Uint8Array(await new Response(source.pipeThrough(through)).arrayBuffer());
}

/** The whole text, or why it is missing. */
export type Passed = { text: string } | { lost: "too_large" | "no_memory" | "cut_off" };

export type RecordingMemory = {
  /** Called before each piece is kept. False: there is no memory for the answer, which is then passed on and not kept. */
  take(bytes: number): Promise<boolean>;
  /** The recording was dropped, or `onEnd` is done. May be called again. */
  end(): void;
};

export type RecordOptions = {
  /** A longer answer is passed on, and not kept. */
  maxBytes: number;
  memory: RecordingMemory;
  /** Called once; the stream ends after it. */
  onEnd: (passed: Passed) => Promise<void>;
};

export type Recording = {
  stream: ReadableStream<Uint8Array>;
  /** Reads the rest after the reader has left: the runtime may never call `cancel`. */
  leave: () => void;
  /** Passes the rest on without keeping it, as there is no memory. */
  drop: () => void;
  /** Resolves when the source has ended and `onEnd` is done. Never rejects. */
  ended: Promise<void>;
};

/** A stream that is being recorded. */
class StreamRecorder {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #options: RecordOptions;
  readonly #decoder = new TextDecoder();
  readonly #ended = Promise.withResolvers<void>();
  #ending: Promise<void> | undefined;
  #passed: Passed = { text: "" };
  #size = 0;
  #left = false;

  constructor(source: ReadableStream<Uint8Array>, options: RecordOptions) {
    this.#reader = source.getReader();
    this.#options = options;
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** The next piece; undefined at the end, after `onEnd`. */
  async read(): Promise<Uint8Array | undefined> {
    const next = await this.#reader.read().catch(async (error: unknown) => {
      await this.#end({ lost: "cut_off" });
      throw error;
    });
    if (next.done) {
      await this.#end(this.#passed);
      return undefined;
    }
    if ("text" in this.#passed) await this.#keep(next.value);
    return next.value;
  }

  leave(): void {
    if (this.#left) return;
    this.#left = true;
    const drain = async () => {
      while ((await this.read()) !== undefined);
    };
    drain().catch(() => {});
  }

  lose(lost: "too_large" | "no_memory"): void {
    this.#passed = { lost };
    this.#options.memory.end();
  }

  async #keep(piece: Uint8Array): Promise<void> {
    const { maxBytes, memory } = this.#options;
    this.#size += piece.byteLength;
    if (this.#size > maxBytes) return this.lose("too_large");
    if (!(await memory.take(piece.byteLength))) return this.lose("no_memory");
    // It may have been dropped meanwhile.
    if (!("text" in this.#passed)) return memory.end();
    this.#passed = { text: this.#passed.text + this.#decoder.decode(piece, { stream: true }) };
  }

  #end(last: Passed): Promise<void> {
    this.#ending ??= this.#options.onEnd(last).finally(() => {
      this.#options.memory.end();
      this.#ended.resolve();
    });
    return this.#ending;
  }
}

/**
 * Passes a stream on and records it. When the reader leaves, the rest is still read to its end, so that the whole answer can be
 * kept. Pull-based: a slow reader slows the source.
 */
export function recordStream(source: ReadableStream<Uint8Array>, options: RecordOptions): Recording {
  const recorder = new StreamRecorder(source, options);
  const leave = () => recorder.leave();
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await recorder.read();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
  return { stream, leave, drop: () => recorder.lose("no_memory"), ended: recorder.ended };
}
