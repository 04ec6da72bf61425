import type { MessageCreateParams } from "@anthropic-ai/sdk/resources/messages";
import { describe, expect, it } from "vitest";
import { anthropicDialect } from "../../../../../edge/dialects/provider/anthropic/dialect.ts";
import type { ChatMessage, ChatRequest, ContentPart, ResponseFormat } from "../../../../../shared/chat.ts";
import { chatRequest } from "../../replay.ts";

const haiku = "claude-haiku-4-5";
const write = (fields: Partial<ChatRequest>, model = haiku, target = {}) =>
  anthropicDialect.writeRequest(chatRequest(fields), { model, maxOutputTokens: 1_000, ...target });
const say = (role: ChatMessage["role"], ...parts: (string | ContentPart)[]): ChatMessage => ({
  role,
  parts: parts.map((part) => (typeof part === "string" ? { type: "text", text: part } : part)),
});
/** Expected bodies are typed by the provider's own SDK, which no longer knows the sampling fields. */
type Body = MessageCreateParams & { temperature?: number; top_p?: number; top_k?: number };
const body = (expected: Omit<Body, "model" | "max_tokens" | "stream">) => ({
  model: haiku,
  max_tokens: 1_000,
  stream: false,
  ...expected,
});
const hello: MessageCreateParams["messages"] = [{ role: "user", content: [{ type: "text", text: "Hello" }] }];

const treeSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    root: { $ref: "#/$defs/node" },
    depth: { type: ["integer", "null"], minimum: 1, maximum: 9 },
    kind: { oneOf: [{ const: "a" }, { const: "b" }] },
  },
  required: ["root"],
  additionalProperties: false,
  $defs: { node: { type: "object", additionalProperties: { $ref: "#/$defs/node" } } },
};

