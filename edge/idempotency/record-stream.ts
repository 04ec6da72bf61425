/**
 * Passes a stream on and records it. When the reader leaves, the rest is still read to its end, so that the whole answer can
 * be kept. Pull-based: a slow reader slows the source.
 */

/** The whole text, or why there is none. */
export type Passed = { text: string } | { lost: "too_large" | "cut_off" };

export type RecordOptions = {
  /** Bytes beyond this are passed on, and nothing is kept. */
  maxBytes: number;
  /** Once; the stream ends after it. */
  onEnd: (passed: Passed) => Promise<void>;
};

export type Recording = {
  stream: ReadableStream<Uint8Array>;
  /** Reads the rest without the reader. For a reader that left: the runtime may never call `cancel`. */
  leave: () => void;
  /** Resolves when the source has ended and `onEnd` is done. Never rejects. */
  ended: Promise<void>;
};

export function recordStream(
  source: ReadableStream<Uint8Array>,
  { maxBytes, onEnd }: RecordOptions,
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
    ending ??= onEnd(last).finally(resolveEnded);
    return ending;
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
    size += next.value.byteLength;
    if (size > maxBytes) passed = { lost: "too_large" };
    if ("text" in passed) passed.text += decoder.decode(next.value, { stream: true });
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
  return { stream, leave, ended };
}
