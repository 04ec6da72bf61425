import { describe, expect, it } from "vitest";
import { geminiDialect } from "../../../../../edge/dialects/provider/gemini/dialect.ts";
import { readModelQuirks } from "../../../../../edge/dialects/provider/gemini/model-quirks.ts";
import type { ChatMessage, ChatRequest, ContentPart } from "../../../../../shared/chat.ts";
import { chatRequest } from "../../replay.ts";

const pro25 = "gemini-2.5-pro";
const flash3 = "gemini-3-flash-preview";
const write = (fields: Partial<ChatRequest>, model = pro25, target = {}) =>
  geminiDialect.writeRequest(chatRequest(fields), { model, ...target });
const config = (fields: Partial<ChatRequest>, model = pro25, target = {}) => {
  const { body, unsupported } = write(fields, model, target);
  return { config: body.generationConfig ?? {}, unsupported };
};
const say = (role: ChatMessage["role"], ...parts: (string | ContentPart)[]): ChatMessage => ({
  role,
  parts: parts.map((part) => (typeof part === "string" ? { type: "text", text: part } : part)),
});
const hello = [{ role: "user", parts: [{ text: "Hello" }] }];

describe("the address of a Gemini request", () => {
  it.each([
    [false, "/models/gemini-2.5-pro:generateContent"],
    [true, "/models/gemini-2.5-pro:streamGenerateContent?alt=sse"],
  ])("with stream %s holds no key", (stream, path) => {
    expect(write({ stream })).toEqual({ path, headers: {}, body: { contents: hello }, unsupported: [] });
  });

  it("cannot be led elsewhere by a model name", () => {
    expect(write({}, "../files?x=1").path).toBe("/models/..%2Ffiles%3Fx%3D1:generateContent");
  });
});

