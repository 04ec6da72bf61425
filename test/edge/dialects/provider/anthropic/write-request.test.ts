import { describe, expect, it } from "vitest";
import type { ChatMessage, ChatRequest } from "../../../../../shared/chat.ts";
import { body, haiku, hello, recursiveSchema, treeSchema, write } from "./written-request.ts";

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
    ["a schema that does not hold itself", haiku, recursiveSchema, undefined],
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

  // OpenAI's zodFunction and zodResponsesFunction write `$schema`.
  it("strict travels without the name of the schema's dialect", () => {
    const parameters = { type: "object", properties: {}, additionalProperties: false };
    const $schema = "http://json-schema.org/draft-07/schema#";
    const written = write({ tools: [{ name: "f", strict: true, parameters: { $schema, ...parameters } }] });
    expect(written.body.tools).toEqual([{ name: "f", input_schema: parameters, strict: true }]);
    expect(written.unsupported).toEqual([]);
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
