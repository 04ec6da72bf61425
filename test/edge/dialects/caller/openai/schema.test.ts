import { describe, expect, test } from "vitest";
import { ChatCompletionRequest } from "../../../../../edge/dialects/caller/openai/schema.ts";
import { describeIssues } from "../../../../../edge/middleware/describe-issues.ts";

const picture = { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } };
const hello = [{ role: "user", content: "Hi" }];
const body = (fields: object = {}) => ({ model: "svc-x1ac-base-gpt-4o", messages: hello, ...fields });
const tool = (name = "f") => ({ type: "function", function: { name } });
const asked = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
};

const judge = (value: unknown): string[] => {
  const result = ChatCompletionRequest.safeParse(value);
  return result.success ? [] : describeIssues(result.error);
};

describe("accepts what clients send", () => {
  test.each<[string, object]>([
    ["the least", {}],
    [
      "nulls for what is not said",
      {
        temperature: null,
        stop: null,
        tools: null,
        user: null,
        stream_options: null,
        response_format: null,
        n: null,
      },
    ],
    [
      "every plain setting",
      {
        temperature: 2,
        top_p: 0,
        n: 3,
        presence_penalty: -2,
        frequency_penalty: 2,
        seed: -1,
        logprobs: true,
        top_logprobs: 20,
        logit_bias: { 50256: -100 },
        user: "u",
        max_tokens: 1,
        max_completion_tokens: 2,
        service_tier: "flex",
        metadata: { a: "b" },
        top_k: 40,
      },
    ],
    ["stop as text or list", { stop: "END" }],
    ["all reasoning efforts", { reasoning_effort: "max" }],
    ["OpenRouter's reasoning", { reasoning: { max_tokens: 100, exclude: true } }],
    [
      "turns of thinking or pictures alone",
      {
        messages: [
          ...hello,
          { role: "assistant", content: null, reasoning: "hm" },
          { role: "assistant", content: null, reasoning_content: "hm" },
          { role: "assistant", content: null, reasoning_details: [{ type: "reasoning.text", text: "hm" }] },
          {
            role: "assistant",
            content: null,
            images: [picture],
          },
        ],
      },
    ],
    ["100 tools", { tools: Array.from({ length: 100 }, (_, index) => tool(`f${index}`)) }],
    ["a forced tool", { tools: [tool()], tool_choice: { type: "function", function: { name: "f" } } }],
    [
      "response formats",
      {
        response_format: {
          type: "json_schema",
          json_schema: { name: "x", schema: { $ref: "#/$defs/a" }, strict: true },
        },
      },
    ],
    ["our own options", { svc: { plan: "off", max_llm_calls: 10 } }],
    [
      "unknown fields",
      { modalities: ["text"], prediction: { type: "content", content: "x" }, store: true, whatever: 1 },
    ],
    [
      "every role and part",
      {
        messages: [
          { role: "system", content: [{ type: "text", text: "s", cache_control: { type: "ephemeral" } }] },
          { role: "developer", content: "d" },
          {
            role: "user",
            name: "ann",
            content: [
              { type: "text", text: "" },
              { type: "image_url", image_url: { url: "data:image/png;base64,AA==", detail: "low" } },
              { type: "input_audio", input_audio: { data: "AA==", format: "wav" } },
              { type: "file", file: { file_id: "file-1" } },
            ],
          },
          {
            ...asked,
            annotations: [],
            audio: null,
            refusal: null,
            reasoning_details: [{ type: "reasoning.text", text: "t", signature: "s" }],
            extra_content: { google: { thought_signature: "g" } },
          },
          {
            role: "tool",
            tool_call_id: "c1",
            content: [
              { type: "text", text: "ok" },
              { type: "image_url", image_url: { url: "https://a.test/i.png" } },
            ],
          },
          { role: "assistant", content: [{ type: "refusal", refusal: "no" }] },
        ],
      },
    ],
  ])("%s", (_, fields) => {
    expect(judge(body(fields))).toEqual([]);
  });
});