const signed = (thoughtSignature: string) => ({ providerData: { thoughtSignature } });
const conversations: [string, string, ChatMessage[], Record<string, unknown>][] = [
  [
    "system and developer text is hoisted in order",
    pro25,
    [
      say("system", "Terse."),
      say("user", "Hi"),
      say("developer", "German."),
      say("assistant", "Hallo"),
      say("user", "Ja"),
    ],
    {
      systemInstruction: { parts: [{ text: "Terse." }, { text: "German." }] },
      contents: [
        { role: "user", parts: [{ text: "Hi" }] },
        { role: "model", parts: [{ text: "Hallo" }] },
        { role: "user", parts: [{ text: "Ja" }] },
      ],
    },
  ],
  [
    "calls and results pair by name, the results of one turn in one content, their text never parsed",
    pro25,
    [
      say("user", "Weather?"),
      say(
        "assistant",
        { type: "tool-call", id: "call_1", name: "weather", arguments: '{"city":"Zürich"}' },
        { type: "tool-call", id: "call_2", name: "now", arguments: "{}" },
      ),
      say("tool", {
        type: "tool-result",
        toolCallId: "call_2",
        content: [{ type: "text", text: '{"$ref":"#/x"}' }],
      }),
      say("tool", {
        type: "tool-result",
        toolCallId: "call_1",
        content: [{ type: "text", text: "no" }],
        isError: true,
      }),
      say("user", "And?"),
    ],
    {
      contents: [
        { role: "user", parts: [{ text: "Weather?" }] },
        {
          role: "model",
          parts: [
            { functionCall: { id: "call_1", name: "weather", args: { city: "Zürich" } } },
            { functionCall: { id: "call_2", name: "now", args: {} } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { id: "call_1", name: "weather", response: { error: "no" } } },
            { functionResponse: { id: "call_2", name: "now", response: { output: '{"$ref":"#/x"}' } } },
          ],
        },
        { role: "user", parts: [{ text: "And?" }] },
      ],
    },
  ],
  [
    "signatures go back byte-equal on the part they came with",
    flash3,
    [
      say("user", "Go"),
      say(
        "assistant",
        { type: "reasoning", text: "Hm", ...signed("dGhvdWdodA==") },
        { type: "text", text: "Looking.", ...signed("dGV4dA==") },
        { type: "tool-call", id: "c1", name: "f", arguments: "{}", ...signed("Y2FsbA==") },
        { type: "tool-call", id: "c2", name: "g", arguments: "{}" },
        { type: "text", text: "", ...signed("ZW1wdHk=") },
      ),
    ],
    {
      contents: [
        { role: "user", parts: [{ text: "Go" }] },
        {
          role: "model",
          parts: [
            { text: "Hm", thought: true, thoughtSignature: "dGhvdWdodA==" },
            { text: "Looking.", thoughtSignature: "dGV4dA==" },
            { functionCall: { id: "c1", name: "f", args: {} }, thoughtSignature: "Y2FsbA==" },
            { functionCall: { id: "c2", name: "g", args: {} } },
            { text: "", thoughtSignature: "ZW1wdHk=" },
          ],
        },
      ],
    },
  ],
  [
    "signatures in the forms of Google's and OpenRouter's OpenAI formats are read",
    flash3,
    [
      say("assistant", {
        type: "tool-call",
        id: "c1",
        name: "f",
        arguments: "{}",
        providerData: { extra_content: { google: { thought_signature: "Z29vZ2xl" } } },
      }),
      say("tool", { type: "tool-result", toolCallId: "c1", content: [] }),
      say(
        "assistant",
        {
          type: "reasoning",
          text: "",
          redacted: "cm91dGVy",
          providerData: { reasoning_detail: { id: "c2", format: "google-gemini-v1" } },
        },
        { type: "tool-call", id: "c2", name: "f", arguments: "{}" },
      ),
    ],
    {
      contents: [
        {
          role: "model",
          parts: [{ functionCall: { id: "c1", name: "f", args: {} }, thoughtSignature: "Z29vZ2xl" }],
        },
        { role: "user", parts: [{ functionResponse: { id: "c1", name: "f", response: { output: "" } } }] },
        {
          role: "model",
          parts: [{ functionCall: { id: "c2", name: "f", args: {} }, thoughtSignature: "cm91dGVy" }],
        },
      ],
    },
  ],
  [
    "calls no Gemini model made get the documented pass, once a step",
    flash3,
    [
      say(
        "assistant",
        { type: "tool-call", id: "c1", name: "f", arguments: "{}" },
        { type: "tool-call", id: "c2", name: "f", arguments: "{}" },
      ),
    ],
    {
      contents: [
        {
          role: "model",
          parts: [
            {
              functionCall: { id: "c1", name: "f", args: {} },
              thoughtSignature: "skip_thought_signature_validator",
            },
            { functionCall: { id: "c2", name: "f", args: {} } },
          ],
        },
      ],
    },
  ],
  [
    "images, documents and audio travel inline or by URL",
    pro25,
    [
      say(
        "user",
        { type: "image", source: { kind: "url", url: "https://example.com/cat.JPG?size=2" } },
        { type: "image", source: { kind: "url", url: "https://example.com/picture" } },
        { type: "image", source: { kind: "url", url: "data:image/png;base64,iVBORw0=" } },
        { type: "file", source: { kind: "base64", mediaType: "application/pdf", data: "JVBERi0=" } },
        { type: "file", source: { kind: "base64", mediaType: "audio/mp3", data: "SUQz" } },
      ),
    ],
    {
      contents: [
        {
          role: "user",
          parts: [
            { fileData: { mimeType: "image/jpeg", fileUri: "https://example.com/cat.JPG?size=2" } },
            { fileData: { fileUri: "https://example.com/picture" } },
            { inlineData: { mimeType: "image/png", data: "iVBORw0=" } },
            { inlineData: { mimeType: "application/pdf", data: "JVBERi0=" } },
            { inlineData: { mimeType: "audio/mpeg", data: "SUQz" } },
          ],
        },
      ],
    },
  ],
];

