/** A request of the hub with these messages and nothing else, from a caller of OpenAI's dialect. */
import type { ChatMessage, ChatRequest, ContentPart } from "../../../shared/chat.ts";

export const requestOf = (messages: ChatMessage[]): ChatRequest => ({
  messages,
  tools: [],
  stream: true,
  choices: 1,
  stop: [],
  extra: {},
  callerDialect: "openai",
});

export const saying = (...parts: ContentPart[]): ChatRequest => requestOf([{ role: "user", parts }]);
