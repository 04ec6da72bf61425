// OpenAI's `custom` tools at every provider, for callers of chat completions: unchanged if the model takes them, else converted to a
// function with one string argument, and to free text again in the answer.
import { describe, expect, test } from "vitest";
import { readChatRequest } from "../../../edge/dialects/caller/openai/read-request.ts";
import { ChatCompletionRequest } from "../../../edge/dialects/caller/openai/schema.ts";
import { buildChatCompletion } from "../../../edge/dialects/caller/openai/write-reply.ts";
import { createChatStreamWriter } from "../../../edge/dialects/caller/openai/write-stream.ts";
import { readCustomTool, unwrapInput, wrapInput } from "../../../edge/dialects/custom-tools.ts";
import { anthropicDialect } from "../../../edge/dialects/provider/anthropic/dialect.ts";
import { geminiDialect } from "../../../edge/dialects/provider/gemini/dialect.ts";
import { alphaDialect, routerDialect } from "../../../edge/dialects/provider/openai/dialect.ts";
import type { ChatEvent } from "../../../shared/chat.ts";
import { replay, toSse } from "./replay.ts";

const format = { type: "grammar", grammar: { syntax: "lark", definition: "start: WORD" } };
const custom = { name: "patch", description: "Edits files", format };
const input = 'say "hi"\n\u{1f600}';
const { request } = readChatRequest(
  ChatCompletionRequest.parse({
    model: "m",
    tools: [{ type: "custom", custom }],
    tool_choice: { type: "custom", custom: { name: "patch" } },
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", tool_calls: [{ id: "c1", type: "custom", custom: { name: "patch", input } }] },
      { role: "tool", tool_call_id: "c1", content: "done" },
    ],
  }),
);
const customTools = new Map([["patch", "custom"]] as const);

describe("a custom tool", () => {
  test("travels as it is to OpenAI's models that take it", () => {
    const { body, unsupported } = alphaDialect.writeRequest(request, { model: "gpt-5.1" });
    expect(body.tools).toEqual([{ type: "custom", custom }]);
    expect(body.tool_choice).toEqual({ type: "custom", custom: { name: "patch" } });
    expect(body.messages).toMatchObject([
      {},
      { tool_calls: [{ id: "c1", type: "custom", custom: { name: "patch", input } }] },
      { role: "tool", tool_call_id: "c1" },
    ]);
    expect(unsupported).toEqual([]);
  });

  test("with the grammar of responses, flat, has it as chat completions have it", () => {
    const tool = readCustomTool({ ...custom, format: { type: "grammar", ...format.grammar } });
    const { body } = alphaDialect.writeRequest({ ...request, tools: [tool] }, { model: "gpt-5.1" });
    expect(body.tools).toEqual([{ type: "custom", custom }]);
  });

  test.each([
    ["an older model of OpenAI's", alphaDialect, "gpt-4o"],
    ["the aggregator", routerDialect, "openai/gpt-5.1"],
    ["Claude", anthropicDialect, "claude-sonnet-4-5"],
    ["Gemini", geminiDialect, "gemini-2.5-pro"],
  ])("is a function of one text to %s, its grammar in words", (_name, dialect, model) => {
    const { body, unsupported } = dialect.writeRequest(request, { model });
    const tools = JSON.stringify(body.tools);
    expect(tools).toContain("start: WORD");
    expect(tools).toContain('"required":["input"]');
    const history = JSON.stringify(body.messages ?? body.contents);
    // As arguments in text, or as an object.
    const asText = JSON.stringify(wrapInput(input));
    expect(history.includes(asText) || history.includes(wrapInput(input))).toBe(true);
    expect(unsupported).toContain("tools.custom.format");
  });

  test("called by OpenAI in pieces gives its text, however it is cut", () => {
    const delta = (fields: object, finish_reason: string | null = null) => ({
      id: "c",
      choices: [{ index: 0, delta: fields, finish_reason }],
    });
    const events = [
      delta({ tool_calls: [{ index: 0, id: "c1", type: "custom", custom: { name: "patch", input: "" } }] }),
      ...[...input].map((piece) => delta({ tool_calls: [{ index: 0, custom: { input: piece } }] })),
      delta({}, "tool_calls"),
    ];
    const hub = replay(alphaDialect, [toSse(events, false)]);
    expect(readCalls(hub)).toEqual([{ id: "c1", type: "custom", custom: { name: "patch", input } }]);
    const writer = createChatStreamWriter({
      id: "x",
      created: 1,
      model: "m",
      includeUsage: false,
      customTools,
    });
    const chunks = writer
      .write(hub)
      .split("\n\n")
      .filter((frame) => frame.includes('tool_calls":['))
      .map((frame) => JSON.parse(frame.slice("data: ".length)).choices[0].delta.tool_calls[0]);
    expect(chunks).toEqual([{ index: 0, id: "c1", type: "custom", custom: { name: "patch", input } }]);
  });

  test("called with arguments of another form gives all of them", () => {
    expect(unwrapInput('{"text":"x"}')).toBe('{"text":"x"}');
    expect(unwrapInput("plain")).toBe("plain");
  });
});

const readCalls = (hub: ChatEvent[]) =>
  buildChatCompletion(hub, { id: "x", created: 1, model: "m", customTools }).choices[0]?.message.tool_calls;
