// What Cursor sends to POST /v1/chat/completions: parts in the forms of other APIs, or a whole body of responses. It reads chat
// completions, and of each tool call its `function`.
import { describe, expect, test } from "vitest";
import {
  applyPatch,
  ask,
  grammar,
  type Json,
  parameters,
  patch,
  readCalls,
  readFile,
} from "../support/ask-as-cursor.ts";

const nested = { type: "function", function: { name: "Read", description: "Reads", parameters } };
const listFiles = {
  type: "function",
  function: { name: "List", description: "Lists", parameters: { type: "object", properties: {} } },
};

describe("a chat body", () => {
  const user = { role: "user", content: "Fix a.ts" };

  test("may have tools without `function`, and a choice of one", async () => {
    const { sent } = await ask({
      messages: [user],
      tools: [readFile, listFiles],
      tool_choice: { type: "function", name: "Read" },
    });
    expect(sent.tools).toEqual([nested, listFiles]);
    expect(sent.tool_choice).toEqual({ type: "function", function: { name: "Read" } });
  });

  test("may have a flat custom tool, whose calls are functions both ways", async () => {
    const called = {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "ApplyPatch", arguments: patch } }],
    };
    const messages = [user, called, { role: "tool", tool_call_id: "c1", content: "Done" }];
    const body = { messages, tools: [nested, applyPatch], stream: true };
    const { sent, text } = await ask(body, ["ApplyPatch", JSON.stringify({ input: patch })]);
    expect(sent.messages[1]).toMatchObject({
      tool_calls: [{ function: { arguments: JSON.stringify({ input: patch }) } }],
    });
    expect(readCalls(text)).toMatchObject([{ type: "function", function: { arguments: patch } }]);
  });

  test.each([
    ["a chat body", { messages: [user] }],
    ["a body of responses", { input: "Fix a.ts" }],
  ])("has its grammar as GPT-5 takes it: %s", async (_name, body) => {
    const { sent } = await ask({ ...body, model: "svc-x1ac-base-gpt-5", tools: [applyPatch] });
    const { type, ...fields } = grammar;
    const custom = { name: "ApplyPatch", description: "Edits files", format: { type, grammar: fields } };
    expect(sent.tools).toEqual([{ type: "custom", custom }]);
  });

  test("has calls of custom tools in their own form where the tool has it", async () => {
    const custom = { type: "custom", custom: { name: "ApplyPatch", description: "Edits files" } };
    const { text } = await ask({ messages: [user], tools: [custom], stream: true }, [
      "ApplyPatch",
      JSON.stringify({ input: patch }),
    ]);
    expect(readCalls(text)).toMatchObject([{ type: "custom", custom: { name: "ApplyPatch", input: patch } }]);
  });

  test("may have tools, choice, calls and results as Anthropic has them", async () => {
    const picture = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
    };
    const called = {
      role: "assistant",
      content: [
        { type: "text", text: "Reading." },
        { type: "tool_use", id: "toolu_1", name: "Read", input: { path: "a.ts" } },
        { type: "tool_use", id: "toolu_2", name: "Read", input: { path: "b.ts" } },
      ],
    };
    const results = {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "let a" }] },
        { type: "tool_result", tool_use_id: "toolu_2", content: "let b", is_error: false },
        { type: "text", text: "Go on, like here:" },
        picture,
      ],
    };
    const { status, sent, unsupported } = await ask({
      messages: [user, called, results],
      tools: [{ name: "Read", description: "Reads", input_schema: parameters }],
      tool_choice: { type: "any" },
    });
    expect([status, unsupported]).toEqual([200, null]);
    const callOfRead = (id: string, path: string) => ({
      id,
      type: "function",
      function: { name: "Read", arguments: JSON.stringify({ path }) },
    });
    expect(sent.messages).toMatchObject([
      user,
      {
        role: "assistant",
        content: "Reading.",
        tool_calls: [callOfRead("toolu_1", "a.ts"), callOfRead("toolu_2", "b.ts")],
      },
      { role: "tool", tool_call_id: "toolu_1", content: "let a" },
      { role: "tool", tool_call_id: "toolu_2", content: "let b" },
      {
        role: "user",
        content: [
          { type: "text", text: "Go on, like here:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
        ],
      },
    ]);
    expect(sent.tools).toEqual([nested]);
    expect(sent.tool_choice).toBe("required");
  });

  const claude = "svc-x1ac-base-claude-sonnet-4-5";
  const use = { type: "tool_use", id: "t1", name: "Read", input: {} };
  const result = { type: "tool_result", tool_use_id: "t1", content: "no such file" };
  const asked = [user, { role: "assistant", content: [use] }];

  test.each(["auto", "any", "tool"])("may ask for one call at a time: %s", async (type) => {
    const tool_choice = { type, name: type === "tool" ? "Read" : undefined, disable_parallel_tool_use: true };
    const { sent } = await ask({ messages: [user], tools: [readFile], tool_choice });
    expect(sent.parallel_tool_calls).toBe(false);
  });

  test("may choose among flat tools", async () => {
    const tools = [readFile, listFiles, applyPatch];
    const allowed = [
      { type: "function", name: "Read" },
      { type: "custom", name: "ApplyPatch" },
    ];
    const tool_choice = { type: "allowed_tools", mode: "required", tools: allowed };
    const { sent } = await ask({ messages: [user], tools, tool_choice });
    expect(sent.tools.map((tool) => (tool.function as Json).name)).toEqual(["Read", "ApplyPatch"]);
    expect(sent.tool_choice).toBe("required");
  });

  test("keeps the cache mark of a call and the mark of a failed result", async () => {
    const cache_control = { type: "ephemeral" };
    const messages = [
      user,
      { role: "assistant", content: [{ ...use, cache_control }] },
      { role: "user", content: [{ ...result, is_error: true }] },
    ];
    expect((await ask({ messages, tools: [readFile] })).unsupported).toContain("is_error");
    const { sent } = await ask({ model: claude, messages, tools: [readFile] });
    expect(sent.messages.slice(1)).toMatchObject([
      { content: [{ type: "tool_use", cache_control }] },
      { content: [{ type: "tool_result", is_error: true }] },
    ]);
  });

  test.each([
    ["messages.1.tool_calls", [user, { ...asked[1], tool_calls: "x" }]],
    // Two results and what is said beside them are three messages as chat completions have them.
    [
      "messages.3.content",
      [...asked, { role: "user", content: [result, result, result] }, { role: "user", content: 5 }],
    ],
    ...[{}, { type: "file", file_id: "f" }, { type: "url" }, { type: "base64", data: "aGk=" }].map(
      (source): [string, Json[]] => [
        "messages.0.content.0",
        [{ role: "user", content: [{ type: "image", source }] }],
      ],
    ),
  ])("that is wrong names the field as it was sent: %s %j", async (path, messages) => {
    const { status, text } = await ask({ messages, tools: [readFile] });
    expect([status, JSON.parse(text).error.message]).toMatchObject([422, expect.stringContaining(path)]);
  });

  const use5 = { type: "tool_use", id: 5, name: "Read", input: {} };
  const long = "n".repeat(200);
  test.each([
    ["messages.0.content.0.id", { messages: [{ role: "assistant", content: [use5] }] }],
    [
      "messages.0.content.1.name",
      {
        messages: [
          {
            role: "assistant",
            content: [
              { type: "text", text: "x" },
              { ...use5, id: "t", name: 5 },
            ],
          },
        ],
      },
    ],
    [
      "messages.1.content.1.tool_use_id",
      { messages: [user, { role: "user", content: [{ type: "text", text: "x" }, { type: "tool_result" }] }] },
    ],
    [
      "messages.1.content.1.text",
      { messages: [user, { role: "user", content: [{ ...result, tool_use_id: "t1" }, { type: "text" }] }] },
    ],
    ["tools.0.name", { tools: [{ type: "function", name: long }] }],
    ["tools.0.description", { tools: [{ ...readFile, description: 5 }] }],
    ["tools.0.parameters", { tools: [{ ...readFile, parameters: 5 }] }],
    ["tools.0.input_schema", { tools: [{ name: "Read", input_schema: 5 }] }],
    ["tools.0.function.description", { tools: [{ ...nested, function: { name: "Read", description: 5 } }] }],
    ["tool_choice.mode", { tools: [readFile], tool_choice: { type: "allowed_tools", mode: 5, tools: [] } }],
    ["tools.0.type", { tools: [{ type: "web_search", name: "x" }] }],
    [
      "messages.1.content.0.tool_use_id",
      { messages: [user, { role: "user", content: [{ type: "tool_result", tool_use_id: "t" }] }] },
    ],
    ["messages.0.content.0", { messages: [{ role: "user", content: [{ type: "image", source: 5 }] }] }],
    [
      "messages.0.content.0.type",
      { messages: [{ role: "user", content: [{ type: "tool_use", id: "t", name: "x", input: {} }] }] },
    ],
    ["messages.0.content.0.image_url", { messages: [{ role: "user", content: [{ type: "image_url" }] }] }],
  ])("that is wrong in no known form is refused: %s", async (path, fields) => {
    const { status, text } = await ask({ messages: [user], ...fields });
    expect([status, JSON.parse(text).error.message]).toMatchObject([422, expect.stringContaining(path)]);
  });
});
