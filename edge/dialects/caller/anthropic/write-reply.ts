/** A message in JSON, built from the events from which a stream would be written. */
import type { ChatEvent, EventOf, Usage } from "../../../../shared/chat.ts";
import { parseExactly } from "../../exact-numbers.ts";
import { readToolArguments } from "../../json.ts";
import { type BlockSink, type DeltaType, deltaFields, type Envelope, type Message } from "./reply-types.ts";
import { createBlockWriter } from "./write-blocks.ts";
import { writeFacts, writeMessageId, writeStop, writeUsage } from "./write-end.ts";

/** `events` must not hold an `error` event: the caller of this function answers it with an error body. */
export function buildMessage(events: readonly ChatEvent[], envelope: Envelope, usage?: Usage): Message {
  const { model, provider } = envelope;
  const content: Block[] = [];
  const writer = createBlockWriter(provider, collectBlocks(content));
  let start: EventOf<"start"> | undefined;
  let finish: EventOf<"finish"> | undefined;
  for (const event of events) {
    if (event.type === "start") start ??= event;
    else if (event.type === "finish") finish ??= event;
    else if ("block" in event) writer.push(event);
  }
  writer.end();
  const { stop, beside } = writeStop(finish, provider, writer.said(), writer.notes());
  return {
    id: writeMessageId(envelope, start),
    type: "message",
    role: "assistant",
    model,
    content: content as Message["content"],
    // The start of a stream has null for what its end brings.
    ...writeFacts(provider, start),
    ...stop,
    usage: writeUsage(usage),
    ...beside,
  };
}

export type Block = Record<string, unknown>;

/** Adds deltas to their blocks, as the official client does. */
function collectBlocks(content: Block[]): BlockSink {
  const json = new Map<number, string>();
  const grow = (block: Block, field: string, value: unknown) => {
    block[field] = String(block[field] ?? "") + String(value);
  };
  const folds: Record<DeltaType, (block: Block, value: unknown, index: number) => void> = {
    text_delta: (block, value) => grow(block, deltaFields.text_delta, value),
    thinking_delta: (block, value) => grow(block, deltaFields.thinking_delta, value),
    signature_delta: (block, value) => {
      block.signature = value;
    },
    compaction_delta: (block, value) => {
      block.content = value;
    },
    citations_delta: (block, value) => {
      block.citations = [...((block.citations as unknown[] | null | undefined) ?? []), value];
    },
    input_json_delta: (_block, value, index) => {
      json.set(index, (json.get(index) ?? "") + String(value));
    },
  };
  return {
    start: (_index, block) => void content.push({ ...block }),
    delta: (index, type, value) => folds[type](content[index] as Block, value, index),
    stop: (index) => {
      const text = json.get(index);
      if (text !== undefined && text.trim() !== "") (content[index] as Block).input = parseInput(text);
    },
  };
}

/** If the model wrote no valid JSON, its text, so that the caller sees it. */
function parseInput(text: string): unknown {
  const input = parseExactly(text);
  return input === undefined ? readToolArguments(text).value : input;
}
