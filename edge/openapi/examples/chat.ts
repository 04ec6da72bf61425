/** Requests and answers of POST /v1/chat/completions. */
import { cityArguments, created, model, question, svc, text, weather } from "./facts.ts";

export const chatRequests = {
  plain: {
    model,
    messages: [
      { role: "system", content: "The user is on the airline page, not signed in." },
      { role: "user", content: question },
    ],
  },
  stream: {
    model,
    messages: [{ role: "user", content: question }],
    stream: true,
    stream_options: { include_usage: true },
  },
  tools: {
    model: "svc-x1ac-base-claude-sonnet-4-5",
    messages: [{ role: "user", content: "How is the weather in Lisbon?" }],
    tools: [{ type: "function", function: weather }],
    tool_choice: "auto",
  },
  toolResult: {
    model: "svc-x1ac-base-claude-sonnet-4-5",
    messages: [
      { role: "user", content: "How is the weather in Lisbon?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "call_1", type: "function", function: { name: weather.name, arguments: cityArguments } },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: '{"sky":"clear"}' },
    ],
    tools: [{ type: "function", function: weather }],
  },
  withoutPlan: { model, messages: [{ role: "user", content: question }], svc: { plan: "off" } },
};

const usage = {
  prompt_tokens: 96,
  completion_tokens: 18,
  total_tokens: 114,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
  cost: 0.000_042,
};
const envelope = { id: "chatcmpl-9d0b1c2d3e4f", created, model };
const message = { role: "assistant", refusal: null };

export const chatAnswers = {
  text: {
    ...envelope,
    object: "chat.completion",
    system_fingerprint: null,
    choices: [
      {
        index: 0,
        message: { ...message, content: text },
        logprobs: null,
        finish_reason: "stop",
        native_finish_reason: "stop",
      },
    ],
    usage,
    svc,
  },
  toolCall: {
    ...envelope,
    object: "chat.completion",
    system_fingerprint: null,
    choices: [
      {
        index: 0,
        message: {
          ...message,
          content: null,
          tool_calls: [
            { id: "call_1", type: "function", function: { name: weather.name, arguments: cityArguments } },
          ],
        },
        logprobs: null,
        finish_reason: "tool_calls",
        native_finish_reason: "tool_use",
      },
    ],
    usage,
    svc: { ...svc, action_sequence: [weather.name] },
  },
};

const chunk = (fields: object) =>
  `data: ${JSON.stringify({ ...envelope, object: "chat.completion.chunk", ...fields })}\n\n`;
const delta = (fields: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});
export const chatStream = [
  chunk({ ...delta({ role: "assistant", content: "" }), svc }),
  chunk(delta({ content: text })),
  chunk(delta({}, "stop")),
  chunk({ choices: [], usage, svc }),
  "data: [DONE]\n\n",
].join("");
