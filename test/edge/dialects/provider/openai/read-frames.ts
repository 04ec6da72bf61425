/** The events of an answer in OpenAI's format. */
import { createStreamReader } from "../../../../../edge/dialects/provider/openai/read-answer.ts";
import type { ChatEvent } from "../../../../../shared/chat.ts";

export const readFrames = (frames: readonly string[], event?: string): ChatEvent[] => {
  const reader = createStreamReader();
  return [...frames.flatMap((data) => reader.read({ event, data })), ...reader.close()];
};

export const ofType = <T extends ChatEvent["type"]>(events: readonly ChatEvent[], type: T) =>
  events.filter((event): event is Extract<ChatEvent, { type: T }> => event.type === type);

export const facts = { id: "chatcmpl-1", created: 1, model: "m" };
