/** Anthropic's messages (beta): named events, numbered blocks, usage split by cache. */
import { cutJson, cutWords, type FakeWire, type FullAnswer, writeArguments } from "./script.ts";

const stopReasons = {
  stop: "end_turn",
  length: "max_tokens",
  "tool-calls": "tool_use",
  "content-filter": "refusal",
} as const;

const errorTypes: ReadonlyMap<number, string> = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [529, "overloaded_error"],
]);

const frame = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

const signature = "ZmFrZS1zaWduYXR1cmU=";

function writeUsage({ usage }: FullAnswer, output: number) {
  return {
    input_tokens: usage.input - usage.cachedInput - usage.cacheWrite,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cachedInput,
    output_tokens: output,
  };
}

type Block = { whole: object; empty: object; deltas: object[] };

/** Each content block as it stands whole, as it starts, and as its deltas. */
function listBlocks(answer: FullAnswer): Block[] {
  const thinking: Block = {
    whole: { type: "thinking", thinking: answer.reasoning, signature },
    empty: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      ...cutWords(answer.reasoning).map((piece) => ({ type: "thinking_delta", thinking: piece })),
      { type: "signature_delta", signature },
    ],
  };
  const text: Block = {
    whole: { type: "text", text: answer.text },
    empty: { type: "text", text: "" },
    deltas: cutWords(answer.text).map((piece) => ({ type: "text_delta", text: piece })),
  };
  const tools = answer.toolCalls.map((call, index): Block => {
    const head = { type: "tool_use", id: call.id ?? `toolu_fake_${index}`, name: call.name };
    const json = writeArguments(call);
    return {
      whole: { ...head, input: JSON.parse(json) },
      empty: { ...head, input: {} },
      deltas: ["", ...cutJson(json)].map((piece) => ({ type: "input_json_delta", partial_json: piece })),
    };
  });
  return [...(answer.reasoning === "" ? [] : [thinking]), ...(answer.text === "" ? [] : [text]), ...tools];
}

function writeMessage(answer: FullAnswer) {
  return {
    id: `msg_${answer.responseId ?? "fake"}`,
    type: "message",
    role: "assistant",
    model: answer.model,
    stop_sequence: null,
  };
}

export const betaWire: FakeWire = {
  defaultModel: "claude-sonnet-4-5-20250929",
  writeReply: (answer) => ({
    ...writeMessage(answer),
    content: listBlocks(answer).map(({ whole }) => whole),
    stop_reason: stopReasons[answer.finish],
    usage: writeUsage(answer, answer.usage.output),
  }),
  writeFrames: (answer) => {
    const message = { ...writeMessage(answer), content: [], stop_reason: null, usage: writeUsage(answer, 1) };
    const events = [
      { type: "message_start", message },
      { type: "ping" },
      ...listBlocks(answer).flatMap(({ empty, deltas }, index) => [
        { type: "content_block_start", index, content_block: empty },
        ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
        { type: "content_block_stop", index },
      ]),
      {
        type: "message_delta",
        delta: { stop_reason: stopReasons[answer.finish], stop_sequence: null },
        usage: { output_tokens: answer.usage.output },
      },
      { type: "message_stop" },
    ];
    return events.map(frame);
  },
  writeError: (status, message) => ({
    type: "error",
    error: { type: errorTypes.get(status) ?? "api_error", message },
    request_id: "req_fake",
  }),
  writeModels: () => ({
    data: [
      {
        type: "model",
        id: "claude-sonnet-4-5-20250929",
        display_name: "Claude Sonnet 4.5",
        created_at: "2025-09-29T00:00:00Z",
      },
    ],
    has_more: false,
    first_id: "claude-sonnet-4-5-20250929",
    last_id: "claude-sonnet-4-5-20250929",
  }),
  writeReplay: (jsonLines) =>
    jsonLines.map((line) => `event: ${(JSON.parse(line) as { type: string }).type}\ndata: ${line}\n\n`),
};
