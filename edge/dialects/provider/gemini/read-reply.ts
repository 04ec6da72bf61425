/** A whole JSON reply of generateContent, as the events a stream of it would give, deltas joined. */
import type { ChatEvent } from "../../../../shared/chat.ts";
import { createContentDecoder } from "./read-stream.ts";

/** Takes one response or an array of chunks (what streamGenerateContent answers without `alt=sse`). */
export function decodeReply(body: unknown, salt?: string): ChatEvent[] {
  const decoder = createContentDecoder(salt);
  const chunks: unknown[] = Array.isArray(body) ? body : [body];
  const events = [...chunks.flatMap((chunk) => decoder.decodeChunk(chunk)), ...decoder.close()];
  const lastUsage = events.findLastIndex(({ type }) => type === "usage");
  return joinDeltas(events.filter(({ type }, position) => type !== "usage" || position === lastUsage));
}

function joinDeltas(events: ChatEvent[]): ChatEvent[] {
  const joined: ChatEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    const isDelta = event.type === "text-delta" || event.type === "reasoning-delta";
    if (isDelta && last?.type === event.type && last.choice === event.choice && last.block === event.block) {
      joined[joined.length - 1] = { ...last, text: last.text + event.text };
    } else joined.push(event);
  }
  return joined;
}
