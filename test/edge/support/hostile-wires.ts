/** One answer of words and a call on each provider's wire, frame by frame. */

export type Wire = {
  name: string;
  model: string;
  headers: Record<string, string>;
  /** Frames of an answer: a start, two words, a tool call, an end. Without line ends. */
  start: string[];
  words: string[];
  tool: string[];
  end: string[];
  unknown: string;
  failure: string;
  /** Closing without `end` is not to be taken for an answer. */
  garbage: string;
};

const data = (value: object) => `data: ${JSON.stringify(value)}`;
export const named = (value: { type: string } & Record<string, unknown>) =>
  `event: ${value.type}\n${data(value)}`;
export const chunk = (delta: object, finish_reason: string | null = null) =>
  data({ id: "c", choices: [{ index: 0, delta, finish_reason }] });
const part = (parts: object[], more: object = {}) =>
  data({ candidates: [{ content: { role: "model", parts }, index: 0, ...more }] });
const block = (index: number, content_block: object, ...deltas: object[]) => [
  named({ type: "content_block_start", index, content_block }),
  ...deltas.map((delta) => named({ type: "content_block_delta", index, delta })),
  named({ type: "content_block_stop", index }),
];
export const text = (value: string) => ({ type: "text_delta", text: value });

export const wires: Wire[] = [
  {
    name: "OpenAI's wire",
    model: "svc-x1ac-base-gpt-4o",
    headers: { "x-alpha-key": "sk-own" },
    start: [chunk({ role: "assistant", content: "" })],
    words: [chunk({ content: "Grüße, " }), chunk({ content: "世界 👩‍🚀" })],
    // No argument deltas at all.
    tool: [chunk({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "now" } }] })],
    end: [
      chunk({}, "tool_calls"),
      data({ id: "c", choices: [], usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 } }),
      "data: [DONE]",
    ],
    unknown: "event: mystery\ndata: {}",
    failure: data({ error: { message: "The host fell over", code: 500 } }),
    garbage: 'data: {"choices":[{"ind',
  },
  {
    name: "Anthropic's wire",
    model: "svc-x1ac-base-claude-sonnet-4-5",
    headers: { "x-beta-key": "sk-ant-own" },
    start: [
      named({
        type: "message_start",
        message: { id: "msg_1", usage: { input_tokens: 9, output_tokens: 1 } },
      }),
    ],
    words: block(0, { type: "text", text: "" }, text("Grüße, "), text("世界 👩‍🚀")),
    tool: block(1, { type: "tool_use", id: "toolu_1", name: "now", input: {} }),
    end: [
      named({
        type: "message_delta",
        delta: { stop_reason: "tool_use", stop_sequence: null },
        usage: { output_tokens: 5 },
      }),
      named({ type: "message_stop" }),
    ],
    unknown: named({ type: "mystery", weight: 1 }),
    failure: named({ type: "error", error: { type: "overloaded_error", message: "The host fell over" } }),
    garbage: 'event: content_block_delta\ndata: {"type":"content_blo',
  },
  {
    name: "Gemini's wire",
    model: "svc-x1ac-base-gemini-2.5-flash",
    headers: { "x-gamma-key": "AIzaOwn" },
    start: [],
    words: [part([{ text: "Grüße, " }]), part([{ text: "世界 👩‍🚀" }])],
    tool: [part([{ functionCall: { name: "now" } }])],
    end: [
      data({
        candidates: [{ content: { role: "model", parts: [] }, finishReason: "STOP", index: 0 }],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 },
      }),
    ],
    unknown: data({ mystery: true }),
    failure: data({ error: { code: 503, message: "The host fell over", status: "UNAVAILABLE" } }),
    garbage: 'data: {"candidates":[{"cont',
  },
];