const imageResult: ChatMessage[] = [
  say("assistant", { type: "tool-call", id: "c1", name: "draw", arguments: "{}", ...signed("eA==") }),
  say("tool", {
    type: "tool-result",
    toolCallId: "c1",
    content: [
      { type: "text", text: "here" },
      { type: "image", source: { kind: "base64", mediaType: "image/png", data: "iVBORw0=" } },
    ],
  }),
];

describe("the conversation in a Gemini request", () => {
  it.each(conversations)("%s", (_name, model, messages, body) => {
    expect(write({ messages }, model)).toMatchObject({ body, unsupported: [] });
    expect(write({ messages }, model).body).toEqual(body);
  });

  const image = { inlineData: { mimeType: "image/png", data: "iVBORw0=" } };
  const drawn = { id: "c1", name: "draw", response: { output: "here" } };
  it.each([
    [flash3, [[{ functionResponse: { ...drawn, parts: [image] } }]]],
    [pro25, [[{ functionResponse: drawn }], [image]]],
  ])("an image a tool gave reaches %s", (model, contents) => {
    const [, ...after] = write({ messages: imageResult }, model).body.contents as unknown[];
    expect(after).toEqual(contents.map((parts) => ({ role: "user", parts })));
  });

  const call = (id: string): ContentPart => ({ type: "tool-call", id, name: id, arguments: "{}" });
  const result = (id: string): ContentPart => ({ type: "tool-result", toolCallId: id, content: [] });
  /** The contents as words: `model: a b`. */
  const outline = (messages: ChatMessage[]) =>
    (write({ messages }).body.contents as { role: string; parts: Record<string, { name: string }>[] }[]).map(
      ({ role, parts }) =>
        `${role}: ${parts.map((part) => part.text ?? (part.functionCall ?? part.functionResponse)?.name).join(" ")}`,
    );

  it.each<[string, ChatMessage[], string[]]>([
    ["words beside a result", [say("user", result("a"), "note")], ["user: a", "user: note"]],
    ["words before a result", [say("user", "note", result("a"))], ["user: a", "user: note"]],
    ["words in a message before", [say("user", "note"), say("tool", result("a"))], ["user: a", "user: note"]],
    [
      "words between the results of two calls",
      [say("tool", result("b")), say("user", "one"), say("tool", result("a")), say("user", "two")],
      ["user: a b", "user: one", "user: two"],
    ],
    ["an empty turn of the model before", [say("assistant"), say("tool", result("a"))], ["user: a"]],
  ])("results stand alone, right after their calls: %s", (_name, after, contents) => {
    const calls = say("assistant", call("a"), ...(contents[0] === "user: a b" ? [call("b")] : []));
    const [, model, ...others] = outline([say("user", "Hi"), calls, ...after]);
    expect([model?.replace("model", "user"), ...others]).toEqual([contents[0], ...contents]);
  });

  it("the model's turn that the caller has as several messages is one content", () => {
    const messages = [say("user", "Hi"), say("assistant", "I look."), say("assistant", call("a"))];
    expect(outline([...messages, say("tool", result("a"))])).toEqual([
      "user: Hi",
      "model: I look. a",
      "user: a",
    ]);
  });

  it.each<[string, ContentPart, string]>([
    ["a foreign file id", { type: "file", source: { kind: "id", id: "file-abc" } }, "file"],
    ["unsigned reasoning", { type: "reasoning", text: "Hm" }, "reasoning_content"],
    ["Claude's reasoning", { type: "reasoning", text: "Hm", signature: "eA==" }, "reasoning_content"],
    ["Claude's redacted reasoning", { type: "reasoning", text: "", redacted: "eA==" }, "reasoning_content"],
    [
      "another dialect's block",
      { type: "opaque", dialect: "anthropic", data: { type: "x" } },
      "messages.content",
    ],
  ])("leaves out %s and says so", (_name, part, name) => {
    const written = write({ messages: [say("user", "Hello", part)] });
    expect(written.body).toEqual({ contents: hello });
    expect(written.unsupported).toEqual([name]);
  });

  it("wraps arguments that are no object and says so", () => {
    const messages = [say("assistant", { type: "tool-call", id: "c", name: "f", arguments: "[1" })];
    const written = write({ messages });
    expect(written.body.contents).toEqual([
      { role: "model", parts: [{ functionCall: { id: "c", name: "f", args: { _raw: "[1" } } }] },
    ]);
    expect(written.unsupported).toEqual(["tool_calls.function.arguments"]);
  });
});

