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

/**
 * Passes a stream on and records it. When the reader leaves, the rest is still read to its end, so that the whole answer can be
 * kept. Pull-based: a slow reader slows the source.
 */
export function recordStream(
  source: ReadableStream<Uint8Array>,
  { maxBytes, memory, onEnd }: RecordOptions,
): Recording {
  const reader = source.getReader();
  const decoder = new TextDecoder();
  let passed: Passed = { text: "" };
  let size = 0;
  let resolveEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    resolveEnded = resolve;
  });
  let ending: Promise<void> | undefined;
  const end = (last: Passed) => {
    ending ??= onEnd(last).finally(() => {
      memory.end();
      resolveEnded();
    });
    return ending;
  };
  const lose = (lost: "too_large" | "no_memory") => {
    passed = { lost };
    memory.end();
  };
  const keep = async (piece: Uint8Array): Promise<void> => {
    size += piece.byteLength;
    if (size > maxBytes) return lose("too_large");
    if (!(await memory.take(piece.byteLength))) return lose("no_memory");
    if ("text" in passed) passed = { text: passed.text + decoder.decode(piece, { stream: true }) };
    else memory.end();
  };
  /** The next piece; undefined at the end, after `onEnd`. */
  const read = async (): Promise<Uint8Array | undefined> => {
    const next = await reader.read().catch(async (error: unknown) => {
      await end({ lost: "cut_off" });
      throw error;
    });
    if (next.done) {
      await end(passed);
      return undefined;
    }
    if ("text" in passed) await keep(next.value);
    return next.value;
  };
  let left = false;
  const leave = () => {
    if (left) return;
    left = true;
    const drain = async () => {
      while ((await read()) !== undefined);
    };
    drain().catch(() => {});
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await read();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
  return { stream, leave, drop: () => lose("no_memory"), ended };
}