const conversations: [string, ChatMessage[], Pick<Body, "system" | "messages">][] = [
  [
    "system and developer text is hoisted in order, one block each",
    [
      say("system", "You are terse."),
      say("user", "Hi"),
      say("developer", "Speak German."),
      say("user", "How are you?"),
    ],
    {
      system: [
        { type: "text", text: "You are terse." },
        { type: "text", text: "Speak German." },
      ],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Hi" },
            { type: "text", text: "How are you?" },
          ],
        },
      ],
    },
  ],
  [
    "results of parallel calls join in one user turn, before its text",
    [
      say("user", "Weather?"),
      say(
        "assistant",
        "Looking.",
        { type: "tool-call", id: "call_1", name: "weather", arguments: '{"city":"Zürich"}' },
        { type: "tool-call", id: "functions.now:2", name: "now", arguments: "{}" },
      ),
      say("tool", {
        type: "tool-result",
        toolCallId: "call_1",
        content: [{ type: "text", text: '{"$ref":"#/x"}' }],
      }),
      say("tool", { type: "tool-result", toolCallId: "functions.now:2", content: [], isError: true }),
      say("user", "And?"),
    ],
    {
      messages: [
        { role: "user", content: [{ type: "text", text: "Weather?" }] },
        {
          role: "assistant",
          content: [
            { type: "text", text: "Looking." },
            { type: "tool_use", id: "call_1", name: "weather", input: { city: "Zürich" } },
            { type: "tool_use", id: "functions_now_2", name: "now", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "call_1",
              content: [{ type: "text", text: '{"$ref":"#/x"}' }],
            },
            {
              type: "tool_result",
              tool_use_id: "functions_now_2",
              content: [{ type: "text", text: "The tool failed without a message." }],
              is_error: true,
            },
            { type: "text", text: "And?" },
          ],
        },
      ],
    },
  ],
  [
    "images and documents come by URL, as base64, or as a data URL",
    [
      say(
        "user",
        { type: "image", source: { kind: "url", url: "https://example.com/cat.png" } },
        {
          type: "image",
          source: { kind: "base64", mediaType: "image/png; charset=utf-8", data: "iVBORw0=" },
        },
        { type: "image", source: { kind: "url", url: "data:image/jpg;base64,/9j/4AA=" } },
        {
          type: "file",
          filename: "a.pdf",
          source: { kind: "base64", mediaType: "application/pdf", data: "JVBERi0=" },
        },
        { type: "file", source: { kind: "url", url: "https://example.com/b.pdf" } },
        { type: "file", source: { kind: "base64", mediaType: "text/plain", data: "R3LDvMOfZQ==" } },
      ),
    ],
    {
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { type: "url", url: "https://example.com/cat.png" } },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0=" } },
            { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "/9j/4AA=" } },
            {
              type: "document",
              title: "a.pdf",
              source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
            },
            { type: "document", source: { type: "url", url: "https://example.com/b.pdf" } },
            { type: "document", source: { type: "text", media_type: "text/plain", data: "Grüße" } },
          ],
        },
      ],
    },
  ],
  [
    "thinking goes back byte-equal, sealed or redacted",
    [
      say("user", "Think"),
      say(
        "assistant",
        { type: "reasoning", text: "Hm — \u2028ja", signature: "c2VhbA==" },
        { type: "reasoning", text: "", signature: "d2l0aGhlbGQ=" },
        { type: "reasoning", text: "", redacted: "cmVkYWN0ZWQ=" },
        "Done",
      ),
      say("user", "More"),
    ],
    {
      messages: [
        { role: "user", content: [{ type: "text", text: "Think" }] },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm — \u2028ja", signature: "c2VhbA==" },
            { type: "thinking", thinking: "", signature: "d2l0aGhlbGQ=" },
            { type: "redacted_thinking", data: "cmVkYWN0ZWQ=" },
            { type: "text", text: "Done" },
          ],
        },
        { role: "user", content: [{ type: "text", text: "More" }] },
      ],
    },
  ],
  [
    "blank text, which the API refuses, is left out; a refusal is text",
    [say("user", "Hi", " \n"), say("assistant", "", { type: "refusal", text: "No." }), say("user", "Why?")],
    {
      messages: [
        { role: "user", content: [{ type: "text", text: "Hi" }] },
        { role: "assistant", content: [{ type: "text", text: "No." }] },
        { role: "user", content: [{ type: "text", text: "Why?" }] },
      ],
    },
  ],
  [
    "cache marks and this provider's own blocks travel",
    [
      {
        role: "system",
        parts: [{ type: "text", text: "Long", providerData: { cache_control: { type: "ephemeral" } } }],
      },
      say("user", "Hi"),
      say("assistant", {
        type: "opaque",
        dialect: "anthropic",
        data: { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
      }),
      {
        role: "user",
        parts: [{ type: "text", text: "?", providerData: { thoughtSignature: "not for Claude" } }],
      },
    ],
    {
      system: [{ type: "text", text: "Long", cache_control: { type: "ephemeral" } }],
      messages: [
        { role: "user", content: [{ type: "text", text: "Hi" }] },
        {
          role: "assistant",
          content: [{ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }],
        },
        { role: "user", content: [{ type: "text", text: "?" }] },
      ],
    },
  ],
];