describe("tools in a Gemini request", () => {
  const parameters = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { root: { $ref: "#/$defs/node" }, kind: { oneOf: [{ const: "a" }, { type: "null" }] } },
    additionalProperties: false,
    $defs: { node: { type: "object", additionalProperties: { $ref: "#/$defs/node" } } },
  };
  const tools: ChatRequest["tools"] = [{ name: "grow", description: "Grows", parameters }, { name: "now" }];

  it("keep their schema whole, $ref and additionalProperties too (failures 28)", () => {
    expect(write({ tools }).body).toEqual({
      contents: hello,
      tools: [
        {
          functionDeclarations: [
            { name: "grow", description: "Grows", parametersJsonSchema: parameters },
            { name: "now" },
          ],
        },
      ],
    });
  });

  const strictTools: ChatRequest["tools"] = [{ name: "f", strict: true, parameters }];
  it.each<[string, Partial<ChatRequest>, string, unknown, string[]]>([
    ["nothing", { tools }, pro25, undefined, []],
    ["auto", { tools, toolChoice: { type: "auto" } }, pro25, { mode: "AUTO" }, []],
    ["none", { tools, toolChoice: { type: "none" } }, pro25, { mode: "NONE" }, []],
    ["required", { tools, toolChoice: { type: "required" } }, pro25, { mode: "ANY" }, []],
    [
      "one tool",
      { tools, toolChoice: { type: "tool", name: "now" } },
      pro25,
      { mode: "ANY", allowedFunctionNames: ["now"] },
      [],
    ],
    ["strict", { tools: strictTools }, pro25, { mode: "VALIDATED" }, []],
    [
      "strict and required",
      { tools: strictTools, toolChoice: { type: "required" } },
      pro25,
      { mode: "ANY" },
      [],
    ],
    ["strict on an old model", { tools: strictTools }, "gemini-2.0-flash", undefined, ["tools.strict"]],
    ["no parallel calls", { tools, parallelToolCalls: false }, pro25, undefined, ["parallel_tool_calls"]],
    ["required without tools", { toolChoice: { type: "required" } }, pro25, undefined, ["tool_choice"]],
  ])("with the choice: %s", (_name, fields, model, functionCallingConfig, unsupported) => {
    const written = write(fields, model);
    expect(written.body.toolConfig).toEqual(functionCallingConfig && { functionCallingConfig });
    expect(written.unsupported).toEqual(unsupported);
  });
});

