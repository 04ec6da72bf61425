/** Requests and answers of POST /v1/messages and its counter. */
import { event, model, question, svc, text, weather } from "./facts.ts";

export const messagesRequests = {
  plain: { model, max_tokens: 1000, messages: [{ role: "user", content: question }] },
  tools: {
    model: "svc-x1ac-base-claude-sonnet-4-5",
    max_tokens: 1000,
    stream: true,
    system: "Answer in one sentence.",
    messages: [{ role: "user", content: [{ type: "text", text: "How is the weather in Lisbon?" }] }],
    tools: [{ name: weather.name, description: weather.description, input_schema: weather.parameters }],
  },
};

const messageUsage = {
  input_tokens: 96,
  output_tokens: 18,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};
export const messagesAnswer = {
  id: "msg_9d0b1c2d3e4f",
  type: "message",
  role: "assistant",
  model,
  content: [{ type: "text", text, citations: [] }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: messageUsage,
};

const inBlock = <Type extends string>(type: Type, fields: object = {}) => ({ type, index: 0, ...fields });
export const messagesStream = [
  { type: "message_start", message: { ...messagesAnswer, content: [], stop_reason: null } },
  inBlock("content_block_start", { content_block: { type: "text", text: "" } }),
  inBlock("content_block_delta", { delta: { type: "text_delta", text } }),
  inBlock("content_block_stop"),
  {
    type: "message_delta",
    delta: { stop_reason: "end_turn", stop_sequence: null },
    usage: messageUsage,
    svc: { credits_charged: svc.credits_charged },
  },
  { type: "message_stop" },
]
  .map(event)
  .join("");

export const countRequest = { model, messages: messagesRequests.plain.messages };
export const countAnswer = { input_tokens: 11 };