describe("the conversation in a Messages request", () => {
  it.each(conversations)("%s", (_name, messages, expected) => {
    const written = write({ messages });
    expect(written).toEqual({
      path: "/messages",
      headers: { "anthropic-version": "2023-06-01" },
      body: body(expected),
      unsupported: [],
    });
  });

  it.each<[string, ContentPart, string]>([
    [
      "audio",
      { type: "file", source: { kind: "base64", mediaType: "audio/wav", data: "UklGRg==" } },
      "input_audio",
    ],
    ["a foreign file id", { type: "file", source: { kind: "id", id: "file-abc" } }, "file"],
    ["unsigned reasoning", { type: "reasoning", text: "Hm" }, "reasoning_content"],
    [
      "Gemini's reasoning",
      { type: "reasoning", text: "Hm", signature: "x", providerData: { thoughtSignature: "x" } },
      "reasoning_content",
    ],
    [
      "reasoning of another format",
      {
        type: "reasoning",
        text: "",
        redacted: "x",
        providerData: { reasoning_detail: { format: "google-gemini-v1" } },
      },
      "reasoning_content",
    ],
    [
      "another dialect's block",
      { type: "opaque", dialect: "gemini", data: { executableCode: {} } },
      "messages.content",
    ],
  ])("leaves out %s and says so", (_name, part, name) => {
    const written = write({ messages: [say("user", "Hello", part)] });
    expect(written.body).toEqual(body({ messages: hello }));
    expect(written.unsupported).toEqual([name]);
  });

  it.each([
    ["not json", { _raw: "not json" }],
    ["[1,2]", { _raw: "[1,2]" }],
    ['"text"', { _raw: '"text"' }],
    ["null", { _raw: "null" }],
  ])("wraps arguments that are no object (%s) and says so", (text, input) => {
    const call: ContentPart = { type: "tool-call", id: "c", name: "f", arguments: text };
    const written = write({ messages: [say("assistant", call)] });
    expect(written.body.messages).toEqual([
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "f", input }] },
    ]);
    expect(written.unsupported).toEqual(["tool_calls.function.arguments"]);
  });

  // github.com/earendil-works/pi/issues/8943: the model takes the rounded id for a mistake of its own, and calls again
  it("sends integers beyond 2^53 with all their digits (failures 80)", () => {
    const text =
      '{"id":1234567890123456789,"__proto__":[-9007199254740993],"name":"\\"12345678901234567890"}';
    const call: ContentPart = { type: "tool-call", id: "c", name: "f", arguments: text };
    const { body: sent } = write({ messages: [say("assistant", call)] });
    expect(JSON.stringify(sent)).toContain(`"input":${text}`);
  });
});

describe("tools in a Messages request", () => {
  const tools: ChatRequest["tools"] = [
    { name: "grow", description: "Grows a tree", parameters: treeSchema },
    { name: "now" },
  ];

  it("keep their schema whole (failures 28)", () => {
    expect(write({ tools }).body.tools).toEqual([
      { name: "grow", description: "Grows a tree", input_schema: treeSchema },
      { name: "now", input_schema: { type: "object", properties: {} } },
    ]);
  });

  it.each<[string, Partial<ChatRequest>, string, unknown, string[]]>([
    ["nothing", {}, haiku, undefined, []],
    ["auto", { toolChoice: { type: "auto" } }, haiku, { type: "auto" }, []],
    ["none", { toolChoice: { type: "none" } }, haiku, { type: "none" }, []],
    ["required", { toolChoice: { type: "required" } }, haiku, { type: "any" }, []],
    ["one tool", { toolChoice: { type: "tool", name: "now" } }, haiku, { type: "tool", name: "now" }, []],
    [
      "no parallel calls",
      { parallelToolCalls: false },
      haiku,
      { type: "auto", disable_parallel_tool_use: true },
      [],
    ],
    [
      "one call, required",
      { toolChoice: { type: "required" }, parallelToolCalls: false },
      haiku,
      { type: "any", disable_parallel_tool_use: true },
      [],
    ],
    ["parallel calls", { parallelToolCalls: true }, haiku, undefined, []],
    [
      "required of a model that refuses it",
      { toolChoice: { type: "required" } },
      "claude-opus-5-5",
      { type: "auto" },
      ["tool_choice"],
    ],
  ])("with the choice: %s", (_name, fields, model, expected, unsupported) => {
    const written = write({ tools, ...fields }, model);
    expect(written.body.tool_choice).toEqual(expected);
    expect(written.unsupported).toEqual(unsupported);
  });

  it("a forced choice without tools is left out and named", () => {
    const written = write({ toolChoice: { type: "required" } });
    expect(written.body).toEqual(body({ messages: hello }));
    expect(written.unsupported).toEqual(["tool_choice"]);
  });

  it.each([
    [
      "a schema the provider can hold",
      haiku,
      { type: "object", properties: {}, additionalProperties: false },
      true,
    ],
    ["a schema it would refuse", haiku, treeSchema, undefined],
    [
      "a model without strict tools",
      "claude-3-haiku-20240307",
      { type: "object", properties: {}, additionalProperties: false },
      undefined,
    ],
  ])("strict travels only with %s", (_name, model, parameters, strict) => {
    const written = write({ tools: [{ name: "f", strict: true, parameters }] }, model);
    expect(written.body.tools).toEqual([{ name: "f", input_schema: parameters, ...(strict && { strict }) }]);
    expect(written.unsupported).toEqual(strict ? [] : ["tools.strict"]);
  });
});

