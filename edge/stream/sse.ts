/**
 * Server-sent events on both wires: a provider's bytes framed into events (the parsing itself is eventsource-parser's), and the text of a
 * response written as bytes. Knows nothing of what the events mean.
 */
import { createParser } from "eventsource-parser";

/** One framed event; `event` is undefined when the stream did not name it. */
export type SseEvent = { event?: string | undefined; data: string };

export type SseParser = {
  /** Events completed by these bytes. Throws SseOverflowError past the buffer bound. */
  push(bytes: Uint8Array): SseEvent[];
  /**
   * The last event, where the stream ended without its blank line (several providers do); and JSON that stood outside the framing at
   * the end, as an event `error`: Gemini breaks a stream off so (github.com/maximhq/bifrost/pull/5262). `isWhole`: what was sent is
   * complete, so that what stands outside the framing is not an error.
   */
  end(isWhole?: boolean): SseEvent[];
};

/** An event larger than the bound: nothing a model writes, so the stream is not to be trusted. */
export class SseOverflowError extends Error {
  override readonly name = "SseOverflowError";
}

/** Longest event held while it is incomplete, in UTF-16 units: an inline image fits, a flood does not. */
const defaultMaxBufferChars = 16 * 1024 * 1024;

/** Longest JSON outside the framing: an error has some hundred characters. */
const maxLooseChars = 64 * 1024;

/** Collects lines, from the first that can begin JSON on. */
const addLoose = (loose: string, line: string): string =>
  (loose === "" && !/^[[{]/.test(line)) || loose.length + line.length > maxLooseChars
    ? loose
    : `${loose}${line}\n`;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * A parser for one stream, after the WHATWG event-stream grammar (LF, CRLF, CR, comments, BOM).
 * Characters split over chunks are joined; the same bytes give the same events however they are cut.
 */
export function createSseParser(maxBufferChars = defaultMaxBufferChars): SseParser {
  let events: SseEvent[] = [];
  let overflow = false;
  let loose = "";
  const decoder = new TextDecoder();
  const parser = createParser({
    maxBufferSize: maxBufferChars,
    onEvent: (event) => {
      loose = "";
      events.push(event);
    },
    onError: (error) => {
      overflow ||= error.type === "max-buffer-size-exceeded";
      if (error.type === "unknown-field") loose = addLoose(loose, error.line ?? "");
    },
  });
  const feed = (text: string): SseEvent[] => {
    if (text !== "") parser.feed(text);
    if (overflow) throw new SseOverflowError("a server-sent event passed the buffer bound");
    const complete = events;
    events = [];
    return complete;
  };
  return {
    push: (bytes) => feed(decoder.decode(bytes, { stream: true })),
    end: (isWhole = false) => {
      const framed = feed(`${decoder.decode()}\n\n`);
      return !isWhole && isJson(loose) ? [...framed, { event: "error", data: loose }] : framed;
    },
  };
}

export type EventStreamOptions = {
  /** Milliseconds of silence after which a keep-alive is sent, so that proxies do not close the stream. */
  keepAliveMs: number;
  /** The keep-alive: the dialect's own ping event; by default a comment. */
  keepAlive?: () => string;
  /** The client left before the end. */
  onLeave: () => void;
  /** Called when the stream has ended, or its client has left. */
  onEnd?: () => void;
};

/** The blank line is needed: clients that split a stream at blank lines would take the comment and the event after it for one. */
export const keepAliveComment = ": keep-alive\n\n";

/**
 * The response side of a stream: text pieces out as bytes, a comment when it is quiet for long, and one call when the client leaves.
 * Pull-based, so a slow reader slows the provider and memory stays bounded. `source` gives encoded SSE text; it must never throw (a
 * failure is text too).
 */
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
        // Ticks of half a period: a silence is noticed when it has lasted between half a period and one, without a timer per chunk.
        timer = setInterval(() => {
          ticks += 1;
          if (ticks - lastAt < 2 || (controller.desiredSize ?? 0) <= 0) return;
          lastAt = ticks;
          controller.enqueue(encoder.encode(options.keepAlive?.() ?? keepAliveComment));
        }, options.keepAliveMs / 2);
      },
      async pull(controller) {
        // Loops until something is enqueued: the stream does not repeat a pull that enqueued nothing.
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