describe("generationConfig", () => {
  it("holds what the caller asked for", () => {
    const asked = {
      maxOutputTokens: 500,
      temperature: 1.7,
      topP: 0.9,
      topK: 40,
      seed: 7,
      stop: ["END"],
      presencePenalty: 0.5,
      frequencyPenalty: -0.5,
      logprobs: { top: 3 },
      choices: 2,
    };
    expect(config(asked, "gemini-2.0-flash")).toEqual({
      config: {
        maxOutputTokens: 500,
        temperature: 1.7,
        topP: 0.9,
        topK: 40,
        seed: 7,
        stopSequences: ["END"],
        presencePenalty: 0.5,
        frequencyPenalty: -0.5,
        responseLogprobs: true,
        logprobs: 3,
      },
      unsupported: [],
    });
  });

  it.each([
    [5_000, 1_000, 1_000],
    [500, 1_000, 500],
    [undefined, 1_000, 1_000],
    [500, undefined, 500],
    [undefined, undefined, undefined],
  ])("caps the output at the pool's hold (%s asked, %s held)", (asked, held, expected) => {
    const fields = asked === undefined ? {} : { maxOutputTokens: asked };
    const target = held === undefined ? {} : { maxOutputTokens: held };
    expect(config(fields, pro25, target).config).toEqual(
      expected === undefined ? {} : { maxOutputTokens: expected },
    );
  });

  it.each<[string, Partial<ChatRequest>, unknown, string[]]>([
    [
      "more than five stop sequences",
      { stop: ["a", "b", "c", "d", "e", "f"] },
      { stopSequences: ["a", "b", "c", "d", "e"] },
      ["stop"],
    ],
    ["a seed past 32 bits", { seed: 2 ** 40 }, {}, ["seed"]],
    [
      "penalties on a model without them",
      { presencePenalty: 1, frequencyPenalty: 1 },
      {},
      ["presence_penalty", "frequency_penalty"],
    ],
    ["penalties of zero", { presencePenalty: 0, frequencyPenalty: 0 }, {}, []],
    [
      "fields of other APIs",
      { endUser: "u", metadata: {}, logitBias: { 1: 1 }, serviceTier: "scale", extra: { store: true } },
      {},
      ["store", "logit_bias", "user", "metadata", "service_tier"],
    ],
    ["fields that change nothing", { logitBias: {}, serviceTier: "auto", topK: 0 }, {}, []],
    ["log probabilities on a model without them", { logprobs: { top: 2 } }, {}, ["logprobs"]],
  ])("says what it leaves out: %s", (_name, fields, expected, unsupported) => {
    expect(config(fields)).toEqual({ config: expected, unsupported });
  });

  const values = { temperature: 0.2, topP: 0.9, topK: 5 };
  const names = ["temperature", "top_p", "top_k"];
  it.each<[string, Partial<ChatRequest>, unknown, string[]]>([
    ["gemini-3.1-pro-preview", values, values, []],
    ["gemini-3.1-flash-lite", values, values, []],
    ["gemini-3.5-flash-lite", values, {}, names],
    ["gemini-3.6-flash", values, {}, names],
    ["gemini-3.8-flash", values, {}, names],
    ["gemini-3.8-flash", { temperature: 1, topP: 1, topK: 0 }, {}, []],
  ])("sampling of %s: %j (failures 53)", (model, fields, expected, unsupported) => {
    expect(config(fields, model)).toEqual({ config: expected, unsupported });
  });

  it.each(["flex", "priority"])("the service tier %s is Gemini's own", (serviceTier) => {
    const { body, unsupported } = write({ serviceTier });
    expect(body).toEqual({ contents: hello, serviceTier });
    expect(unsupported).toEqual([]);
  });

  const schema = {
    type: "object",
    properties: { n: { $ref: "#/$defs/n" } },
    $defs: { n: { type: "integer", minimum: 0 } },
  };
  const jsonSchema = { type: "json-schema", name: "answer", schema } as const;
  it.each<[string, Partial<ChatRequest>, string, unknown, string[]]>([
    ["text", { responseFormat: { type: "text" } }, pro25, {}, []],
    ["any JSON", { responseFormat: { type: "json" } }, pro25, { responseMimeType: "application/json" }, []],
    [
      "a schema, whole",
      { responseFormat: jsonSchema },
      pro25,
      { responseMimeType: "application/json", responseJsonSchema: schema },
      [],
    ],
    [
      "a schema with its description",
      { responseFormat: { ...jsonSchema, description: "An answer" } },
      pro25,
      { responseMimeType: "application/json", responseJsonSchema: { description: "An answer", ...schema } },
      [],
    ],
    [
      "a schema beside tools",
      { responseFormat: jsonSchema, tools: [{ name: "f" }] },
      flash3,
      { responseMimeType: "application/json", responseJsonSchema: schema },
      [],
    ],
    [
      "a schema beside tools on a model that refuses it",
      { responseFormat: jsonSchema, tools: [{ name: "f" }] },
      pro25,
      {},
      ["response_format"],
    ],
  ])("asks for %s", (_name, fields, model, expected, unsupported) => {
    expect(config(fields, model)).toEqual({ config: expected, unsupported });
  });

  it.each<[NonNullable<ChatRequest["reasoning"]>, string, unknown, string[]]>([
    [{ effort: "low" }, pro25, { includeThoughts: true, thinkingBudget: 1_024 }, []],
    [{ effort: "xhigh" }, "gemini-2.5-flash", { includeThoughts: true, thinkingBudget: 24_576 }, []],
    [{ budgetTokens: 2_000 }, pro25, { includeThoughts: true, thinkingBudget: 2_000 }, []],
    [{ budgetTokens: 50 }, pro25, { includeThoughts: true, thinkingBudget: 128 }, ["reasoning_effort"]],
    [{ effort: "none" }, "gemini-2.5-flash", { thinkingBudget: 0 }, []],
    [{ effort: "none" }, pro25, { thinkingBudget: 128 }, ["reasoning_effort"]],
    [{ effort: "minimal" }, flash3, { includeThoughts: true, thinkingLevel: "minimal" }, []],
    [{ effort: "minimal" }, "gemini-3.8-flash", { includeThoughts: true, thinkingLevel: "low" }, []],
    [{ effort: "medium" }, "gemini-3-pro-preview", { includeThoughts: true, thinkingLevel: "high" }, []],
    [{ effort: "medium" }, "gemini-3.1-pro-preview", { includeThoughts: true, thinkingLevel: "medium" }, []],
    [{ effort: "xhigh" }, flash3, { includeThoughts: true, thinkingLevel: "high" }, []],
    [{ effort: "none" }, flash3, { thinkingLevel: "minimal" }, ["reasoning_effort"]],
    [{ budgetTokens: 2_000 }, flash3, { includeThoughts: true, thinkingBudget: 2_000 }, []],
    [{ effort: "high" }, "gemini-2.0-flash", undefined, ["reasoning_effort"]],
    [{ effort: "none" }, "gemini-2.0-flash", undefined, []],
  ])("asks %j of %s", (reasoning, model, thinkingConfig, unsupported) => {
    const expected = thinkingConfig === undefined ? {} : { thinkingConfig };
    expect(config({ reasoning }, model)).toEqual({ config: expected, unsupported });
  });
});

