// Fields of a request beside its messages: what OpenAI and the aggregator are sent, and what is named as left out.
import { describe, expect, test } from "vitest";
import { alphaDialect, routerDialect } from "../../../../../edge/dialects/provider/openai/dialect.ts";
import type { ChatRequest } from "../../../../../shared/chat.ts";
import { chatRequest } from "../../replay.ts";
import { target, toAlpha, toRouter } from "./written-request.ts";

describe("both providers", () => {
  for (const [name, write] of [
    ["alpha", toAlpha],
    ["router", toRouter],
  ] as const) {
    test(`${name}: the least request`, () => {
      const { path, headers, unsupported, body } = write({});
      expect({ path, headers, unsupported }).toEqual({
        path: "/chat/completions",
        headers: {},
        unsupported: [],
      });
      expect(body).toMatchObject({ messages: [{ role: "user", content: "Hello" }] });
      expect(body).not.toHaveProperty("stream");
    });

    test(`${name}: a stream always reports usage`, () => {
      expect(write({ stream: true, extra: { stream_options: { include_usage: false } } }).body).toMatchObject(
        { stream: true, stream_options: { include_usage: true } },
      );
    });

    test(`${name}: a field inside an option is named by its path, and never sent as a field`, () => {
      const paths = ["stream_options.more", "usage.more", "response_format.schema"];
      const { body, unsupported } = write({ extra: Object.fromEntries(paths.map((path) => [path, true])) });
      expect(unsupported).toEqual(paths);
      for (const path of paths) expect(Object.keys(body)).not.toContain(path);
    });

    test.each<[Partial<ChatRequest>, Record<string, unknown>]>([
      [
        { temperature: 0, topP: 0.5, presencePenalty: 1, frequencyPenalty: -1, seed: 3, stop: ["a"] },
        { temperature: 0, top_p: 0.5, presence_penalty: 1, frequency_penalty: -1, seed: 3, stop: ["a"] },
      ],
      [
        {
          logprobs: { top: 2 },
          logitBias: { "5": 1 },
          endUser: "u",
          serviceTier: "flex",
          metadata: { a: "b" },
        },
        {
          logprobs: true,
          top_logprobs: 2,
          logit_bias: { "5": 1 },
          user: "u",
          service_tier: "flex",
          metadata: { a: "b" },
        },
      ],
      [{ responseFormat: { type: "json" } }, { response_format: { type: "json_object" } }],
      [{ responseFormat: { type: "text" } }, { response_format: { type: "text" } }],
      [
        {
          responseFormat: {
            type: "json-schema",
            name: "n",
            schema: { $ref: "#/$defs/a", additionalProperties: false, "x-y": 1 },
            strict: true,
          },
        },
        {
          response_format: {
            type: "json_schema",
            json_schema: {
              name: "n",
              schema: { $ref: "#/$defs/a", additionalProperties: false, "x-y": 1 },
              strict: true,
            },
          },
        },
      ],
      [
        {
          tools: [{ name: "f", description: "d", parameters: { type: "object", $defs: {} }, strict: false }],
          toolChoice: { type: "tool", name: "f" },
          parallelToolCalls: false,
        },
        {
          tools: [
            {
              type: "function",
              function: {
                name: "f",
                description: "d",
                parameters: { type: "object", $defs: {} },
                strict: false,
              },
            },
          ],
          tool_choice: { type: "function", function: { name: "f" } },
          parallel_tool_calls: false,
        },
      ],
      [{ tools: [{ name: "f" }], toolChoice: { type: "required" } }, { tool_choice: "required" }],
    ])(`${name}: %j`, (fields, expected) => {
      const { body, unsupported } = write(fields);
      expect(body).toMatchObject(expected);
      expect(unsupported).toEqual([]);
    });

    test(`${name}: tool settings are not sent without tools, which the API refuses`, () => {
      const { body, unsupported } = write({ toolChoice: { type: "auto" }, parallelToolCalls: true });
      expect(body).not.toHaveProperty("tool_choice");
      expect(body).not.toHaveProperty("parallel_tool_calls");
      expect(unsupported).toEqual([]);
      expect(write({ toolChoice: { type: "required" } }).unsupported).toEqual(["tool_choice"]);
    });

    test(`${name}: fields of another dialect's caller are named, not sent`, () => {
      const { body, unsupported } = write({
        callerDialect: "anthropic",
        extra: { container: "c" },
        metadata: { user_id: "u" },
        stop: ["1", "2", "3", "4", "5"],
      });
      expect(body).not.toHaveProperty("container");
      expect(body).not.toHaveProperty("metadata");
      expect(body.stop).toEqual(["1", "2", "3", "4"]);
      expect(unsupported).toEqual(["container", "stop_sequences"]);
    });
  }
});

