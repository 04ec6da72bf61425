// Tools in items of `input`, as newer Codex sends them: its own tools, and those that its tool search finds.
import { describe, expect, test } from "vitest";
import { findResponseBreaks, foldResponse, parseResponseFrames } from "../../support/responses-stream.ts";
import { createTestApp, eventStream, newCaller, openaiUsage, type Sent } from "../support/app.ts";

type Json = Record<string, unknown>;

const parameters = { type: "object", properties: { query: { type: "string" } } };
const shell = { type: "function", name: "shell", description: "Runs", parameters };
const exec = { type: "custom", name: "exec", description: "Runs JavaScript" };
const additional = {
  type: "additional_tools",
  role: "developer",
  tools: [{ type: "namespace", name: "functions", description: "", tools: [exec, shell] }],
};
const search = { type: "tool_search", execution: "client", description: "Finds tools", parameters };
const github = {
  type: "namespace",
  name: "mcp__github",
  tools: [{ type: "function", name: "list_issues", description: "Lists issues", parameters }],
};
const user = { type: "message", role: "user", content: [{ type: "input_text", text: "Any issues?" }] };

const chunk = (fields: Json) => `data: ${JSON.stringify({ id: "c", ...fields })}\n\n`;
const callOf = (name: string, written: string) => () => {
  const call = { index: 0, id: "call_1", type: "function", function: { name, arguments: written } };
  const frames = [
    chunk({ choices: [{ index: 0, delta: { role: "assistant", tool_calls: [call] }, finish_reason: null }] }),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }),
    chunk({ choices: [], usage: openaiUsage(12, 3) }),
    "data: [DONE]\n\n",
  ];
  return eventStream(frames.join(""));
};

async function ask(body: Json, provider: () => Response) {
  const { apiKey } = await newCaller(1_000_000);
  const app = createTestApp({ provider: [provider] });
  const fixed = { model: "svc-x1ac-base-gpt-4o", store: false, stream: true, svc: { plan: "off" } };
  const response = await app.post("/v1/responses", apiKey, { ...fixed, ...body }, { "x-alpha-key": "own" });
  const text = await response.text();
  await response.settled();
  expect(text).not.toContain('"error":{');
  expect(response.headers.get("x-svc-unsupported")).toBeNull();
  const events = parseResponseFrames(text);
  expect(findResponseBreaks(events)).toEqual([]);
  const sent = (app.sent as Sent[])[0]!.body;
  const names = (sent.tools as { function: Json }[]).map((tool) => tool.function.name);
  return { output: foldResponse(events).output, names, messages: sent.messages as Json[] };
}

describe("tools in items", () => {
  test("are the request's own where they come as the namespace `functions`, and called without one", async () => {
    const { output, names } = await ask({ input: [additional, user] }, callOf("exec", '{"input":"1+1"}'));
    expect(names).toEqual(["exec", "shell"]);
    expect(output).toMatchObject([{ type: "custom_tool_call", name: "exec", input: "1+1" }]);
    expect(output[0]).not.toHaveProperty("namespace");
  });

  test("are one tool where another place says the same", async () => {
    const input = [additional, user, { ...additional, tools: [shell, github] }];
    const { names } = await ask({ input, tools: [shell] }, callOf("shell", "{}"));
    expect(names).toEqual(["shell", "exec", "mcp__github__list_issues"]);
  });

  test("take the history of their calls with that namespace", async () => {
    const call = {
      type: "custom_tool_call",
      call_id: "c1",
      namespace: "functions",
      name: "exec",
      input: "1",
    };
    const result = { type: "custom_tool_call_output", call_id: "c1", output: "1" };
    const { messages } = await ask({ input: [additional, user, call, result] }, callOf("shell", "{}"));
    expect(messages[1]).toMatchObject({ tool_calls: [{ id: "c1", function: { name: "exec" } }] });
  });
});

describe("a search for tools that the caller runs", () => {
  test("is called as the item it is, and what it found is called in the next turn", async () => {
    const first = await ask({ input: [user], tools: [search] }, callOf("tool_search", '{"query":"issues"}'));
    expect(first.names).toEqual(["tool_search"]);
    const { id, ...call } = first.output[0] as Json;
    expect(id).toMatch(/^tsc_/);
    expect(call).toEqual({
      type: "tool_search_call",
      call_id: "call_1",
      execution: "client",
      arguments: { query: "issues" },
      status: "completed",
    });

    const found = { type: "tool_search_output", call_id: "call_1", execution: "client", tools: [github] };
    const input = [user, call, found];
    const second = await ask({ input, tools: [search] }, callOf("mcp__github__list_issues", "{}"));
    expect(second.names).toEqual(["tool_search", "mcp__github__list_issues"]);
    expect(second.messages.slice(1)).toMatchObject([
      { role: "assistant", tool_calls: [{ id: "call_1", function: { name: "tool_search" } }] },
      { role: "tool", tool_call_id: "call_1", content: "Found; call them by name: mcp__github__list_issues" },
    ]);
    expect(second.output).toMatchObject([
      { type: "function_call", namespace: "mcp__github", name: "list_issues" },
    ]);
  });
});

test("a search that OpenAI would run is left out and named", async () => {
  const { apiKey } = await newCaller(1_000_000);
  const app = createTestApp({ provider: [callOf("shell", "{}")] });
  const response = await app.post(
    "/v1/responses",
    apiKey,
    {
      model: "svc-x1ac-base-gpt-4o",
      tools: [{ type: "tool_search" }],
      input: [
        user,
        { type: "tool_search_call", execution: "server", call_id: null, arguments: {} },
        { type: "tool_search_output", execution: "server", call_id: null, tools: [shell] },
      ],
    },
    { "x-alpha-key": "own" },
  );
  await response.text();
  await response.settled();
  expect(response.status).toBe(200);
  const named = "input.tool_search_call, input.tool_search_output, tools.tool_search";
  expect(response.headers.get("x-svc-unsupported")?.split(", ").sort().join(", ")).toBe(named);
  expect((app.sent as Sent[])[0]!.body.tools).toMatchObject([{ function: { name: "shell" } }]);
});