describe("model quirks", () => {
  it.each([
    ["gemini-1.5-pro", { thinking: "unsupported", penalties: true, validatedMode: false }],
    [
      "gemini-2.5-flash-lite",
      { thinking: "budget", budget: { min: 512, max: 24_576, off: true }, penalties: false },
    ],
    ["gemini-3-pro-image-preview", { thinking: "unsupported", sealedCalls: false }],
    ["gemini-flash-latest", { thinking: "level", levels: ["low", "medium", "high"], sealedCalls: true }],
    ["gemini-4-pro", { thinking: "level", sealedCalls: true, jsonWithTools: true }],
  ])("of %s", (model, quirks) => {
    expect(readModelQuirks(model)).toMatchObject(quirks);
  });
});

describe("a thinking budget and the output limit", () => {
  it.each([
    ["an effort leaves a quarter for the answer", "gemini-2.5-flash", { effort: "high" }, 4_096, 3_072, []],
    [
      "a budget stays below",
      "gemini-2.5-flash",
      { budgetTokens: 24_576 },
      4_096,
      4_095,
      ["reasoning_effort"],
    ],
    ["a budget that fits is kept", "gemini-2.5-pro", { budgetTokens: 2_000 }, 4_096, 2_000, []],
    ["less than the least is off", "gemini-2.5-flash-lite", { effort: "low" }, 300, 0, []],
  ] as const)("%s", (_name, model, reasoning, maxOutputTokens, thinkingBudget, unsupported) => {
    const written = geminiDialect.writeRequest(chatRequest({ reasoning, maxOutputTokens }), { model });
    expect(written.body.generationConfig).toMatchObject({ thinkingConfig: { thinkingBudget } });
    expect(written.unsupported).toEqual(unsupported);
  });
});
