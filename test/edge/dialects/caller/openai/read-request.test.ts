import { describe, expect, test } from "vitest";
import { readChatRequest } from "../../../../../edge/dialects/caller/openai/read-request.ts";
import { ChatCompletionRequest } from "../../../../../edge/dialects/caller/openai/schema.ts";
import type { ChatRequest } from "../../../../../shared/chat.ts";

const hello = [{ role: "user", content: "Hi" }];
const read = (fields: object) =>
  readChatRequest(ChatCompletionRequest.parse({ model: "m", messages: hello, ...fields }));

test("the least request says only what was said", () => {
  expect(read({})).toEqual({
    model: "m",
    fallbacks: [],
    request: {
      messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }],
      tools: [],
      stream: false,
      choices: 1,
      stop: [],
      callerDialect: "openai",
      extra: {},
    },
    includeUsage: false,
    svc: { plan: "on" },
  });
});

describe("the settings of a chat completion", () => {
  test.each<[object, Partial<ChatRequest>]>([
    [{ max_tokens: 5 }, { maxOutputTokens: 5 }],
    [{ max_tokens: 5, max_completion_tokens: 7 }, { maxOutputTokens: 7 }],
    [
      { temperature: 0, top_p: 0, presence_penalty: 0, frequency_penalty: 0, seed: 0 },
      { temperature: 0, topP: 0, presencePenalty: 0, frequencyPenalty: 0, seed: 0 },
    ],
    [{ stop: "END" }, { stop: ["END"] }],
    [{ stop: ["a", "b"] }, { stop: ["a", "b"] }],
    [
      { n: 2, stream: true },
      { choices: 2, stream: true },
    ],
    [{ logprobs: true, top_logprobs: 3 }, { logprobs: { top: 3 } }],
    [{ logprobs: true }, { logprobs: {} }],
    [
      {
        logit_bias: { a: 1 },
        user: "u",
        metadata: { k: "v" },
        service_tier: "flex",
        parallel_tool_calls: false,
      },
      {
        logitBias: { a: 1 },
        endUser: "u",
        metadata: { k: "v" },
        serviceTier: "flex",
        parallelToolCalls: false,
      },
    ],
    [{ reasoning_effort: "low" }, { reasoning: { effort: "low" } }],
    [{ reasoning_effort: "max" }, { reasoning: { effort: "max" } }],
    [
      { reasoning: { max_tokens: 100, exclude: true } },
      { reasoning: { budgetTokens: 100 }, extra: { reasoning: { exclude: true } } },
    ],
    [{ response_format: { type: "json_object" } }, { responseFormat: { type: "json" } }],
    [{ response_format: { type: "text" } }, { responseFormat: { type: "text" } }],
    [
      {
        response_format: {
          type: "json_schema",
          json_schema: { name: "x", schema: { $defs: { a: {} } }, strict: true },
        },
      },
      { responseFormat: { type: "json-schema", name: "x", schema: { $defs: { a: {} } }, strict: true } },
    ],
    [
      { tools: [{ type: "function", function: { name: "f" } }], tool_choice: "required" },
      { tools: [{ name: "f" }], toolChoice: { type: "required" } },
    ],
    [
      {
        tools: ["f", "g", "h"].map((name) => ({ type: "function", function: { name } })),
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: {
            mode: "required",
            tools: ["f", "h"].map((name) => ({ type: "function", function: { name } })),
          },
        },
      },
      { tools: [{ name: "f" }, { name: "h" }], toolChoice: { type: "required" } },
    ],
    [
      {
        tools: [
          {
            type: "function",
            function: {
              name: "f",
              description: "d",
              parameters: { type: "object", additionalProperties: false },
              strict: true,
            },
            cache_control: { type: "ephemeral" },
          },
        ],
        tool_choice: { type: "function", function: { name: "f" } },
      },
      {
        tools: [
          {
            name: "f",
            description: "d",
            parameters: { type: "object", additionalProperties: false },
            strict: true,
            providerData: { cache_control: { type: "ephemeral" } },
          },
        ],
        toolChoice: { type: "tool", name: "f" },
      },
    ],
    [
      { store: true, prediction: { type: "content" }, unknown_field: null },
      { extra: { store: true, prediction: { type: "content" } } },
    ],
    [
      { stream_options: { include_obfuscation: true } },
      { extra: { "stream_options.include_obfuscation": true } },
    ],
    [
      {
        stream_options: { include_usage: true, include_obfuscation: false, continuous_usage_stats: true },
        usage: { include: true, more: 1 },
        response_format: { type: "json_object", schema: {}, strict: null },
      },
      {
        extra: {
          "stream_options.continuous_usage_stats": true,
          "usage.more": true,
          "response_format.schema": true,
        },
      },
    ],
    [
      { response_format: { type: "json_schema", json_schema: { name: "x", schema: {}, engine: "y" } } },
      { extra: { "response_format.json_schema.engine": true } },
    ],
  ])("%j", (fields, expected) => {
    expect(read(fields).request).toMatchObject(expected);
  });

  test("our own options and the wish for usage stay out of the provider's request", () => {
    const asked = read({
      svc: { plan: "off", max_llm_calls: 3 },
      stream_options: { include_usage: true },
    });
    expect(asked).toMatchObject({ svc: { plan: "off", maxLlmCalls: 3 }, includeUsage: true });
    expect(asked.request.extra).toEqual({});
  });
});
