import { describe, expect, test } from "vitest";
import type { ProviderRequest, ProviderTarget } from "../../../../../edge/dialects/provider/dialect.ts";
import { alphaDialect, routerDialect } from "../../../../../edge/dialects/provider/openai/dialect.ts";
import type { ChatMessage, ChatRequest, ContentPart } from "../../../../../shared/chat.ts";
import { chatRequest } from "../../replay.ts";

const target = (model: string, limits: Partial<ProviderTarget> = {}): ProviderTarget => ({
  model,
  ...limits,
});
const toAlpha = (fields: Partial<ChatRequest>, model = "gpt-4o"): ProviderRequest =>
  alphaDialect.writeRequest(chatRequest(fields), target(model));
const toRouter = (fields: Partial<ChatRequest>, model = "meta/llama"): ProviderRequest =>
  routerDialect.writeRequest(chatRequest(fields), target(model));
const messages = (written: ProviderRequest) => written.body.messages as Record<string, unknown>[];

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

  test("knows the quirks of OpenAI's models behind it", () => {
    expect(toRouter({ temperature: 0 }, "openai/o3").unsupported).toEqual(["temperature"]);
    expect(toRouter({ temperature: 0 }, "other/o3").unsupported).toEqual([]);
  });
});

describe("messages", () => {
  const user = (...parts: ContentPart[]): ChatMessage => ({ role: "user", parts });
  const writeUser = (write: typeof toAlpha, part: ContentPart, fields: Partial<ChatRequest> = {}) => {
    const written = write({ messages: [user({ type: "text", text: "see" }, part)], ...fields });
    const { content } = messages(written)[0] ?? {};
    return { part: Array.isArray(content) ? content[1] : undefined, unsupported: written.unsupported };
  };
  const data = (mediaType: string, text = "AAAA") => ({ kind: "base64", mediaType, data: text }) as const;

  test.each<[string, ContentPart, object]>([
    [
      "image by URL",
      { type: "image", source: { kind: "url", url: "https://a.test/i" }, detail: "low" },
      { type: "image_url", image_url: { url: "https://a.test/i", detail: "low" } },
    ],
    [
      "image inline",
      { type: "image", source: data("image/png;x=y") },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    ],
    [
      "image as file",
      { type: "file", source: data("image/webp") },
      { type: "image_url", image_url: { url: "data:image/webp;base64,AAAA" } },
    ],
    [
      "audio",
      { type: "file", source: data("audio/mpeg") },
      { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
    ],
    [
      "PDF",
      { type: "file", source: data("application/pdf") },
      { type: "file", file: { filename: "document.pdf", file_data: "data:application/pdf;base64,AAAA" } },
    ],
    [
      "text document",
      { type: "file", source: data("text/plain", btoa("plain words")) },
      { type: "text", text: "plain words" },
    ],
  ])("%s", (_, part, expected) => {
    for (const write of [toAlpha, toRouter])
      expect(writeUser(write, part)).toEqual({ part: expected, unsupported: [] });
  });

  test("what one of the two refuses is named there and sent to the other", () => {
    const byId: ContentPart = { type: "file", source: { kind: "id", id: "file-1" } };
    const byUrl: ContentPart = { type: "file", source: { kind: "url", url: "https://a.test/a.pdf" } };
    const flac: ContentPart = { type: "file", source: data("audio/flac") };
    const marked: ContentPart = {
      type: "text",
      text: "t",
      providerData: { cache_control: { type: "ephemeral" } },
    };
    expect(writeUser(toAlpha, byId).part).toEqual({ type: "file", file: { file_id: "file-1" } });
    expect(writeUser(toAlpha, byId, { callerDialect: "anthropic" }).unsupported).toEqual([
      "messages.content.document",
    ]);
    expect(writeUser(toRouter, byId).unsupported).toEqual(["file"]);
    expect(writeUser(toRouter, byUrl).part).toEqual({
      type: "file",
      file: { file_data: "https://a.test/a.pdf" },
    });
    expect(writeUser(toAlpha, byUrl).unsupported).toEqual(["file"]);
    expect(writeUser(toRouter, flac).part).toEqual({
      type: "input_audio",
      input_audio: { data: "AAAA", format: "flac" },
    });
    expect(writeUser(toAlpha, flac).unsupported).toEqual(["input_audio"]);
    expect(writeUser(toRouter, marked).part).toEqual({
      type: "text",
      text: "t",
      cache_control: { type: "ephemeral" },
    });
    expect(writeUser(toAlpha, marked)).toEqual({
      part: { type: "text", text: "t" },
      unsupported: ["cache_control"],
    });
  });

  const call: ContentPart = { type: "tool-call", id: "c1", name: "f", arguments: '{"a":1}' };
  const wireCall = { id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' } };

  test("developer text is developer's to OpenAI and system's elsewhere", () => {
    const turn: ChatMessage = { role: "developer", parts: [{ type: "text", text: "d" }] };
    expect(messages(toAlpha({ messages: [turn] }))).toEqual([{ role: "developer", content: "d" }]);
    expect(messages(toRouter({ messages: [turn] }))).toEqual([{ role: "system", content: "d" }]);
  });

  test("content is null beside calls without text, and kept where there is text", () => {
    const silent: ChatMessage = { role: "assistant", parts: [call] };
    const speaking: ChatMessage = {
      role: "assistant",
      parts: [{ type: "text", text: "t" }, { type: "refusal", text: "r" }, call],
      name: "bot",
    };
    expect(messages(toAlpha({ messages: [silent, speaking] }))).toEqual([
      { role: "assistant", content: null, tool_calls: [wireCall] },
      { role: "assistant", content: "t", name: "bot", refusal: "r", tool_calls: [wireCall] },
    ]);
  });

  // github.com/farion1231/cc-switch/pull/7439: a notice of Codex between two results
  test("what stands between the results of one turn's calls comes after the last of them (failures 68)", () => {
    const result = (toolCallId: string): ContentPart => ({
      type: "tool-result",
      toolCallId,
      content: [{ type: "text", text: toolCallId }],
    });
    const said = (text: string): ContentPart => ({ type: "text", text });
    const written = toAlpha({
      messages: [
        { role: "assistant", parts: [call, { ...call, id: "c2" }] },
        { role: "developer", parts: [said("resized")] },
        { role: "tool", parts: [result("c1")] },
        user(said("wait")),
        { role: "tool", parts: [result("c2")] },
        { role: "assistant", parts: [said("fine")] },
        user(said("go on")),
      ],
    });
    expect(messages(written).slice(1)).toEqual([
      { role: "tool", tool_call_id: "c1", content: "c1" },
      { role: "tool", tool_call_id: "c2", content: "c2" },
      { role: "developer", content: "resized" },
      { role: "user", content: "wait" },
      { role: "assistant", content: "fine" },
      { role: "user", content: "go on" },
    ]);
  });

  test("results follow their calls at once; their images come in a user message after the last of them", () => {
    const result = (
      toolCallId: string,
      ...content: Extract<ContentPart, { type: "tool-result" }>["content"]
    ): ContentPart => ({ type: "tool-result", toolCallId, content });
    const image = { type: "image", source: data("image/png") } as const;
    const written = toAlpha({
      messages: [
        { role: "assistant", parts: [call, { ...call, id: "c2" }] },
        { role: "tool", parts: [result("c1", image)] },
        user(result("c2", { type: "text", text: "ok" }, image), { type: "text", text: "go on" }),
      ],
    });
    const wireImage = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    expect(messages(written).slice(1)).toEqual([
      { role: "tool", tool_call_id: "c1", content: "(attached in the next user message)" },
      { role: "tool", tool_call_id: "c2", content: "ok" },
      {
        role: "user",
        content: [
          { type: "text", text: "Attached to the result of tool call c1:" },
          wireImage,
          { type: "text", text: "Attached to the result of tool call c2:" },
          wireImage,
        ],
      },
      { role: "user", content: "go on" },
    ]);
    expect(written.unsupported).toEqual([]);
  });

  test.each([
    ["OpenAI", toAlpha],
    ["the aggregator", toRouter],
  ])("a result's tool is named to %s as the caller names it", (_, write) => {
    const result: ContentPart = { type: "tool-result", toolCallId: "c1", content: [] };
    const written = write({
      messages: [
        { role: "assistant", parts: [call] },
        { role: "tool", parts: [result], name: "look" },
      ],
    });
    expect(messages(written)[1]).toEqual({ role: "tool", tool_call_id: "c1", name: "look", content: "" });
  });

  test("a failed result's mark is named", () => {
    expect(
      toAlpha({
        messages: [
          { role: "tool", parts: [{ type: "tool-result", toolCallId: "c", content: [], isError: true }] },
        ],
      }).unsupported,
    ).toEqual(["is_error"]);
  });

  test("reasoning goes back to the aggregator, sealed as entries and plain as text; to OpenAI it is named", () => {
    const detail = { type: "reasoning.summary", id: "rs", format: "openai-responses-v1", index: 3 };
    const turn: ChatMessage = {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "T", signature: "S" },
        { type: "reasoning", text: "", redacted: "ENC" },
        { type: "reasoning", text: "Sum", providerData: { reasoning_detail: detail } },
        { type: "reasoning", text: "plain" },
        { type: "text", text: "x", providerData: { thoughtSignature: "G" } },
        { ...call, providerData: { thoughtSignature: "H" } },
      ],
    };
    expect(messages(toRouter({ messages: [turn] }))[0]).toEqual({
      role: "assistant",
      content: "x",
      tool_calls: [{ ...wireCall, extra_content: { google: { thought_signature: "H" } } }],
      reasoning: "plain",
      reasoning_details: [
        { type: "reasoning.text", text: "T", signature: "S", index: 0 },
        { type: "reasoning.encrypted", data: "ENC", index: 1 },
        { ...detail, summary: "Sum" },
      ],
      extra_content: { google: { thought_signature: "G" } },
    });
    const alpha = toAlpha({ messages: [turn] });
    expect(messages(alpha)[0]).toEqual({ role: "assistant", content: "x", tool_calls: [wireCall] });
    expect(alpha.unsupported.toSorted()).toEqual(["extra_content", "reasoning_content"]);
  });

  test("our dialect's opaque fields return; another's are named", () => {
    const own: ContentPart = { type: "opaque", dialect: "openai", data: { audio: { id: "a1" } } };
    const foreign: ContentPart = { type: "opaque", dialect: "anthropic", data: { type: "server_tool_use" } };
    const written = toAlpha({ messages: [{ role: "assistant", parts: [own, foreign] }] });
    expect(messages(written)).toEqual([{ role: "assistant", content: null, audio: { id: "a1" } }]);
    expect(written.unsupported).toEqual(["messages.content"]);
  });

  test("names fit a header, whatever the caller called its fields", () => {
    const marked: ContentPart = { type: "text", text: "t", providerData: { "bad\r\nname: 世": 1 } };
    expect(writeUser(toAlpha, marked).unsupported).toEqual(["bad__name___"]);
  });
});

