/**
 * Bytes of a server-sent event stream in, framed events out. Owns UTF-8 and framing (the parsing itself
 * is eventsource-parser's); knows nothing of what the events mean.
 */
import { createParser } from "eventsource-parser";

/** One framed event; `event` is undefined when the stream did not name it. */
export type SseEvent = { event?: string | undefined; data: string };

export type SseParser = {
  /** Events completed by these bytes. Throws SseOverflowError past the buffer bound. */
  push(bytes: Uint8Array): SseEvent[];
  /** The last event, where the stream ended without its blank line (several providers do). */
  end(): SseEvent[];
};

/** An event larger than the bound: nothing a model writes, so the stream is not to be trusted. */
export class SseOverflowError extends Error {
  override readonly name = "SseOverflowError";
}

/** Longest event held while it is incomplete, in UTF-16 units: an inline image fits, a flood does not. */
const defaultMaxBufferChars = 16 * 1024 * 1024;

/**
 * A parser for one stream, after the WHATWG event-stream grammar (LF, CRLF, CR, comments, BOM).
 * Characters split over chunks are joined; the same bytes give the same events however they are cut.
 */
export function createSseParser(maxBufferChars = defaultMaxBufferChars): SseParser {
  let events: SseEvent[] = [];
  let overflow = false;
  const decoder = new TextDecoder();
  const parser = createParser({
    maxBufferSize: maxBufferChars,
    onEvent: (event) => events.push(event),
    onError: (error) => {
      overflow ||= error.type === "max-buffer-size-exceeded";
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
    end: () => feed(`${decoder.decode()}\n\n`),
  };
}
