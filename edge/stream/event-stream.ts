/**
 * The response side of a stream: text pieces out as bytes, a comment when it is quiet for long, and one
 * call when the client leaves. Pull-based, so a slow reader slows the provider and memory stays bounded.
 */

export type EventStreamOptions = {
  /** Milliseconds of silence after which a sign of life keeps proxies from closing the stream. */
  keepAliveMs: number;
  /** What is sent then: a comment, or an event the dialect has for it. */
  keepAlive?: () => string;
  /** The client left before the end. */
  onLeave: () => void;
  /** It has ended, or its client left. */
  onEnd?: () => void;
};

const comment = ": keep-alive\n\n";

/** `source` gives encoded SSE text; it must never throw (a failure is text too). */
export function createEventStream(
  source: AsyncIterator<string>,
  options: EventStreamOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let timer: ReturnType<typeof setInterval> | undefined;
  let lastAt = 0;
  let ticks = 0;
  const end = () => {
    if (timer !== undefined) clearInterval(timer);
    options.onEnd?.();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Half-period ticks: silence is noticed between one and one and a half periods, without a timer per chunk.
        timer = setInterval(() => {
          ticks += 1;
          if (ticks - lastAt < 2 || (controller.desiredSize ?? 0) <= 0) return;
          lastAt = ticks;
          controller.enqueue(encoder.encode(options.keepAlive?.() ?? comment));
        }, options.keepAliveMs / 2);
      },
      async pull(controller) {
        // Until something is enqueued: a pull that enqueues nothing is not repeated.
        for (;;) {
          const { done, value } = await source.next();
          lastAt = ticks;
          if (value !== undefined && value !== "") {
            controller.enqueue(encoder.encode(value));
            if (!done) return;
          }
          if (done) {
            end();
            return controller.close();
          }
        }
      },
      cancel() {
        end();
        options.onLeave();
      },
    },
    { highWaterMark: 1 },
  );
}