describe("a provider's words about a refusal", () => {
  test.each<[string, unknown, string | undefined]>([
    ["OpenAI", { error: { message: "No such model", type: "x", code: "y" } }, "No such model"],
    [
      "OpenRouter, with the vendor's own",
      {
        error: {
          code: 400,
          message: "Provider returned error",
          metadata: { raw: "too long", provider_name: "x" },
        },
      },
      "Provider returned error: too long",
    ],
    ["Google's list", [{ error: { message: "bad" } }], "bad"],
    ["plain text", { error: "nope" }, "nope"],
    ["FastAPI", { detail: "missing" }, "missing"],
    ["none", {}, undefined],
    ["not JSON", undefined, undefined],
  ])("%s", (_, body, expected) => {
    expect(alphaDialect.readErrorMessage(body)).toBe(expected);
  });
});

describe("reasoning efforts", () => {
  test("gpt-5 cannot stop reasoning, so it takes no temperature either", () => {
    const { body, unsupported } = toAlpha({ temperature: 0, reasoning: { effort: "none" } }, "gpt-5");
    expect(body).toMatchObject({ reasoning_effort: "minimal" });
    expect(body).not.toHaveProperty("temperature");
    expect(unsupported).toEqual(["temperature", "reasoning_effort"]);
  });

  test.each([
    ["gpt-5", "none", "minimal", true],
    ["gpt-5-mini", "xhigh", "high", true],
    ["gpt-5.1", "minimal", "low", true],
    ["gpt-5.1", "none", "none", false],
    ["gpt-5.2", "xhigh", "xhigh", false],
    ["gpt-5-pro", "low", "high", true],
    ["o3", "none", "low", true],
    ["gpt-6-luna", "none", "none", false],
    ["gpt-6-sol", "max", "max", false],
    ["gpt-6-astra", "none", "low", true],
    ["gpt-6-astra", "max", "xhigh", true],
    ["gpt-6.1-sol", "none", "low", true],
    ["gpt-6.2-sol", "minimal", "low", true],
    ["gpt-6.2-astra", "xhigh", "xhigh", false],
    ["o4-mini", "medium", "medium", false],
  ] as const)("%s is asked for %s as %s", (model, effort, sent, named) => {
    const { body, unsupported } = toAlpha({ reasoning: { effort } }, model);
    expect(body.reasoning_effort).toBe(sent);
    expect(unsupported).toEqual(named ? ["reasoning_effort"] : []);
  });
});

