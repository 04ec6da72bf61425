// POST /v1/responses end to end: what the caller gets.
import { describe, expect, test } from "vitest";
import { findResponseBreaks, foldResponse, parseResponseFrames } from "../../support/responses-stream.ts";
import { openaiStream, openaiUsage } from "../support/app.ts";
import {
  alpha,
  anthropicMessage,
  ask,
  beta,
  completion,
  type Json,
  json,
  readTool,
} from "../support/ask-responses.ts";

const patchTool = { type: "custom", name: "patch", description: "Edits files" };

const eventStream = (events: readonly Json[]) =>
  new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  });
/** A call whose arguments end in the middle, as the output limit cuts them and as weak models write them. */
const openaiCall = (finishReason: string): Json[] =>
  [
    { tool_calls: [{ index: 0, id: "call_1", function: { name: "read", arguments: '{"path": "/a' } }] },
    {},
  ].map((delta, at) => ({
    id: "c",
    choices: [{ index: 0, delta, finish_reason: at === 0 ? null : finishReason }],
  }));
const anthropicCall: Json[] = [
  { type: "message_start", message: { id: "msg_1", usage: { input_tokens: 5, output_tokens: 1 } } },
  {
    type: "content_block_start",
    index: 0,
    content_block: { type: "tool_use", id: "toolu_1", name: "read", input: {} },
  },
  {
    type: "content_block_delta",
    index: 0,
    delta: { type: "input_json_delta", partial_json: '{"path": "/a' },
  },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "max_tokens" }, usage: { output_tokens: 7 } },
  { type: "message_stop" },
];

describe("what the caller gets", () => {
  test("is a response with its request again, the plan and the tokens", async () => {
    const { body, status } = await ask(alpha, {
      input: "x",
      instructions: "Be brief.",
      metadata: { a: "b" },
      tools: [readTool],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: "response",
      id: expect.stringMatching(/^resp_/),
      status: "completed",
      model: alpha.model,
      instructions: "Be brief.",
      metadata: { a: "b" },
      tools: [readTool],
      tool_choice: "auto",
      parallel_tool_calls: true,
      store: false,
      previous_response_id: null,
      error: null,
      incomplete_details: null,
      usage: { input_tokens: 12, output_tokens: 3, total_tokens: 15 },
      svc: { execution_llm: "gpt-4o", key_source: "user" },
    });
    expect(body.output).toMatchObject([
      {
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Hello", annotations: [] }],
      },
    ]);
  });

  test("says which tier served it", async () => {
    const served = (service_tier: string) => [json({ ...completion({ content: "Hi" }), service_tier })];
    const { body } = await ask(alpha, { input: "x", service_tier: "auto" }, served("flex"));
    expect(body.service_tier).toBe("flex");
    const other = await ask(alpha, { input: "x", service_tier: "auto" }, served("on_demand"));
    expect(other.body.service_tier).toBe("auto");
  });

  test("has the citations that come before its first word", async () => {
    const cited = { url: "https://oslo.example", title: "Oslo", start_index: 0, end_index: 5 };
    const annotations = [{ type: "url_citation", url_citation: cited }];
    const chunk = (delta: Json) => `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta }] })}\n\n`;
    const end = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\n`;
    const text = `${chunk({ role: "assistant", content: "", annotations })}${chunk({ content: "Hello" })}${end}data: [DONE]\n\n`;
    const stream = () => new Response(text, { headers: { "content-type": "text/event-stream" } });
    const part = { text: "Hello", annotations: [{ type: "url_citation", ...cited }] };
    const { body } = await ask(alpha, { input: "x" }, [stream]);
    expect(body.output).toMatchObject([{ content: [part] }]);
    const streamed = await ask(alpha, { input: "x", stream: true }, [stream]);
    const frames = parseResponseFrames(streamed.text);
    expect(findResponseBreaks(frames)).toEqual([]);
    expect(foldResponse(frames).output).toMatchObject([{ content: [part] }]);
  });

  test("is incomplete where the output limit cut it", async () => {
    const { body } = await ask(alpha, { input: "x" }, [json(completion({ content: "Hel" }, "length"))]);
    expect(body).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [{ status: "incomplete" }],
    });
  });

  test.each([
    ["OpenAI", alpha, openaiCall("length"), "incomplete"],
    ["Anthropic", beta, anthropicCall, "incomplete"],
    ["OpenAI, where its model wrote it so", alpha, openaiCall("tool_calls"), "completed"],
  ])("says whether the output limit cut a call: %s", async (_, target, answer, status) => {
    const asked = { input: "x", tools: [readTool] };
    const { body } = await ask(target, asked, [() => eventStream(answer)]);
    const output = [{ type: "function_call", arguments: '{"path": "/a', status }];
    expect(body).toMatchObject({ status, output });
    const streamed = await ask(target, { ...asked, stream: true }, [() => eventStream(answer)]);
    const frames = parseResponseFrames(streamed.text);
    expect(findResponseBreaks(frames)).toEqual([]);
    expect(foldResponse(frames).output).toMatchObject(output);
  });

  test("streams the plan first, then typed events in order, and the charge at the end", async () => {
    const { text, headers } = await ask(alpha, { input: "x", stream: true }, [
      () => openaiStream(["Hello", " world"], openaiUsage(12, 2)),
    ]);
    expect(headers.get("content-type")).toMatch("text/event-stream");
    const events = parseResponseFrames(text);
    expect(findResponseBreaks(events)).toEqual([]);
    expect(events.map(({ type }) => type.replace("response.", ""))).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "completed",
    ]);
    expect(events[0]).toMatchObject({ response: { svc: { action_sequence: ["search", "select"] } } });
    expect(events.at(-1)).toMatchObject({
      response: { svc: { total_steps_executed: 1 }, usage: { total_tokens: 14 } },
    });
    expect(foldResponse(events).text).toBe("Hello world");
  });

  test("is custom tools' free text, whichever provider wrote it as a function's argument", async () => {
    const asked = { input: "x", tools: [patchTool], tool_choice: { type: "custom", name: "patch" } };
    const { body, sent } = await ask(beta, asked, [
      json(
        anthropicMessage([{ type: "tool_use", id: "toolu_1", name: "patch", input: { input: "*** a\n" } }]),
      ),
    ]);
    expect(sent[0]?.body.tools).toMatchObject([{ name: "patch", input_schema: { required: ["input"] } }]);
    expect(body.output).toMatchObject([
      { type: "custom_tool_call", call_id: "toolu_1", name: "patch", input: "*** a\n", status: "completed" },
    ]);
    const back = [
      { role: "user", content: "x" },
      ...body.output,
      { type: "custom_tool_call_output", call_id: "toolu_1", output: "done" },
    ];
    const second = await ask(beta, { ...asked, input: back }, [
      json(anthropicMessage([{ type: "text", text: "ok" }])),
    ]);
    expect(second.sent[0]?.body.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ type: "tool_use", input: { input: "*** a\n" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1" }] },
    ]);
  });
});
