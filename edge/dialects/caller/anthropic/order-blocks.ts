/**
 * Reorders the events of an answer so that its blocks can be written one after the other. Tool calls may interleave (OpenAI's
 * do): events of a second call wait until the first one is complete.
 */
import type { DialectName } from "../../../../shared/chat.ts";
import { GatewayError } from "../../../../shared/errors.ts";
import type { BlockSink } from "./reply-types.ts";
import { type BlockEvent, type BlockWriter, createBlockWriter, isComplete } from "./write-blocks.ts";

export type BlockSequencer = Pick<BlockWriter, "said" | "notes"> & {
  push(event: BlockEvent): void;
  /** The end of a batch: nothing is kept back for what may follow. */
  flush(): void;
  /** Closes what is open; the answer is over. */
  end(): void;
};

/** `provider`: whose answer it is. Throws upstream_error where its events make no sequence of blocks. */
export function createBlockSequencer(provider: DialectName, sink: BlockSink): BlockSequencer {
  const writer = createBlockWriter(provider, sink);
  const waiting = createWaitingEvents();
  /** A call's start, kept while the event after it may be its seal, which goes before it. */
  let starting: Extract<BlockEvent, { type: "tool-call-start" }> | undefined;

  const release = () => {
    while (waiting.size() > 0 && writer.openTool() === undefined) {
      for (const event of waiting.takeBlock()) writer.write(event);
    }
  };
  /** Another block's event cannot be written while a call is open whose arguments are not complete. */
  const mustWait = ({ block }: BlockEvent): boolean => {
    const open = writer.openTool();
    if (open === undefined || open.block === block) return false;
    if (waiting.has(block) || !isComplete(open.text)) return true;
    writer.close();
    release();
    return writer.openTool() !== undefined;
  };
  const flush = () => {
    const start = starting;
    starting = undefined;
    if (start !== undefined) writer.startTool(start);
  };

  return {
    push(event) {
      const start = starting;
      if (start !== undefined && event.type === "signature" && event.block === start.block) {
        starting = undefined;
        return writer.startTool(start, event.signature);
      }
      flush();
      if (mustWait(event)) return waiting.add(event);
      if (event.type === "tool-call-start" && provider !== "anthropic") {
        starting = event;
        return;
      }
      writer.write(event);
      if (waiting.size() > 0) release();
    },
    flush,
    end() {
      flush();
      writer.close();
      while (waiting.size() > 0) {
        for (const event of waiting.takeBlock()) writer.write(event);
        writer.close();
      }
    },
    said: writer.said,
    notes: writer.notes,
  };
}

/** More than any model writes beside an open tool call: past it the provider's stream is taken for broken. */
const maxWaitingChars = 4 * 1024 * 1024;

export type WaitingEvents = {
  /** @throws GatewayError upstream_error past the bound */
  add(event: BlockEvent): void;
  has(block: number): boolean;
  size(): number;
  /** The events of the block that has waited longest. */
  takeBlock(): BlockEvent[];
};

export function createWaitingEvents(): WaitingEvents {
  const blocks = new Map<number, BlockEvent[]>();
  let chars = 0;
  return {
    add(event) {
      chars +=
        "text" in event ? event.text.length : event.type === "tool-call-delta" ? event.arguments.length : 64;
      if (chars > maxWaitingChars) {
        throw new GatewayError(
          "upstream_error",
          "The provider wrote too much at once beside a tool call; retry the request.",
        );
      }
      const own = blocks.get(event.block);
      if (own === undefined) blocks.set(event.block, [event]);
      else own.push(event);
    },
    has: (block) => blocks.has(block),
    size: () => blocks.size,
    takeBlock() {
      for (const [block, events] of blocks) {
        blocks.delete(block);
        return events;
      }
      return [];
    },
  };
}