describe("alpha", () => {
  test("limits output by max_completion_tokens; the target's cap wins", () => {
    expect(toAlpha({ maxOutputTokens: 9 }).body).toMatchObject({ max_completion_tokens: 9 });
    const capped = alphaDialect.writeRequest(
      chatRequest({ maxOutputTokens: 9 }),
      target("gpt-4o", { maxOutputTokens: 4 }),
    );
    expect(capped.body).toMatchObject({ max_completion_tokens: 4 });
    expect(capped.body).not.toHaveProperty("max_tokens");
  });

  test("takes n, and names top_k and unknown fields; known OpenAI fields travel", () => {
    const { body, unsupported } = toAlpha(
      {
        choices: 3,
        topK: 5,
        extra: { store: true, verbosity: "low", transforms: [] },
      },
      "gpt-5",
    );
    expect(body).toMatchObject({ n: 3, store: true, verbosity: "low" });
    expect(unsupported).toEqual(["top_k", "transforms"]);
    expect(body).not.toHaveProperty("transforms");
  });

  const sampled = {
    temperature: 0.2,
    topP: 0.9,
    presencePenalty: 1,
    frequencyPenalty: 1,
    logprobs: { top: 1 },
    logitBias: { a: 1 },
  };
  const samplingNames = [
    "temperature",
    "top_p",
    "presence_penalty",
    "frequency_penalty",
    "logprobs",
    "logit_bias",
  ];
  test.each<[string, Partial<ChatRequest>, string[]]>([
    ["o1", { ...sampled, stop: ["x"] }, samplingNames],
    ["o3-mini", { ...sampled, stop: ["x"] }, samplingNames],
    [
      "o3",
      { ...sampled, stop: ["x"] },
      ["temperature", "top_p", "presence_penalty", "frequency_penalty", "stop", "logprobs", "logit_bias"],
    ],
    ["o4-mini-2025-04-16", { temperature: 0, stop: ["x"] }, ["temperature", "stop"]],
    ["gpt-5-nano", { temperature: 0, stop: ["x"] }, ["temperature", "stop"]],
    ["gpt-5.2", { temperature: 0, reasoning: { effort: "low" } }, ["temperature"]],
    ["gpt-5.2", { temperature: 0, reasoning: { effort: "none" } }, []],
    ["gpt-5.1", { temperature: 0, topP: 0.5, logprobs: { top: 1 } }, []],
    ["gpt-5.1", { frequencyPenalty: 1, logitBias: { "1": 1 } }, ["frequency_penalty", "logit_bias"]],
    [
      "gpt-5.4",
      { tools: [{ name: "f" }], temperature: 0, presencePenalty: 1, reasoning: { effort: "none" } },
      ["presence_penalty"],
    ],
    ["gpt-5.4-mini", { temperature: 0, reasoning: { budgetTokens: 4000 } }, ["temperature"]],
    ["gpt-5.2-pro", { temperature: 0 }, ["temperature"]],
    ["gpt-5.5", { temperature: 0 }, ["temperature"]],
    ["gpt-6-sol", { temperature: 0, reasoning: { effort: "none" } }, ["temperature"]],
    ["gpt-5-chat-latest", { temperature: 0, stop: ["x"] }, []],
    ["gpt-4o-search-preview", { temperature: 0 }, ["temperature"]],
    ["gpt-4.1", { reasoning: { effort: "high" } }, ["reasoning_effort"]],
    ["gpt-4.1", { reasoning: { effort: "none" } }, []],
    ["o4-mini", { tools: [{ name: "f" }], parallelToolCalls: false }, ["parallel_tool_calls"]],
  ])("%s given %j refuses and names %j", (model, fields, names) => {
    const { body, unsupported } = toAlpha(fields, model);
    expect(unsupported).toEqual(names);
    for (const name of names) expect(body).not.toHaveProperty(name);
  });

  test("a default a model refuses is left out without a word", () => {
    const { body, unsupported } = toAlpha(
      { temperature: 1, topP: 1, presencePenalty: 0, frequencyPenalty: 0 },
      "o3",
    );
    expect(unsupported).toEqual([]);
    expect(Object.keys(body)).toEqual(["model", "messages"]);
  });

  test.each<[number, string]>([
    [500, "minimal"],
    [2000, "low"],
    [8000, "medium"],
    [32000, "high"],
  ])("a reasoning budget of %i tokens is effort %s", (budgetTokens, effort) => {
    expect(toAlpha({ reasoning: { budgetTokens }, callerDialect: "anthropic" }, "gpt-5").body).toMatchObject({
      reasoning_effort: effort,
    });
  });
});