describe("function tools beside reasoning, which chat completions of newer models refuse", () => {
  const tools = [{ name: "f" }];
  test.each([
    ["gpt-5.6-sol", {}, "none", false],
    ["gpt-5.6-terra", { reasoning: { effort: "high" } }, "none", true],
    ["gpt-5.4", { reasoning: { effort: "none" } }, "none", false],
    ["gpt-6-sol", { reasoning: { effort: "max" } }, "none", true],
    // Refused with every effort, and "none" is none of theirs.
    ["gpt-6-astra", {}, undefined, false],
    ["gpt-6.1-sol", { reasoning: { effort: "high" } }, "high", false],
    ["gpt-5.2", { reasoning: { effort: "high" } }, "high", false],
    ["gpt-5.6-chat-latest", {}, undefined, false],
    ["gpt-4o", {}, undefined, false],
  ] as const)("%s, asked for %j, is asked for %s", (model, fields, sent, named) => {
    const { body, unsupported } = toAlpha({ tools, ...fields }, model);
    expect(body.reasoning_effort).toBe(sent);
    expect(unsupported).toEqual(named ? ["reasoning_effort"] : []);
  });

  test("without tools the same models reason", () => {
    expect(toAlpha({ reasoning: { effort: "high" } }, "gpt-5.6-sol").body.reasoning_effort).toBe("high");
    expect(toAlpha({}, "gpt-5.6-sol").body).not.toHaveProperty("reasoning_effort");
  });

  test("with reasoning off they take a temperature", () => {
    const { body, unsupported } = toAlpha({ tools, temperature: 0.2 }, "gpt-5.6-sol");
    expect(body.temperature).toBe(0.2);
    expect(unsupported).toEqual([]);
  });

  test("the aggregator is asked for the effort, since it asks OpenAI another way", () => {
    const { body } = toRouter({ tools, reasoning: { effort: "high" } }, "openai/gpt-5.6-sol");
    expect(body).toMatchObject({ reasoning: { effort: "high" } });
    expect(body).not.toHaveProperty("reasoning_effort");
  });
});