describe("the scalar fields of a Messages request", () => {
  it.each([
    ["the caller's", { maxOutputTokens: 500 }, { maxOutputTokens: 1_000 }, 500],
    ["the pool's cap over the caller's", { maxOutputTokens: 5_000 }, { maxOutputTokens: 1_000 }, 1_000],
    ["the pool's cap", {}, { maxOutputTokens: 1_000 }, 1_000],
    ["the model's limit", {}, { maxOutputTokens: undefined, outputLimit: 64_000 }, 64_000],
    ["a number every model takes", {}, { maxOutputTokens: undefined }, 4_096],
  ])("max_tokens is %s", (_name, fields, target, expected) => {
    expect(write(fields, haiku, target).body.max_tokens).toBe(expected);
  });

  const sonnet37 = "claude-3-7-sonnet-20250219";
  it.each<[string, Partial<ChatRequest>, string, Record<string, number>, string[]]>([
    [
      "both on a model that takes both",
      { temperature: 0.5, topP: 0.9, topK: 5 },
      sonnet37,
      { temperature: 0.5, top_p: 0.9, top_k: 5 },
      [],
    ],
    ["temperature over 1", { temperature: 1.5 }, sonnet37, { temperature: 1 }, ["temperature"]],
    ["temperature before top_p", { temperature: 0.5, topP: 0.9 }, haiku, { temperature: 0.5 }, ["top_p"]],
    ["top_p beside the default temperature", { temperature: 1, topP: 0.9 }, haiku, { top_p: 0.9 }, []],
    ["temperature beside the default top_p", { temperature: 0, topP: 1 }, haiku, { temperature: 0 }, []],
    ["defaults on a model without sampling", { temperature: 1, topP: 1 }, "claude-opus-4-8", {}, []],
    [
      "values on a model without sampling",
      { temperature: 0.2, topP: 0.9, topK: 5 },
      "claude-sonnet-5",
      {},
      ["temperature", "top_p", "top_k"],
    ],
    [
      "values while thinking",
      { temperature: 0.2, reasoning: { effort: "low" }, maxOutputTokens: 9_000 },
      "claude-opus-4-6",
      {},
      ["temperature"],
    ],
  ])("sampling: %s", (_name, fields, model, expected, unsupported) => {
    const written = write(fields, model, { maxOutputTokens: 9_000 });
    const { temperature, top_p, top_k } = written.body;
    expect(JSON.parse(JSON.stringify({ temperature, top_p, top_k }))).toEqual(expected);
    expect(written.unsupported).toEqual(unsupported);
  });

  it("stop stays a list, without the blank sequences the API refuses", () => {
    expect(write({ stop: ["END"] }).body.stop_sequences).toEqual(["END"]);
    const written = write({ stop: ["\n", "END"] });
    expect(written.body.stop_sequences).toEqual(["END"]);
    expect(written.unsupported).toEqual(["stop"]);
    expect(write({ stop: ["\n"] }).body).not.toHaveProperty("stop_sequences");
  });

  it.each([
    ["u-1", true],
    ["500123456", true],
    ["u".repeat(256), true],
    ["u".repeat(257), false],
    ["alice@example.com", false],
    ["+49 (30) 123-4567", false],
  ])("the end user %j becomes metadata.user_id: %s (failures 72)", (endUser, fits) => {
    const { body, unsupported } = write({ endUser });
    expect([body.metadata, unsupported]).toEqual(fits ? [{ user_id: endUser }, []] : [undefined, ["user"]]);
    const own = write({ endUser, callerDialect: "anthropic" });
    expect([own.body.metadata, own.unsupported]).toEqual([{ user_id: endUser }, []]);
  });

  it.each([undefined, "", "\n"])("a failed result that says %j gets words (failures 73)", (text) => {
    const content = text === undefined ? [] : [{ type: "text" as const, text }];
    const messages: ChatMessage[] = [
      { role: "user", parts: [{ type: "text", text: "Go" }] },
      { role: "assistant", parts: [{ type: "tool-call", id: "c1", name: "f", arguments: "{}" }] },
      { role: "tool", parts: [{ type: "tool-result", toolCallId: "c1", content, isError: true }] },
    ];
    const words = { type: "text", text: "The tool failed without a message." };
    expect((write({ messages }).body.messages as unknown[]).at(-1)).toEqual({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "c1", content: [words], is_error: true }],
    });
  });

  it.each([
    ["auto", { service_tier: "auto" }, []],
    ["default", { service_tier: "standard_only" }, []],
    ["flex", {}, ["service_tier"]],
  ])("service tier %s", (serviceTier, expected, unsupported) => {
    const written = write({ serviceTier });
    expect(written.body).toEqual({ ...body({ messages: hello }), ...expected });
    expect(written.unsupported).toEqual(unsupported);
  });

  it("names what the Messages API has no field for, and nothing that has no effect", () => {
    const named = write({
      seed: 7,
      logprobs: { top: 2 },
      logitBias: { 50256: -100 },
      presencePenalty: 1,
      frequencyPenalty: -1,
      metadata: { team: "a" },
      extra: { store: true, prediction: {} },
    });
    expect(named.body).toEqual(body({ messages: hello }));
    expect(named.unsupported.toSorted()).toEqual([
      "frequency_penalty",
      "logit_bias",
      "logprobs",
      "metadata",
      "prediction",
      "presence_penalty",
      "seed",
      "store",
    ]);
    expect(write({ presencePenalty: 0, frequencyPenalty: 0, logitBias: {}, choices: 3 }).unsupported).toEqual(
      [],
    );
  });

  it("an Anthropic caller's own fields travel, and never over ours", () => {
    const written = write({
      callerDialect: "anthropic",
      metadata: { user_id: "u" },
      extra: { container: "c_1", model: "other", output_config: { effort: "high" } },
    });
    expect(written.body).toEqual({
      ...body({ messages: hello }),
      container: "c_1",
      metadata: { user_id: "u" },
      output_config: { effort: "high" },
    });
    expect(written.unsupported).toEqual([]);
  });
});

