// A body of responses that Cursor sends to POST /v1/chat/completions.
import { describe, expect, test } from "vitest";
import { applyPatch, ask, type Json, patch, readCalls, readFile } from "../support/ask-as-cursor.ts";

describe("a body of responses", () => {
  const asked = {
    input: [
      { role: "system", content: "You edit code." },
      { role: "user", content: [{ type: "input_text", text: "Fix a.ts" }] },
    ],
    tools: [readFile, applyPatch],
    stream: true,
    store: true,
    include: ["reasoning.encrypted_content"],
    text: { verbosity: "low" },
    stream_options: { include_usage: true },
  };

  test("is answered as a chat completion, with its usage", async () => {
    const { status, text, sent, unsupported } = await ask(asked);
    // OpenAI takes a grammar from newer models on; this one reads it in the description.
    expect([status, unsupported]).toEqual([200, "store, tools.format"]);
    expect(text).toContain('"object":"chat.completion.chunk"');
    expect(text).toContain('"usage":{"prompt_tokens":12');
    expect(text.trim().endsWith("data: [DONE]")).toBe(true);
    expect(readCalls(text)).toMatchObject([{ id: "call_9", function: { name: "Read" } }]);
    expect(sent.messages).toEqual([
      { role: "system", content: "You edit code." },
      { role: "user", content: "Fix a.ts" },
    ]);
    expect(sent.tools.map((tool) => (tool.function as Json).name)).toEqual(["Read", "ApplyPatch"]);
  });

  test("is answered in JSON, too, and where an empty list of messages stands beside the input", async () => {
    const { text } = await ask({ ...asked, messages: [], stream: false }, [
      "ApplyPatch",
      JSON.stringify({ input: patch }),
    ]);
    expect(JSON.parse(text)).toMatchObject({
      object: "chat.completion",
      choices: [
        {
          finish_reason: "tool_calls",
          message: { tool_calls: [{ type: "function", function: { name: "ApplyPatch", arguments: patch } }] },
        },
      ],
    });
  });

  test("has calls of custom tools as functions with their text, which come back so", async () => {
    const call: [string, string] = ["ApplyPatch", JSON.stringify({ input: patch })];
    const { text } = await ask(asked, call);
    const [written] = readCalls(text);
    expect(written).toEqual({
      index: 0,
      id: "call_9",
      type: "function",
      function: { name: "ApplyPatch", arguments: patch },
    });
    const history = [
      { type: "function_call", call_id: "call_9", name: "ApplyPatch", arguments: patch },
      { type: "function_call_output", call_id: "call_9", output: "Done" },
    ];
    const { sent } = await ask({ ...asked, input: [...asked.input, ...history] });
    expect(sent.messages.slice(2)).toMatchObject([
      { tool_calls: [{ id: "call_9", function: { arguments: JSON.stringify({ input: patch }) } }] },
      { role: "tool", tool_call_id: "call_9", content: "Done" },
    ]);
  });

  test.each([
    ["previous_response_id", "unsupported_parameter", { previous_response_id: "resp_1" }],
    ["input", "unsupported_parameter", { input: [{ type: "item_reference", id: "msg_1" }] }],
  ])("that rests on stored answers is refused: %s", async (param, code, fields) => {
    const { status, text } = await ask({ ...asked, ...fields });
    expect([status, JSON.parse(text).error]).toMatchObject([400, { code, param }]);
  });

  test.each([
    [7, { max_tokens: 7 }, []],
    [7, { max_completion_tokens: 7, max_tokens: 9 }, []],
    [7, { max_completion_tokens: null, max_tokens: 7, max_output_tokens: null }, []],
    [7, { max_output_tokens: 7, max_tokens: 9 }, ["max_tokens"]],
    [undefined, { max_tokens: null }, []],
  ])("keeps to the output cap %s of %j", async (cap, fields, named) => {
    const { sent, unsupported } = await ask({ ...asked, store: false, tools: [readFile], ...fields });
    expect(sent.max_completion_tokens).toBe(cap);
    expect(unsupported?.split(", ") ?? []).toEqual(named);
  });

  test.each([
    ["input.0.content", { input: [{ role: "user", content: 5 }] }],
    ["max_tokens", { max_tokens: 0 }],
    ["max_completion_tokens", { max_completion_tokens: "7" }],
    ["max_output_tokens", { max_output_tokens: 1.5, max_tokens: 7 }],
  ])("that is wrong names the field: %s", async (path, fields) => {
    const { status, text } = await ask({ ...asked, ...fields });
    const { message, param } = JSON.parse(text).error;
    expect([status, message, param]).toEqual([422, expect.stringContaining(path), path]);
  });
});
