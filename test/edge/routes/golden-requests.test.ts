// One request with fields that other gateways lose or change ($ref, additionalProperties, a `$ref` inside a tool's result, a single
// stop): the exact JSON that each provider must get for it.
import { describe, expect, test } from "vitest";
import { createTestApp, newCaller } from "../support/app.ts";

const parameters = {
  type: "object",
  properties: { root: { $ref: "#/$defs/node" } },
  required: ["root"],
  additionalProperties: false,
  $defs: {
    node: { type: "object", properties: { next: { $ref: "#/$defs/node" } }, additionalProperties: false },
  },
};
const result = '{"$ref":"#/definitions/a","additionalProperties":false}';
const toolCall = {
  id: "call_1",
  type: "function",
  function: { name: "read", arguments: '{"root":{"next":{}}}' },
};
const messages = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Read the schema." },
  { role: "assistant", content: null, tool_calls: [toolCall] },
  { role: "tool", tool_call_id: "call_1", content: result },
];
const tools = [{ type: "function", function: { name: "read", description: "Reads", parameters } }];
const request = { messages, tools, tool_choice: "auto", max_tokens: 50, svc: { plan: "off" } };

const golden = [
  {
    kind: "alpha",
    model: "gpt-4o",
    url: "https://api.openai.com/v1/chat/completions",
    body: {
      model: "gpt-4o",
      messages,
      tools,
      tool_choice: "auto",
      max_completion_tokens: 50,
      stop: ["END"],
      stream: true,
      stream_options: { include_usage: true },
    },
  },
  {
    kind: "router",
    model: "openai/gpt-4o",
    url: "https://openrouter.ai/api/v1/chat/completions",
    body: {
      model: "openai/gpt-4o",
      messages,
      tools,
      tool_choice: "auto",
      max_tokens: 50,
      stop: ["END"],
      stream: true,
      stream_options: { include_usage: true },
      usage: { include: true },
    },
  },
  {
    kind: "beta",
    model: "claude-sonnet-4-5",
    url: "https://api.anthropic.com/v1/messages",
    body: {
      model: "claude-sonnet-4-5",
      max_tokens: 50,
      stream: true,
      system: [{ type: "text", text: "Be brief." }],
      messages: [
        { role: "user", content: [{ type: "text", text: "Read the schema." }] },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "call_1", name: "read", input: { root: { next: {} } } }],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "call_1", content: [{ type: "text", text: result }] },
          ],
        },
      ],
      tools: [{ name: "read", description: "Reads", input_schema: parameters }],
      tool_choice: { type: "auto" },
      stop_sequences: ["END"],
    },
  },
  {
    kind: "gamma",
    model: "gemini-2.5-flash",
    url: "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    body: {
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [
        { role: "user", parts: [{ text: "Read the schema." }] },
        {
          role: "model",
          parts: [{ functionCall: { id: "call_1", name: "read", args: { root: { next: {} } } } }],
        },
        // As text: inside an object Gemini would take `$ref` for a reference of its own.
        {
          role: "user",
          parts: [{ functionResponse: { id: "call_1", name: "read", response: { output: result } } }],
        },
      ],
      tools: [
        { functionDeclarations: [{ name: "read", description: "Reads", parametersJsonSchema: parameters }] },
      ],
      toolConfig: { functionCallingConfig: { mode: "AUTO" } },
      generationConfig: { maxOutputTokens: 50, stopSequences: ["END"] },
    },
  },
];

describe("what a provider is sent (failures 28)", () => {
  const stops = [["as text", "END"] as const, ["as a list of one", ["END"]] as const];
  const cases = golden.flatMap((one) => stops.map(([how, stop]) => ({ ...one, how, stop })));
  test.each(cases)("$kind, stop given $how", async ({ kind, model, url, body, stop }) => {
    const caller = await newCaller(1_000_000);
    const { chat, sent } = createTestApp();
    const headers = { [`x-${kind}-key`]: "own-key" };
    const response = await chat(
      caller.apiKey,
      { ...request, model: `svc-x1ac-base-${model}`, stop },
      headers,
    );
    await response.text();
    expect(sent[0]).toMatchObject({ url });
    expect(sent[0]?.body).toEqual(body);
    expect(response.headers.get("x-svc-unsupported")).toBeNull();
  });
});
