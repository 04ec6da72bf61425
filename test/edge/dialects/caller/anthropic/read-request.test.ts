import { describe, expect, test } from "vitest";
import { readMessagesRequest } from "../../../../../edge/dialects/caller/anthropic/read-request.ts";
import { MessagesRequest } from "../../../../../edge/dialects/caller/anthropic/schema.ts";
import { describeIssues } from "../../../../../edge/middleware/describe-issues.ts";

const base = { model: "m", max_tokens: 100, messages: [{ role: "user", content: "Hello" }] };
const read = (fields: object) => readMessagesRequest(MessagesRequest.parse({ ...base, ...fields }));
const request = (fields: object) => read(fields).request;

describe("fields of the request", () => {
  test.each([
    [
      "system",
      { system: "Be brief." },
      { messages: [{ role: "system", parts: [{ type: "text", text: "Be brief." }] }, { role: "user" }] },
    ],
    ["stop_sequences", { stop_sequences: ["END"] }, { stop: ["END"] }],
    ["top_k and top_p", { top_k: 3, top_p: 0.5 }, { topK: 3, topP: 0.5 }],
    ["metadata.user_id", { metadata: { user_id: "u" } }, { endUser: "u" }],
    ["other metadata", { metadata: { run: "r" } }, { metadata: { run: "r" } }],
    ["service_tier", { service_tier: "standard_only" }, { serviceTier: "default" }],
    [
      "a thinking budget",
      { thinking: { type: "enabled", budget_tokens: 2000 } },
      { reasoning: { budgetTokens: 2000 } },
    ],
    ["adaptive thinking", { thinking: { type: "adaptive" } }, { reasoning: { effort: "medium" } }],
    [
      "adaptive thinking with an effort",
      { thinking: { type: "adaptive" }, output_config: { effort: "max" } },
      { reasoning: { effort: "max" } },
    ],
    ["no thinking", { thinking: { type: "disabled" } }, { reasoning: { effort: "none" } }],
    ["an effort alone", { output_config: { effort: "low" } }, { reasoning: { effort: "low" } }],
    [
      "an output format",
      { output_config: { format: { type: "json_schema", schema: { type: "object" } } } },
      { responseFormat: { type: "json-schema", schema: { type: "object" } } },
    ],
    ["an unknown field", { inference_geo: "eu" }, { extra: { inference_geo: "eu" } }],
  ])("%s", (_name, fields, expected) => {
    expect(request(fields)).toMatchObject(expected);
  });

  test.each([
    ["auto", undefined],
    ["any", { type: "required" }],
    ["none", { type: "none" }],
    ["tool", { type: "tool", name: "now" }],
  ])("tool_choice %s", (type, expected) => {
    const tools = [{ name: "now", input_schema: { type: "object" } }];
    const choice = { type, ...(type === "tool" && { name: "now" }) };
    expect(request({ tools, tool_choice: choice }).toolChoice).toEqual(expected ?? { type: "auto" });
  });

  test("parallel calls can be forbidden", () => {
    const tools = [{ name: "now", input_schema: { type: "object" } }];
    const choice = { type: "auto", disable_parallel_tool_use: true };
    expect(request({ tools, tool_choice: choice }).parallelToolCalls).toBe(false);
  });

  test("our own options stand beside the request", () => {
    expect(read({ svc: { plan: "off", max_llm_calls: 3 } }).svc).toEqual({ plan: "off", maxLlmCalls: 3 });
    expect(request({ svc: { plan: "off" } }).extra).toEqual({});
  });

  test("a field that is null counts as absent", () => {
    const empty = {
      system: null,
      tools: null,
      thinking: null,
      temperature: null,
      metadata: null,
      svc: null,
      container: null,
    };
    expect(request(empty)).toEqual(request({}));
  });

  test("the older name of an output format means the newer, and gives way to it", () => {
    const format = { type: "json_schema", schema: { type: "object" } };
    const newer = request({ output_config: { effort: "low", format } });
    expect(request({ output_config: { effort: "low" }, output_format: format })).toEqual(newer);
    const other = { type: "json_schema", schema: { type: "array" } };
    expect(request({ output_config: { effort: "low", format }, output_format: other })).toEqual(newer);
    expect(newer.extra).toEqual({});
  });

  test("an output format is strict only where its schema leaves nothing open", () => {
    const strictOf = (schema: object) => {
      const format = request({ output_config: { format: { type: "json_schema", schema } } }).responseFormat;
      return format?.type === "json-schema" && format.strict === true;
    };
    const closed = { type: "object", additionalProperties: false, properties: { a: {} }, required: ["a"] };
    expect(strictOf(closed)).toBe(true);
    expect(strictOf({ ...closed, required: [] })).toBe(false);
    expect(strictOf({ ...closed, properties: { a: { ...closed, additionalProperties: true } } })).toBe(false);
  });
});

describe("a body that does not fit", () => {
  test.each([
    ["max_tokens of none", { max_tokens: 0 }],
    ["max_tokens as text", { max_tokens: "5" }],
    ["no messages", { messages: [] }],
    ["a role nobody has", { messages: [{ role: "tool", content: "x" }] }],
    ["a temperature out of range", { temperature: 2.5 }],
    ["top_p out of range", { top_p: 1.1 }],
    ["a tool without a schema", { tools: [{ name: "now" }] }],
    ["a choice of a tool that is not there", { tool_choice: { type: "tool", name: "now" } }],
    [
      "1,001 tools",
      { tools: Array.from({ length: 1_001 }, (_, index) => ({ name: `t${index}`, input_schema: {} })) },
    ],
    [
      "an image without data",
      {
        messages: [
          { role: "user", content: [{ type: "image", source: { type: "base64", media_type: "image/png" } }] },
        ],
      },
    ],
    [
      "a tool result in an assistant message",
      { messages: [{ role: "assistant", content: [{ type: "tool_result", tool_use_id: "x" }] }] },
    ],
    ["a misspelt option of ours", { svc: { plann: "off" } }],
    ["a field no header can name", { "bad name": 1 }],
  ])("is refused: %s", (_name, fields) => {
    expect(MessagesRequest.safeParse({ ...base, ...fields }).success).toBe(false);
  });

  const said = (content: object[]) => ({ messages: [{ role: "user", content }] });
  test.each([
    ["tools.0.type", { tools: [{ type: "function", function: { name: "now", parameters: {} } }] }],
    ["messages.0.content.0.type", said([{ type: "image_url", image_url: { url: "https://host/a.png" } }])],
    [
      "messages.0.content.1.type",
      said([
        { type: "text", text: "a" },
        { type: "input_text", text: "b" },
      ]),
    ],
  ])("in OpenAI's words is refused, not answered without them: %s", (path, fields) => {
    const { error } = MessagesRequest.safeParse({ ...base, ...fields });
    expect(describeIssues(error ?? { issues: [] })).toEqual([
      expect.stringMatching(`^${path}: is a kind of OpenAI's`),
    ]);
  });

  test("is named by the path of the wrong block", () => {
    const body = {
      ...base,
      messages: [{ role: "user", content: [{ type: "text", text: "a" }, { type: "text" }] }],
    };
    const { error } = MessagesRequest.safeParse(body);
    expect(describeIssues(error ?? { issues: [] })).toEqual(["messages.0.content.1.text: is required"]);
  });
});