describe("a JSON answer from the Messages API", () => {
  const format = (schema: Record<string, unknown>): ResponseFormat => ({
    type: "json-schema",
    name: "answer",
    schema,
  });

  it("is held to a schema by the provider itself", () => {
    const schema = {
      type: "object",
      properties: { n: { type: "integer" } },
      required: ["n"],
      additionalProperties: false,
    };
    const written = write({ responseFormat: format(schema) });
    expect(written.body.output_config).toEqual({ format: { type: "json_schema", schema } });
    expect(written.unsupported).toEqual([]);
  });

  it("is adapted where the provider would refuse the schema, the rest said in its description", () => {
    const written = write({ responseFormat: format(treeSchema) });
    expect(written.body.output_config).toEqual({
      format: {
        type: "json_schema",
        schema: {
          type: "object",
          properties: {
            root: { $ref: "#/$defs/node" },
            depth: { type: ["integer", "null"], description: 'Constraints: {"minimum":1,"maximum":9}' },
            kind: { anyOf: [{ const: "a" }, { const: "b" }] },
          },
          required: ["root"],
          additionalProperties: false,
          $defs: {
            node: {
              type: "object",
              additionalProperties: false,
              description: 'Constraints: {"additionalProperties":{"$ref":"#/$defs/node"}}',
            },
          },
        },
      },
    });
    expect(written.unsupported).toEqual(["response_format.json_schema.schema"]);
  });

  it.each<[string, ResponseFormat, string, string[]]>([
    ["text", { type: "text" }, haiku, []],
    ["any JSON", { type: "json" }, haiku, ["response_format"]],
    [
      "a schema on a model without structured outputs",
      format({}),
      "claude-3-haiku-20240307",
      ["response_format"],
    ],
  ])("asked for as %s sends nothing", (_name, responseFormat, model, unsupported) => {
    const written = write({ responseFormat }, model);
    expect(written.body).not.toHaveProperty("output_config");
    expect(written.unsupported).toEqual(unsupported);
  });

  it("in the caller's own words goes without a format that the model refuses, its other settings staying", () => {
    const output_config = { effort: "low", format: { type: "json_schema", schema: { type: "object" } } };
    const asked: Partial<ChatRequest> = {
      callerDialect: "anthropic",
      verbatim: { output_config },
      responseFormat: format({ type: "object" }),
    };
    const older = write(asked, "claude-3-7-sonnet-20250219");
    expect(older.body.output_config).toEqual({ effort: "low" });
    expect(older.unsupported).toEqual(["output_config.format"]);
    expect(write(asked).body.output_config).toEqual(output_config);
  });
});

