/** Requests and answers of POST /v1/responses. */
import { cityArguments, created, event, model, question, svc, text, weather } from "./facts.ts";

export const responsesRequests = {
  plain: { model, input: question },
  tools: {
    model: "svc-x1ac-base-gemini-2.5-flash",
    instructions: "Answer in one sentence.",
    input: [
      { role: "user", content: "How is the weather in Lisbon?" },
      { type: "function_call", call_id: "call_1", name: weather.name, arguments: cityArguments },
      { type: "function_call_output", call_id: "call_1", output: '{"sky":"clear"}' },
    ],
    tools: [{ type: "function", ...weather }],
    stream: true,
  },
};

export const responsesAnswer = {
  id: "resp_9d0b1c2d3e4f",
  object: "response",
  frequency_penalty: 0,
  presence_penalty: 0,
  created_at: created,
  completed_at: created + 1,
  status: "completed",
  background: false,
  store: false,
  previous_response_id: null,
  error: null,
  incomplete_details: null,
  model,
  output: [
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
    },
  ],
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  parallel_tool_calls: true,
  reasoning: { effort: null, summary: null },
  service_tier: "auto",
  temperature: 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: "disabled",
  usage: {
    input_tokens: 96,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 18,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 114,
    cost: svc.credits_charged,
  },
  svc,
};
export const compactedAnswer = {
  id: "resp_9d0b1c2d3e4f",
  object: "response.compaction",
  created_at: created,
  output: [
    {
      type: "message",
      id: "msg_9d0b1c2d3e4f_0",
      role: "user",
      status: "completed",
      content: [{ type: "input_text", text: question }],
    },
    { type: "compaction", id: "cmp_9d0b1c2d3e4f_0", encrypted_content: "svc1.eyJzdW1tYXJ5Ijoi4oCmIn0" },
  ],
  usage: responsesAnswer.usage,
  svc,
};
export const countAnswer = { object: "response.input_tokens", input_tokens: 11 };
const begun = { ...responsesAnswer, status: "in_progress", completed_at: null, output: [], usage: null };
const place = { output_index: 0, item_id: "msg_1" };
export const responsesStream = [
  { type: "response.created", response: begun },
  { type: "response.in_progress", response: begun },
  { type: "response.output_text.delta", ...place, content_index: 0, delta: text },
  { type: "response.completed", response: responsesAnswer },
]
  .map((fields, sequence_number) => event({ ...fields, sequence_number }))
  .join("");
