import { describe, expect, it } from "vitest";
import { geminiDialect } from "../../../../../edge/dialects/provider/gemini/dialect.ts";
import { readModelQuirks } from "../../../../../edge/dialects/provider/gemini/model-quirks.ts";
import type { ChatRequest } from "../../../../../shared/chat.ts";
import { chatRequest } from "../../replay.ts";

const pro25 = "gemini-2.5-pro";
const flash3 = "gemini-3-flash-preview";
const write = (fields: Partial<ChatRequest>, model = pro25, target = {}) =>
  geminiDialect.writeRequest(chatRequest(fields), { model, ...target });
const config = (fields: Partial<ChatRequest>, model = pro25, target = {}) => {
  const { body, unsupported } = write(fields, model, target);
  return { config: body.generationConfig ?? {}, unsupported };
};

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
    ["gemini-3-pro-image-preview", { thinking: "unsupported", signedCalls: false }],
    ["gemini-flash-latest", { thinking: "level", levels: ["low", "medium", "high"], signedCalls: true }],
    ["gemini-4-pro", { thinking: "level", signedCalls: true, jsonWithTools: true }],
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
