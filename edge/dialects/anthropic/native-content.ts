/**
 * An answer's content as Anthropic wrote it, for callers of other dialects to send back: made where their own
 * fields cannot say it all (citations, server tools, text between thinking), and given as a note at the end.
 */
import type { ChatEvent } from "../../../shared/chat.ts";
import { createBlockSequencer } from "./block-sequencer.ts";
import type { BlockEvent } from "./block-writer.ts";
import { type Block, collectBlocks } from "./collect-blocks.ts";

export type ContentRecorder = {
  push(events: readonly ChatEvent[]): void;
  /** The note, where the content is more than other dialects can say. */
  note(): ChatEvent[];
};

/** Beyond this an answer is no longer kept: more than a model writes, and only memory to a stream that floods. */
const mostChars = 4 * 1024 * 1024;

export function createContentRecorder(): ContentRecorder {
  const content: Block[] = [];
  let chars = 0;
  const sequencer = createBlockSequencer("anthropic", collectBlocks(content));
  let broken = false;
  const keep = (work: () => void) => {
    try {
      if (!broken) work();
    } catch {
      // Blocks that cannot be put in order: the answer goes on without a note of them.
      giveUp();
    }
  };
  const giveUp = () => {
    broken = true;
    content.length = 0;
  };
  return {
    push: (events) =>
      keep(() => {
        for (const event of events) {
          if (!("block" in event)) continue;
          chars += countChars(event);
          if (chars > mostChars) return giveUp();
          sequencer.push(event);
        }
      }),
    note() {
      keep(() => sequencer.end());
      return broken ? [] : noteContent(content);
    },
  };
}

const countChars = (event: BlockEvent): number =>
  "text" in event ? event.text.length : event.type === "tool-call-delta" ? event.arguments.length : 64;

export function noteContent(content: readonly Block[]): ChatEvent[] {
  if (isPlain(content)) return [];
  const data = { content };
  return [{ type: "opaque", choice: 0, block: 0, dialect: "anthropic", data, annotation: true }];
}

/** Rank of a block in the only order that other dialects have: reasoning, one text, calls. */
const ranks: Readonly<Record<string, number>> = { thinking: 0, redacted_thinking: 0, text: 1, tool_use: 2 };

function isPlain(content: readonly Block[]): boolean {
  let rank = 0;
  let texts = 0;
  for (const block of content) {
    const own = ranks[String(block.type)];
    if (own === undefined || own < rank) return false;
    rank = own;
    if (own === 1) texts += 1;
    if (Array.isArray(block.citations) && block.citations.length > 0) return false;
    const caller = block.caller as { type?: unknown } | null | undefined;
    if (caller != null && caller.type !== "direct") return false;
  }
  return texts <= 1;
}
