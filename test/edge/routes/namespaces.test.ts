// Codex with an MCP server, through the whole app: its tools in a namespace, a call, the call's result.
import { describe, expect, test } from "vitest";
import { findResponseBreaks, foldResponse, parseResponseFrames } from "../../support/responses-stream.ts";
import { createTestApp, eventStream, newCaller, openaiUsage, type Sent } from "../support/app.ts";

type Json = Record<string, unknown>;

const server = {
  type: "namespace",
  name: "mcp__github",
  description: "Tools in the mcp__github namespace.",
  tools: [
    {
      type: "function",
      name: "list_issues",
      description: "Lists issues",
      parameters: { type: "object", properties: { repo: { type: "string" } } },
      strict: false,
    },
  ],
};
const shell = { type: "function", name: "shell", description: "Runs", parameters: { type: "object" } };
const hubName = "mcp__github__list_issues";
const written = '{"repo":"a/b"}';

const sse = (frames: string[]) => eventStream(frames.join(""));
const openaiChunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const anthropicEvent = (event: Json) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`;
const usage = { input_tokens: 5, output_tokens: 7 };

const openaiCall = () =>
  sse([
    openaiChunk({
      role: "assistant",
      tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: hubName, arguments: "" } }],
    }),
    ...[written.slice(0, 4), written.slice(4)].map((piece) =>
      openaiChunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] }),
    ),
    openaiChunk({}, "tool_calls"),
    `data: ${JSON.stringify({ id: "c", choices: [], usage: openaiUsage(12, 3) })}\n\n`,
    "data: [DONE]\n\n",
  ]);
const anthropicCall = () =>
  sse(
    [
      { type: "message_start", message: { id: "m", type: "message", role: "assistant", content: [], usage } },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "call_1", name: hubName, input: {} },
      },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: written } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage },
      { type: "message_stop" },
    ].map(anthropicEvent),
  );

const targets = [
  {
    name: "OpenAI",
    model: "svc-x1ac-base-gpt-4o",
    key: "x-alpha-key",
    call: openaiCall,
    toolNames: (body: Json) => (body.tools as { function: Json }[]).map((tool) => tool.function.name),
    history: { tool_calls: [{ id: "call_1", function: { name: hubName, arguments: written } }] },
  },
  {
    name: "Claude",
    model: "svc-x1ac-base-claude-sonnet-4-5",
    key: "x-beta-key",
    call: anthropicCall,
    toolNames: (body: Json) => (body.tools as Json[]).map(({ name }) => name),
    history: { content: [{ type: "tool_use", id: "call_1", name: hubName, input: JSON.parse(written) }] },
  },
];

async function ask(target: (typeof targets)[number], body: Json) {
  const { apiKey } = await newCaller(1_000_000);
  const app = createTestApp({ provider: [target.call] });
  const response = await app.post(
    "/v1/responses",
    apiKey,
    {
      model: target.model,
      store: false,
      stream: true,
      svc: { plan: "off" },
      tools: [shell, server],
      ...body,
    },
    { [target.key]: "own" },
  );
  const text = await response.text();
  await response.settled();
  return { status: response.status, text, headers: response.headers, sent: app.sent as Sent[] };
}

describe("an MCP server of Codex", () => {
  test.each(targets)("is called and answered over two turns ($name)", async (target) => {
    const user = { type: "message", role: "user", content: [{ type: "input_text", text: "Any issues?" }] };
    const first = await ask(target, { input: [user] });
    expect(first.headers.get("x-svc-unsupported")).toBeNull();
    expect(target.toolNames(first.sent[0]!.body)).toEqual(["shell", hubName]);
    const events = parseResponseFrames(first.text);
    expect(findResponseBreaks(events)).toEqual([]);
    expect(events[0]).toMatchObject({ response: { tools: [shell, server] } });
    const { output } = foldResponse(events);
    const call = { type: "function_call", namespace: "mcp__github", name: "list_issues", call_id: "call_1" };
    expect(output).toMatchObject([{ ...call, arguments: written }]);

    // As Codex keeps it: without the id.
    const kept = output.map(({ id: _id, status: _status, ...item }) => item);
    const result = { type: "function_call_output", call_id: "call_1", output: "None." };
    const second = await ask(target, { input: [user, ...kept, result] });
    expect(second.status).toBe(200);
    expect(second.sent[0]?.body.tools).toEqual(first.sent[0]?.body.tools);
    const messages = second.sent[0]?.body.messages as Json[];
    expect(messages.find(({ role }) => role === "assistant")).toMatchObject(target.history);
  });

  test.each(targets)("is forced by the names that it has at its caller ($name)", async (target) => {
    const choice = { type: "function", namespace: "mcp__github", name: "list_issues" };
    const { status, sent, text } = await ask(target, { input: "x", tool_choice: choice });
    expect(status).toBe(200);
    expect(JSON.stringify(sent[0]?.body.tool_choice)).toContain(`"name":"${hubName}"`);
    expect(parseResponseFrames(text)[0]).toMatchObject({ response: { tool_choice: choice } });
  });

  test("has what it may not have named in a header, whatever it is called", async () => {
    const odd = { ...server, tools: [...server.tools, { type: "web\r\nsearch\u2603" }] };
    const { status, headers } = await ask(targets[0]!, { input: "x", tools: [odd] });
    expect(status).toBe(200);
    expect(headers.get("x-svc-unsupported")).toBe("tools.namespace.tools.web__search_");
  });
});