describe("instructions in mid-conversation", () => {
  const opus = "claude-opus-4-8";
  const text = (words: string) => ({ type: "text", text: words });
  const asked = say("user", "Hi");
  const answered = say("assistant", "Hello.");
  const brief = say("developer", "Be brief.");
  const german = say("system", "Speak German.");

  it.each<[string, ChatMessage[], object[], object[]]>([
    [
      "stay after the user's turn",
      [say("system", "A"), asked, brief, answered, asked],
      [text("A")],
      [
        { role: "user", content: [text("Hi")] },
        { role: "system", content: [text("Be brief.")] },
        { role: "assistant", content: [text("Hello.")] },
        { role: "user", content: [text("Hi")] },
      ],
    ],
    [
      "stand behind all that the user says before the answer, joined",
      [asked, brief, say("user", "You?"), german],
      [],
      [
        { role: "user", content: [text("Hi"), text("You?")] },
        { role: "system", content: [text("Be brief."), text("Speak German.")] },
      ],
    ],
    [
      "after a turn of the model's wait for the user's",
      [asked, answered, brief, say("user", "You?")],
      [],
      [
        { role: "user", content: [text("Hi")] },
        { role: "assistant", content: [text("Hello.")] },
        { role: "user", content: [text("You?")] },
        { role: "system", content: [text("Be brief.")] },
      ],
    ],
    [
      "that no turn of the user's follows are the system's",
      [asked, answered, brief],
      [text("Be brief.")],
      [
        { role: "user", content: [text("Hi")] },
        { role: "assistant", content: [text("Hello.")] },
      ],
    ],
  ])("%s", (_how, messages, system, expected) => {
    const { body: sent, unsupported } = write({ messages }, opus);
    expect(sent.system ?? []).toEqual(system);
    expect(sent.messages).toEqual(expected);
    expect(unsupported).toEqual([]);
  });
});

describe("a picture that is given as a file", () => {
  it("keeps its cache mark, and its name is named as left out", () => {
    const cache_control = { type: "ephemeral" };
    const source = { kind: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;
    const file: ContentPart = { type: "file", source, filename: "a.png", providerData: { cache_control } };
    const { body: sent, unsupported } = write({ messages: [say("user", file)] });
    const [{ content }] = sent.messages as [{ content: object[] }];
    expect(content).toEqual([
      {
        type: "image",
        source: { type: "base64", media_type: "image/png", data: source.data },
        cache_control,
      },
    ]);
    expect(unsupported).toEqual(["file.filename"]);
  });
});

describe("a cache mark on the request as a whole", () => {
  const cache_control = { type: "ephemeral" };
  const asked: Partial<ChatRequest> = {
    callerDialect: "anthropic",
    extra: { cache_control },
    messages: [say("user", "A long text.", "plan")],
  };

  it("goes onto the caller's last words where ours stand behind them, which no later request has", () => {
    const { body: sent } = write({ ...asked, added: { texts: ["plan"], place: "into" } });
    expect(sent).not.toHaveProperty("cache_control");
    expect(sent.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "A long text.", cache_control },
          { type: "text", text: "plan" },
        ],
      },
    ]);
  });

  it("stays where nothing was added", () => {
    expect(write(asked).body).toMatchObject({ cache_control });
  });
});
