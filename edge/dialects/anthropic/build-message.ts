/** A message in JSON, built from the same events a stream of it would be encoded from. */
import type { ChatEvent, DialectName, Usage } from "../../../shared/chat.ts";
import { createBlockSequencer } from "./block-sequencer.ts";
import { type Block, collectBlocks } from "./collect-blocks.ts";
import { writeMessageId } from "./message-id.ts";
import type { Message } from "./message-types.ts";
import { writeStop } from "./write-stop.ts";
import { writeUsage } from "./write-usage.ts";

export type MessageFacts = {
  id: string;
  /** The model name as the caller sent it. */
  model: string;
  /** Whose answer it is. */
  provider: DialectName;
  usage?: Usage | undefined;
};

/** `events` must hold no `error` event: whoever reads them answers that with an error body. */
export function buildMessage(events: readonly ChatEvent[], facts: MessageFacts): Message {
  const content: Block[] = [];
  const sequencer = createBlockSequencer(facts.provider, collectBlocks(content));
  let start: Extract<ChatEvent, { type: "start" }> | undefined;
  let finish: Extract<ChatEvent, { type: "finish" }> | undefined;
  for (const event of events) {
    if (event.type === "start") start ??= event;
    else if (event.type === "finish") finish ??= event;
    else if ("block" in event) sequencer.push(event);
  }
  sequencer.end();
  const { stop, contextManagement } = writeStop(finish, facts.provider, sequencer.said(), sequencer.notes());
  return {
    id: writeMessageId(facts, start),
    type: "message",
    role: "assistant",
    model: facts.model,
    content: content as Message["content"],
    ...stop,
    diagnostics: null,
    usage: writeUsage(facts.usage),
    ...(contextManagement !== undefined && { context_management: contextManagement }),
  };
}