describe("router", () => {
  test("limits output by max_tokens, asks for its cost, and leaves n to the gateway", () => {
    const { body } = toRouter({ maxOutputTokens: 9, choices: 2, topK: 5 });
    expect(body).toMatchObject({ max_tokens: 9, usage: { include: true }, top_k: 5 });
    expect(body).not.toHaveProperty("n");
    expect(routerDialect.takesChoices).toBe(false);
  });

  test.each<[Partial<ChatRequest>, object]>([
    [{ reasoning: { effort: "low" } }, { effort: "low" }],
    [{ reasoning: { budgetTokens: 500, effort: "low" } }, { max_tokens: 500 }],
    [
      { reasoning: { effort: "high" }, extra: { reasoning: { exclude: true } } },
      { effort: "high", exclude: true },
    ],
  ])("writes reasoning as the aggregator does: %j", (fields, expected) => {
    const { body, unsupported } = toRouter(fields);
    expect(body.reasoning).toEqual(expected);
    expect(unsupported).toEqual([]);
  });

  test("sends on what only the aggregator knows, but not what billing rests on", () => {
    const { body, unsupported } = toRouter({
      extra: { provider: { order: ["a"] }, min_p: 0.1, usage: { include: false } },
    });
    expect(body).toMatchObject({ provider: { order: ["a"] }, min_p: 0.1, usage: { include: true } });
    expect(unsupported).toEqual(["usage"]);
  });

  test("no field without a place in the hub replaces what was written, and it is named", () => {
    const { body, unsupported } = toRouter({
      maxOutputTokens: 50,
      extra: { messages: [{ role: "user", content: "Another" }], max_tokens: 9 },
    });
    expect(body).toMatchObject({ messages: [{ role: "user", content: "Hello" }], max_tokens: 50 });
    expect(unsupported).toEqual(["messages", "max_tokens"]);
  });

  test("leaves out what OpenAI's models behind the aggregator refuse", () => {
    expect(toRouter({ temperature: 0 }, "openai/o3").unsupported).toEqual(["temperature"]);
    expect(toRouter({ temperature: 0 }, "other/o3").unsupported).toEqual([]);
  });
});

test("an end user's name longer than the provider takes is named, not refused by it", () => {
  const write = (dialect: typeof alphaDialect, length: number) =>
    dialect.writeRequest(chatRequest({ endUser: "u".repeat(length) }), target("gpt-4o"));
  expect(write(alphaDialect, 64)).toMatchObject({ body: { user: "u".repeat(64) }, unsupported: [] });
  expect(write(alphaDialect, 65)).toMatchObject({ unsupported: ["user"] });
  expect(write(alphaDialect, 65).body).not.toHaveProperty("user");
  expect(write(routerDialect, 128).unsupported).toEqual([]);
  expect(write(routerDialect, 129).unsupported).toEqual(["user"]);
});
