/**
 * Puts the blocks of an answer one after the other, for dialects that stream one block at a time. OpenAI's tool calls may
 * interleave, and do not end before the last chunk. So a call is ended as soon as its arguments are complete JSON, and events of
 * other blocks wait until then.
 */
import type { ChatEvent } from "../../shared/chat.ts";
import { GatewayError } from "../../shared/errors.ts";
import { parseJson } from "./json.ts";

export type BlockEvent = Extract<ChatEvent, { block: number }>;

export type CallOrder = {
  /** @throws GatewayError upstream_error if the events form no sequence of blocks */
  push(event: BlockEvent): void;
  /** Whether a call is open, so that events of other blocks may have to wait. */
  isOpen(): boolean;
  /** To be called at the end of the answer: writes waiting events, and calls `close` after each block that may be open. */
  end(close: () => void): void;
};

const broken = (what: string) =>
  new GatewayError("upstream_error", `The provider ${what}; retry the request.`);

/** `write` gets every event in order; between a call's start and its end only events of that call. */
export function createCallOrder(write: (event: BlockEvent) => void): CallOrder {
  const waiting = createWaitingEvents();
  const ended = new Set<number>();
  /** The call that is open, and its arguments so far. */
  let open: { choice: number; block: number; text: string } | undefined;

  const pass = (event: BlockEvent) => {
    const { type, choice, block } = event;
    if (type === "tool-call-start") open = { choice, block, text: "" };
    else if (type === "tool-call-delta" && open?.block === block) open.text += event.arguments;
    else if (type === "tool-call-end") {
      if (open?.block === block) open = undefined;
      ended.add(block);
    }
    write(event);
  };
  const release = () => {
    while (waiting.size() > 0 && open === undefined) for (const event of waiting.takeBlock()) pass(event);
  };
  /** Whether an event of another block has to wait, because a call with incomplete arguments is open. */
  const mustWait = ({ block }: BlockEvent): boolean => {
    if (open === undefined || open.block === block) return false;
    if (waiting.has(block) || !isComplete(open.text)) return true;
    pass({ type: "tool-call-end", choice: open.choice, block: open.block });
    release();
    return open !== undefined;
  };

  return {
    push(event) {
      if (ended.has(event.block)) {
        if (event.type === "tool-call-end") return;
        if (event.type === "tool-call-delta") {
          if (event.arguments.trim() !== "") throw broken("added to a tool call that was complete");
          return;
        }
      }
      if (mustWait(event)) return waiting.add(event);
      pass(event);
      if (waiting.size() > 0) release();
    },
    isOpen: () => open !== undefined,
    end(close) {
      close();
      while (waiting.size() > 0) {
        for (const event of waiting.takeBlock()) write(event);
        close();
      }
    },
  };
}

/** More than any model writes while a tool call is open: beyond it the provider's stream counts as broken. */
const maxWaitingChars = 4 * 1024 * 1024;

type WaitingEvents = {
  /** @throws GatewayError upstream_error past the bound */
  add(event: BlockEvent): void;
  has(block: number): boolean;
  size(): number;
  /** The events of the block that has waited longest. */
  takeBlock(): BlockEvent[];
};

function createWaitingEvents(): WaitingEvents {
  const blocks = new Map<number, BlockEvent[]>();
  let chars = 0;
  return {
    add(event) {
      chars +=
        "text" in event ? event.text.length : event.type === "tool-call-delta" ? event.arguments.length : 64;
      if (chars > maxWaitingChars) throw broken("wrote too much at once beside a tool call");
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

/** True if the arguments are a whole JSON object: only white space can follow. */
const isComplete = (text: string): boolean => text.trimEnd().endsWith("}") && parseJson(text) !== undefined;
