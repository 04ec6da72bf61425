/**
 * Puts the blocks of an answer one after the other, for dialects that stream one block at a time. OpenAI's tool calls may
 * interleave, and do not end before the last chunk. So a call is ended as soon as its arguments are complete JSON, and events of
 * other blocks wait until then.
 */
import type { ChatEvent } from "../../shared/chat.ts";
import { GatewayError } from "../../shared/errors.ts";
import { createObjectScan, type ObjectScan } from "./json.ts";

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

/** More than any model writes while a tool call is open: beyond it the provider's stream counts as broken. */
const maxWaitingChars = 4 * 1024 * 1024;

/** `write` gets every event in order; between a call's start and its end only events of that call. */
export function createCallOrder(write: (event: BlockEvent) => void): CallOrder {
  /** Events by block, the block that has waited longest first. */
  const waiting = new Map<number, BlockEvent[]>();
  let waitingChars = 0;
  const ended = new Set<number>();
  /** The call that is open, and its arguments so far. */
  let open: { choice: number; block: number; text: ObjectScan } | undefined;

  const pass = (event: BlockEvent) => {
    const { type, choice, block } = event;
    if (type === "tool-call-start") open = { choice, block, text: createObjectScan() };
    else if (type === "tool-call-delta" && open?.block === block) open.text.add(event.arguments);
    else if (type === "tool-call-end") {
      if (open?.block === block) open = undefined;
      ended.add(block);
    }
    write(event);
  };
  const wait = (event: BlockEvent) => {
    waitingChars +=
      "text" in event ? event.text.length : event.type === "tool-call-delta" ? event.arguments.length : 64;
    if (waitingChars > maxWaitingChars) throw broken("wrote too much at once beside a tool call");
    const own = waiting.get(event.block);
    if (own === undefined) waiting.set(event.block, [event]);
    else own.push(event);
  };
  const release = () => {
    for (const [block, events] of waiting) {
      if (open !== undefined) return;
      waiting.delete(block);
      for (const event of events) pass(event);
    }
  };
  /** Whether an event of another block has to wait, because a call with incomplete arguments is open. */
  const mustWait = ({ block }: BlockEvent): boolean => {
    if (open === undefined || open.block === block) return false;
    if (waiting.has(block) || !open.text.isWhole()) return true;
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
      if (mustWait(event)) return wait(event);
      pass(event);
      if (waiting.size > 0) release();
    },
    isOpen: () => open !== undefined,
    end(close) {
      close();
      for (const events of waiting.values()) {
        for (const event of events) write(event);
        close();
      }
    },
  };
}
