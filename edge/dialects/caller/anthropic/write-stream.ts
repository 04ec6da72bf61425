/**
 * Hub events as the stream of a message. The hot path of this dialect: a text delta is written as constant strings around one
 * `JSON.stringify` of its text. platform.claude.com/docs/en/build-with-claude/streaming
 */
import type { ChatEvent, EventOf, Usage } from "../../../../shared/chat.ts";
import { keepAliveComment } from "../../../stream/sse.ts";
import { type BlockSink, deltaFields, type Envelope } from "./reply-types.ts";
import { createBlockWriter } from "./write-blocks.ts";
import { writeFacts, writeMessageId, writeStop, writeUsage } from "./write-end.ts";

export type MessagesStreamWriter = {
  /**
   * Writes one batch; "" if it holds nothing for the caller. The first batch begins with message_start; `error` events are
   * skipped. Throws upstream_error if the events form no sequence of blocks.
   */
  write(events: readonly ChatEvent[]): string;
  /** The end of a complete answer: closes open blocks, then message_delta with the usage, and message_stop. */
  last(usage?: Usage, svc?: object): string;
  /** A failure after the first bytes, written instead of `last`. */
  error(body: object): string;
  /** Keep-alive for a long silence: `ping`, or a comment before message_start, which has to come first. */
  keepAlive(): string;
};

/** Writes blocks as events. `add` appends text to the stream. */
const createSink = (add: (text: string) => void): BlockSink => ({
  start(index, block) {
    add(
      `event: content_block_start\ndata: {"type":"content_block_start","index":${index},"content_block":${JSON.stringify(block)}}\n\n`,
    );
  },
  delta(index, type, value, more) {
    const rest = more === undefined ? "" : `,${JSON.stringify(more).slice(1, -1)}`;
    add(
      `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${deltaFields[type]}":${JSON.stringify(value)}${rest}}}\n\n`,
    );
  },
  stop(index) {
    add(`event: content_block_stop\ndata: {"type":"content_block_stop","index":${index}}\n\n`);
  },
});

/** The message at its start. `events`: the first batch. */
function describeStart(envelope: Envelope, events: readonly ChatEvent[]): object {
  const { model, provider } = envelope;
  const start = events.find((event) => event.type === "start");
  const usage = events.find((event) => event.type === "usage")?.usage;
  return {
    id: writeMessageId(envelope, start),
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    ...writeFacts(provider, start),
    // Other providers count their output at the end; only Anthropic's first report counts the beginning.
    usage: provider === "anthropic" ? writeUsage(usage) : { ...writeUsage(usage), output_tokens: 0 },
  };
}

export function createMessagesStreamWriter(envelope: Envelope): MessagesStreamWriter {
  const { provider } = envelope;
  let text = "";
  let started = false;
  let finish: EventOf<"finish"> | undefined;
  const add = (piece: string): void => {
    text += piece;
  };
  const writer = createBlockWriter(provider, createSink(add));
  const write = (event: { type: string } & Record<string, unknown>) =>
    add(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const begin = (events: readonly ChatEvent[]) => {
    if (!started) write({ type: "message_start", message: describeStart(envelope, events) });
    started = true;
  };
  const take = () => {
    const written = text;
    text = "";
    return written;
  };

  return {
    write(events) {
      if (events.length > 0) begin(events);
      for (const event of events) {
        if (event.type === "finish") finish ??= event;
        else if ("block" in event) writer.push(event);
      }
      writer.flush();
      return take();
    },
    last(usage, svc) {
      begin([]);
      writer.end();
      const { stop, beside } = writeStop(finish, provider, writer.said(), writer.notes());
      const end = { type: "message_delta", delta: stop, usage: writeUsage(usage), ...(svc && { svc }) };
      write({ ...end, ...beside });
      write({ type: "message_stop" });
      return take();
    },
    error: (body) => `event: error\ndata: ${JSON.stringify(body)}\n\n`,
    keepAlive: () => (started ? 'event: ping\ndata: {"type":"ping"}\n\n' : keepAliveComment),
  };
}
