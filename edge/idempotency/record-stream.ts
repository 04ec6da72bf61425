/**
 * Passes a stream on and keeps what passes. When the reader leaves, the rest is read to its end all the
 * same, so that the whole answer can be kept. Pull-based: a slow reader still slows the source.
 */

/** The whole text, or why there is none. */
export type Passed = { text: string } | { lost: "too_large" | "cut_off" };

export type RecordOptions = {
  /** Bytes beyond this are passed on, and nothing is kept. */
  maxBytes: number;
  /** Once; the stream ends after it. */
  onEnd: (passed: Passed) => Promise<void>;
  /** The reader left; `rest` resolves when the source has ended and `onEnd` is done. */
  onLeave: (rest: Promise<void>) => void;
};

export function recordStream(
  source: ReadableStream<Uint8Array>,
  { maxBytes, onEnd, onLeave }: RecordOptions,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const decoder = new TextDecoder();
  let passed: Passed = { text: "" };
  let size = 0;
  let ending: Promise<void> | undefined;
  const end = (last: Passed) => {
    ending ??= onEnd(last);
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
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await read();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
      cancel() {
        const drain = async () => {
          while ((await read()) !== undefined);
        };
        onLeave(drain().catch(() => {}));
      },
    },
    { highWaterMark: 0 },
  );
}