test.each([
  ["gpt-5", "high", true],
  ["gpt-5.4", "xhigh", true],
  ["o3", "high", true],
  ["local-model", "max", false],
] as const)("effort max is sent to %s as %s", (model, sent, named) => {
  const { body, unsupported } = toAlpha({ reasoning: { effort: "max" } }, model);
  expect(body.reasoning_effort).toBe(sent);
  expect(unsupported).toEqual(named ? ["reasoning_effort"] : []);
});

test("effort max is sent to the aggregator as it is", () => {
  const { body, unsupported } = toRouter({ reasoning: { effort: "max" } }, "openai/gpt-5.6-sol");
  expect(body).toMatchObject({ reasoning: { effort: "max" } });
  expect(unsupported).toEqual([]);
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

describe("a response format at an aggregator", () => {
  const schema = { type: "json-schema", name: "n", schema: { type: "object" } } as const;
  const json = { type: "json" } as const;
  const tool = { name: "look", parameters: { type: "object" } };
  const write = (fields: Partial<ChatRequest>, limits: Partial<ProviderTarget>, model = "meta/llama") => {
    const asked = [chatRequest(fields), target(model, limits)] as const;
    const { body, unsupported } = routerDialect.writeRequest(...asked);
    const sent = (body.response_format as { type: string } | undefined)?.type;
    return { sent, unsupported, held: routerDialect.enforcesFormat(...asked) };
  };

  test.each([
    ["schema", schema, "json_schema", [], true],
    ["schema", json, "json_object", [], true],
    ["json", schema, "json_object", ["response_format.json_schema.schema"], false],
    ["json", json, "json_object", [], true],
    ["none", schema, undefined, ["response_format"], false],
    ["none", json, undefined, ["response_format"], false],
    ["none", { type: "text" } as const, "text", [], true],
  ] as const)(
    "of a model that takes %s: %j is sent as %s",
    (formats, responseFormat, sent, unsupported, held) => {
      expect(write({ responseFormat }, { formats })).toEqual({ sent, unsupported, held });
    },
  );

  test("of a model that the list says nothing about is sent", () => {
    expect(write({ responseFormat: schema }, {})).toEqual({
      sent: "json_schema",
      unsupported: [],
      held: true,
    });
  });

  test("is not sent beside tools to Gemini before 3, which refuses both together", () => {
    const asked = { responseFormat: schema, tools: [tool] };
    const left = { sent: undefined, unsupported: ["response_format"], held: false };
    expect(write(asked, { formats: "schema" }, "google/gemini-2.5-pro")).toEqual(left);
    expect(write(asked, { formats: "schema" }, "google/gemini-3.1-pro").held).toBe(true);
    expect(write({ responseFormat: schema }, { formats: "schema" }, "google/gemini-2.5-pro").held).toBe(true);
  });

  test("goes to OpenAI itself as it is", () => {
    expect(
      alphaDialect.enforcesFormat(chatRequest({ responseFormat: schema, tools: [tool] }), target("gpt-4o")),
    ).toBe(true);
  });
});

describe("strict tools of Anthropic's callers", () => {
  const object = (fields: Record<string, unknown>) => ({
    type: "object",
    additionalProperties: false,
    ...fields,
  });
  const properties = { a: { type: "string" } };
  const closed = object({ properties, required: ["a"] });
  test.each<[string, Record<string, unknown>, boolean]>([
    ["all required", closed, true],
    ["without parameters", object({ properties: {} }), true],
    ["one optional", object({ properties }), false],
    ["open", { type: "object", properties, required: ["a"] }, false],
    ["one optional inside", object({ properties: { b: object({ properties }) }, required: ["b"] }), false],
    [
      "closed inside a list",
      object({ properties: { b: { type: "array", items: closed } }, required: ["b"] }),
      true,
    ],
  ])("are strict for OpenAI's models where these take them: %s (failures 75)", (_name, parameters, taken) => {
    const fields: Partial<ChatRequest> = {
      tools: [{ name: "f", parameters, strict: true }],
      callerDialect: "anthropic",
    };
    for (const write of [toAlpha, (asked: typeof fields) => toRouter(asked, "openai/gpt-4o")]) {
      const { body, unsupported } = write(fields);
      const [tool] = body.tools as { function: { strict?: boolean } }[];
      expect([tool?.function.strict, unsupported]).toEqual(
        taken ? [true, []] : [undefined, ["tools.strict"]],
      );
    }
    const elsewhere = toRouter(fields, "anthropic/claude-sonnet-4.5");
    const own = toAlpha({ ...fields, callerDialect: "openai" });
    for (const { body, unsupported } of [elsewhere, own]) {
      expect(body.tools).toMatchObject([{ function: { strict: true } }]);
      expect(unsupported).toEqual([]);
    }
  });
});

describe("an id of a call that OpenAI would refuse", () => {
  const history = (...ids: string[]): ChatMessage[] => [
    { role: "user", parts: [{ type: "text", text: "Hi" }] },
    { role: "assistant", parts: ids.map((id) => ({ type: "tool-call", id, name: "f", arguments: "{}" })) },
    ...ids.map(
      (id): ChatMessage => ({ role: "tool", parts: [{ type: "tool-result", toolCallId: id, content: [] }] }),
    ),
  ];
  const readIds = (written: ProviderRequest) =>
    messages(written).flatMap((message) => [
      ...((message.tool_calls as { id: string }[] | undefined) ?? []).map(({ id }) => id),
      ...(message.tool_call_id === undefined ? [] : [message.tool_call_id]),
    ]);
  const long = "call_".padEnd(86, "x");

  test("is shortened with its result, and stays one of its own (failures 76)", () => {
    const ids = readIds(toAlpha({ messages: history(long, `${long}y`, "call_1") }));
    expect(ids.slice(0, 3)).toEqual(ids.slice(3));
    expect(new Set(ids).size).toBe(3);
    expect(ids).toContain("call_1");
    for (const id of ids) expect(id).toMatch(/^[\w-]{1,64}$/);
    expect(readIds(toRouter({ messages: history(long) }, "openai/gpt-5"))[0]).toHaveLength(64);
  });

  test("stays what it is at other vendors, and up to the limit", () => {
    expect(readIds(toRouter({ messages: history(long) }))).toEqual([long, long]);
    expect(readIds(toAlpha({ messages: history("c".repeat(64)) }))).toEqual(Array(2).fill("c".repeat(64)));
  });
});
