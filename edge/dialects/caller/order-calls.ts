/**
 * Puts the blocks of an answer one after the other, for dialects that stream one block at a time. OpenAI's tool calls may
 * interleave, and do not end before the last chunk. So a call is ended as soon as its arguments are complete JSON, and events of
 * other blocks wait until then.
 */
import type { ChatEvent, EventOf } from "../../../shared/chat.ts";
import { GatewayError } from "../../../shared/errors.ts";
import { ObjectScan } from "../json-scan.ts";

export type BlockEvent = Extract<ChatEvent, { block: number }>;

const broken = (what: string) =>
  new GatewayError("upstream_error", `The provider ${what}; retry the request.`);

/** More than any model writes while a tool call is open: beyond it the provider's stream counts as broken. */
const maxWaitingChars = 4 * 1024 * 1024;

const sizeOf = (event: BlockEvent): number =>
  "text" in event ? event.text.length : event.type === "tool-call-delta" ? event.arguments.length : 64;

export class CallOrder {
  readonly #write: (event: BlockEvent) => void;
  /** Events by block, the block that has waited longest first. */
  readonly #waiting = new Map<number, BlockEvent[]>();
  #waitingChars = 0;
  readonly #ended = new Set<number>();
  /** The call that is open, and its arguments so far. */
  #open: { choice: number; block: number; text: ObjectScan } | undefined;

  /** `write` gets every event in order; between a call's start and its end only events of that call. */
  constructor(write: (event: BlockEvent) => void) {
    this.#write = write;
  }

  /** @throws GatewayError upstream_error if the events form no sequence of blocks */
  push(event: BlockEvent): void {
    if (this.#ended.has(event.block)) {
      if (event.type === "tool-call-end") return;
      if (event.type === "tool-call-delta") {
        if (event.arguments.trim() !== "") throw broken("added to a tool call that was complete");
        return;
      }
    }
    if (this.#mustWait(event)) this.#wait(event);
    else {
      this.#pass(event);
      if (this.#waiting.size > 0) this.#release();
    }
  }

  /** Whether a call is open, so that events of other blocks may have to wait. */
  isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** To be called at the end of the answer: writes waiting events, and calls `close` after each block that may be open. */
  end(close: () => void): void {
    close();
    for (const events of this.#waiting.values()) {
      for (const event of events) this.#write(event);
      close();
    }
  }

  #pass(event: BlockEvent): void {
    const { type, choice, block } = event;
    if (type === "tool-call-start") this.#open = { choice, block, text: new ObjectScan() };
    else if (type === "tool-call-delta" && this.#open?.block === block) this.#open.text.add(event.arguments);
    else if (type === "tool-call-end") {
      if (this.#open?.block === block) this.#open = undefined;
      this.#ended.add(block);
    }
    this.#write(event);
  }

  #wait(event: BlockEvent): void {
    this.#waitingChars += sizeOf(event);
    if (this.#waitingChars > maxWaitingChars) throw broken("wrote too much at once beside a tool call");
    const own = this.#waiting.get(event.block);
    if (own === undefined) this.#waiting.set(event.block, [event]);
    else own.push(event);
  }

  #release(): void {
    for (const [block, events] of this.#waiting) {
      if (this.#open !== undefined) return;
      this.#waiting.delete(block);
      for (const event of events) this.#pass(event);
    }
  }

  /** Whether an event of another block has to wait, because a call with incomplete arguments is open. */
  #mustWait({ block }: BlockEvent): boolean {
    const open = this.#open;
    if (open === undefined || open.block === block) return false;
    if (this.#waiting.has(block) || !open.text.isWhole()) return true;
    this.#pass({ type: "tool-call-end", choice: open.choice, block: open.block });
    this.#release();
    return this.#open !== undefined;
  }
}

type CallEvent = EventOf<"tool-call-start" | "tool-call-delta" | "tool-call-end">;
const isCallEvent = (event: ChatEvent): event is CallEvent => event.type.startsWith("tool-call-");

/**
 * The calls of a stream one after the other, for clients that read a call's arguments when the next one starts (OpenAI's
 * `.stream()` throws for one that is not complete). Other events wait for no call.
 */
export class CallQueue {
  /** By choice. */
  readonly #orders = new Map<number, { order: CallOrder; blocks: Set<number> }>();
  #ordered: ChatEvent[] = [];

  /** The events of one batch that may be written now, and those that waited for them. */
  take(events: readonly ChatEvent[]): readonly ChatEvent[] {
    if (this.#orders.size === 0 && !events.some(isCallEvent)) return events;
    this.#ordered = [];
    for (const event of events) this.#push(event);
    return this.#ordered;
  }

  #push(event: ChatEvent): void {
    const known = "choice" in event ? this.#orders.get(event.choice) : undefined;
    if (isCallEvent(event)) {
      const { order, blocks } = known ?? this.#open(event.choice);
      blocks.add(event.block);
      order.push(event);
    } else if (event.type === "signature" && known?.blocks.has(event.block)) known.order.push(event);
    else {
      if (event.type === "finish") known?.order.end(() => {});
      this.#ordered.push(event);
    }
  }

  #open(choice: number) {
    const opened = { order: new CallOrder((event) => this.#ordered.push(event)), blocks: new Set<number>() };
    this.#orders.set(choice, opened);
    return opened;
  }
}