describe("names the field that is wrong", () => {
  const parts = (...content: unknown[]) => ({ messages: [{ role: "user", content }] });
  test.each<[object, string]>([
    [{ model: undefined }, "model: is required"],
    [{ model: 7 }, "model: Invalid input: expected string, received number"],
    [{ messages: undefined }, "messages: is required"],
    [{ messages: [] }, "messages: Too small: expected array to have >=1 items"],
    [
      { messages: [{ role: "wizard", content: "x" }] },
      'messages.0.role: Invalid option: expected one of "system"|"developer"|"user"|"assistant"|"tool"',
    ],
    [
      { messages: [{ content: "x" }] },
      'messages.0.role: Invalid option: expected one of "system"|"developer"|"user"|"assistant"|"tool"',
    ],
    [{ messages: [{ role: "user" }] }, "messages.0.content: is required"],
    [
      { messages: [{ role: "user", content: 5 }] },
      "messages.0.content: Invalid input: expected string or array",
    ],
    [
      parts({ type: "hologram" }),
      'messages.0.content.0.type: Invalid option: expected one of "text"|"image_url"|"input_audio"|"file"',
    ],
    [parts({ type: "text" }), "messages.0.content.0.text: is required"],
    [parts({ type: "image_url", image_url: {} }), "messages.0.content.0.image_url.url: is required"],
    [parts({ type: "image_url" }), "messages.0.content.0.image_url: is required"],
    [
      parts({ type: "image_url", image_url: 5 }),
      "messages.0.content.0.image_url: Invalid input: expected object or string",
    ],
    [
      parts({ type: "file", file: { filename: "a.pdf" } }),
      "messages.0.content.0.file: needs file_data or file_id",
    ],
    [
      { messages: [...hello, { role: "assistant", reasoning_details: [], images: [] }] },
      "messages.1.content: is required where there are no tool_calls",
    ],
    [
      { messages: [...hello, { role: "assistant" }] },
      "messages.1.content: is required where there are no tool_calls",
    ],
    [{ messages: [...hello, { role: "tool", content: "x" }] }, "messages.1.tool_call_id: is required"],
    [
      { messages: [...hello, asked, { role: "tool", tool_call_id: "c2", content: "x" }] },
      "messages.2.tool_call_id: answers no tool call of an earlier assistant message",
    ],
    [
      { messages: [{ role: "tool", tool_call_id: "c1", content: "x" }, asked] },
      "messages.0.tool_call_id: answers no tool call of an earlier assistant message",
    ],
    [
      {
        messages: [
          ...hello,
          { role: "assistant", tool_calls: [{ id: "a", function: { name: "f", arguments: {} } }] },
        ],
      },
      "messages.1.tool_calls.0.function.arguments: Invalid input: expected string, received object",
    ],
    [{ temperature: 2.1 }, "temperature: Too big: expected number to be <=2"],
    [{ temperature: "hot" }, "temperature: Invalid input: expected number, received string"],
    [{ top_p: -0.1 }, "top_p: Too small: expected number to be >=0"],
    [{ max_tokens: 1.5 }, "max_tokens: Invalid input: expected int, received number"],
    [{ max_completion_tokens: 0 }, "max_completion_tokens: Too small: expected number to be >=1"],
    [{ n: 0 }, "n: Too small: expected number to be >=1"],
    [{ presence_penalty: 3 }, "presence_penalty: Too big: expected number to be <=2"],
    [{ stream: "yes" }, "stream: Invalid input: expected boolean, received string"],
    [{ stop: [1] }, "stop.0: Invalid input: expected string, received number"],
    [{ top_logprobs: 2 }, "top_logprobs: needs logprobs: true"],
    [{ logit_bias: { a: 101 } }, "logit_bias.a: Too big: expected number to be <=100"],
    [
      { tools: Array.from({ length: 101 }, () => tool()) },
      "tools: Too big: expected array to have <=100 items",
    ],
    [
      { functions: [tool().function], function_call: "auto" },
      "functions: is the older form of tools and not taken: send tools and tool_choice, read tool_calls",
    ],
    [{ tools: [{ type: "function", function: {} }] }, "tools.0.function.name: is required"],
    [{ tools: [{ type: "custom" }] }, "tools.0.custom: is required"],
    [
      { tools: [{ type: "web_search" }] },
      'tools.0.type: Invalid option: expected one of "function"|"custom"',
    ],
    [
      { tool_choice: "always" },
      'tool_choice: Invalid input: expected one of "none", "auto", "required" or object',
    ],
    [
      { tools: [tool()], tool_choice: { type: "function", function: { name: "g" } } },
      "tool_choice.function.name: names a function that is not in tools",
    ],
    [
      {
        tools: [tool()],
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "auto", tools: [tool(), tool("g")] },
        },
      },
      "tool_choice.allowed_tools.tools.1: names a function that is not in tools",
    ],
    [
      { response_format: { type: "xml" } },
      'response_format.type: Invalid option: expected one of "text"|"json_object"|"json_schema"',
    ],
    [
      { reasoning_effort: "extreme" },
      'reasoning_effort: Invalid option: expected one of "none"|"minimal"|"low"|"medium"|"high"|"xhigh"|"max"',
    ],
    [{ svc: { plan: "maybe" } }, 'svc.plan: Invalid option: expected one of "off"|"on"'],
    [{ svc: { max_llm_calls: 11 } }, "svc.max_llm_calls: Too big: expected number to be <=10"],
    [{ svc: { plans: "off" } }, 'svc: Unrecognized key: "plans"'],
    [
      { "bad\r\nname": 1 },
      "body: takes at most 100 fields, each named by a plain word of at most 64 characters",
    ],
  ])("%j", (fields, line) => {
    expect(judge(body(fields))).toContain(line);
  });

  test.each([[null], ["x"], [[]]])("a body that is %j", (value) => {
    expect(judge(value)[0]).toMatch(/^body: Invalid input: expected object/);
  });

  test("never repeats what the caller sent", () => {
    const secret = "sk-secret-123";
    const lines = judge({
      model: 1,
      messages: [{ role: secret, content: secret }],
      temperature: secret,
      tool_choice: secret,
      stop: { a: secret },
      svc: { plan: secret },
    });
    expect(lines.length).toBeGreaterThan(4);
    expect(lines.join()).not.toContain(secret);
  });

  test("an error names at most 20 fields", () => {
    expect(judge(body({ messages: Array.from({ length: 50 }, () => ({ role: "user" })) }))).toHaveLength(20);
  });
});
