// Claude refuses the whole request for one parameter whose name is not a plain word; MCP servers have such names.
import { describe, expect, test } from "vitest";
import { fitProperties, KeyRenamer } from "../../../../edge/dialects/provider/fit-properties.ts";
import { fitRequest } from "../../../../edge/dialects/provider/fit-request.ts";
import type { ChatEvent, ChatRequest, ContentPart } from "../../../../shared/chat.ts";
import { chatRequest } from "../replay.ts";

const at = { choice: 0, block: 0 };
const text = { type: "string" };

const withTool = (parameters: Record<string, unknown>, more: Partial<ChatRequest> = {}) =>
  chatRequest({ tools: [{ name: "list", parameters }], ...more });
const listNames = (request: ChatRequest | undefined) =>
  Object.keys((request?.tools[0]?.parameters?.properties as object | undefined) ?? {});

/** The answer calls the tool with these pieces of arguments. */
const answer = (pieces: readonly string[], name = "list"): ChatEvent[] => [
  { type: "tool-call-start", ...at, id: "call_1", name },
  ...pieces.map((piece): ChatEvent => ({ type: "tool-call-delta", ...at, arguments: piece })),
  { type: "tool-call-end", ...at },
];
const joined = (events: readonly ChatEvent[]) =>
  events.map((event) => (event.type === "tool-call-delta" ? event.arguments : "")).join("");

describe("parameters with names that Claude refuses (failures 66)", () => {
  test.each([
    ["$filter", "_filter"],
    ["filter[name]", "filter_name_"],
    ["@microsoft.graph.conflictBehavior", "_microsoft.graph.conflictBehavior"],
    ["n".repeat(70), "n".repeat(64)],
    ["größe", "gr__e"],
    ["", "_"],
    ["__proto__", "__proto__"],
  ])("%s is sent as %s, and comes back", (name, sent) => {
    const parameters = JSON.parse(`{"type":"object","properties":{},"required":[]}`);
    parameters.properties = Object.fromEntries([[name, text]]);
    parameters.required = [name];
    const fitted = fitProperties(withTool({ ...parameters }));
    const known = fitted?.request ?? withTool(parameters);
    expect(listNames(known)).toEqual([sent]);
    expect(known.tools[0]?.parameters?.required).toEqual([sent]);
    const written = `{${JSON.stringify(sent)}: "x"}`;
    expect(joined(fitted?.restore(answer([written])) ?? answer([written]))).toBe(
      `{${JSON.stringify(name)}: "x"}`,
    );
  });

  test("two names that become one are told apart, also from one that fits", () => {
    const names = ["_top", "$top", "@top", "a".repeat(65), "a".repeat(66)];
    const properties = Object.fromEntries(names.map((name) => [name, text]));
    const { request, restore } = fitProperties(withTool({ type: "object", properties }))!;
    const sent = listNames(request);
    expect(new Set(sent).size).toBe(names.length);
    for (const name of sent) expect(name).toMatch(/^[\w.-]{1,64}$/);
    expect(sent[0]).toBe("_top");
    const given = Object.fromEntries(sent.map((name, index) => [name, index]));
    expect(Object.keys(JSON.parse(joined(restore(answer([JSON.stringify(given)])))))).toEqual(names);
  });

  test("a name without a Latin letter is told in the title, unless a description tells what it is", () => {
    const properties = {
      客户: text,
      订单: text,
      第1页: text,
      页: { ...text, description: "Page" },
      $top: text,
    };
    const { request } = fitProperties(withTool({ type: "object", properties }))!;
    const sent = Object.values(request.tools[0]?.parameters?.properties as object);
    expect(sent).toHaveLength(5);
    expect(sent).toEqual(
      expect.arrayContaining([
        { ...text, title: "客户" },
        { ...text, title: "订单" },
        { ...text, title: "第1页" },
        { ...text, description: "Page" },
        text,
      ]),
    );
  });

  test("no name is sent with more bytes than its own, for which the credits are held", () => {
    const fewBytes = Array.from({ length: 1_000 }, (_, at) => String.fromCodePoint(0x100 + at));
    for (const names of [
      [
        "_top",
        "$top",
        "@top",
        "#top",
        ...Array.from({ length: 40 }, (_, at) => `$${"x".repeat(at % 4)}${at}`),
      ],
      [..."!#$%&'()*+,/:;<=>?@[]^`{|}~"],
      fewBytes,
      Array.from({ length: 5_000 }, (_, at) => String.fromCodePoint(0x4e00 + at)),
      Array.from({ length: 500 }, (_, at) => "n".repeat(70 + at)),
    ]) {
      const properties = Object.fromEntries(names.map((name) => [name, { ...text, description: name }]));
      const { request } = fitProperties(withTool({ type: "object", properties, required: names }))!;
      const sent = request.tools[0]?.parameters?.required as string[];
      expect(new Set(sent).size).toBe(names.length);
      expect(new Set(sent)).toEqual(new Set(listNames(request)));
      for (const [at, name] of sent.entries()) {
        expect(name).toMatch(/^[\w.-]{1,64}$/);
        expect(name.length).toBeLessThanOrEqual(new TextEncoder().encode(names[at]).length);
      }
    }
  });

  test("what refers to a renamed parameter names it as it is sent", () => {
    const data = { $ref: "#/properties/other" };
    const parameters = {
      type: "object",
      properties: {
        $filter: { type: "object", properties: { deep: { $ref: "#/properties/$filter/properties/deep" } } },
        "a/b~": text,
        'say "x"': text,
        客户: { ...text, description: "Customer" },
        list: {
          type: "array",
          items: {
            anyOf: [
              { $ref: "#/properties/$filter" },
              { $ref: "#/properties/%24filter" },
              { $ref: "#/properties/a~1b~0" },
              { $ref: '#/properties/say "x"/items' },
              { $ref: `#/properties/${encodeURIComponent("客户")}` },
              { $ref: "#/properties/100%FF" },
              { $ref: "#/$defs/$filter" },
            ],
          },
          default: data,
          examples: [{ 'x"$ref': "#/properties/$filter" }, '"$ref":"#/properties/$filter"'],
        },
        $ref: text,
      },
      dependentRequired: { $filter: ["list", "a/b~"] },
      dependentSchemas: { $filter: { properties: { $filter: text }, required: ["a/b~"] }, list: false },
      dependencies: { list: ["$filter"] },
    };
    const { request } = fitProperties(withTool(parameters))!;
    const sent = request.tools[0]?.parameters as typeof parameters;
    expect(Object.keys(sent.properties)).toEqual(["_filter", "a_b_", "say__x_", "__", "list", "_ref"]);
    expect(sent.properties).toMatchObject({
      _filter: { properties: { deep: { $ref: "#/properties/_filter/properties/deep" } } },
      list: {
        items: {
          anyOf: [
            { $ref: "#/properties/_filter" },
            { $ref: "#/properties/_filter" },
            { $ref: "#/properties/a_b_" },
            { $ref: "#/properties/say__x_/items" },
            { $ref: "#/properties/__" },
            { $ref: "#/properties/100%FF" },
            { $ref: "#/$defs/$filter" },
          ],
        },
        default: data,
        examples: parameters.properties.list.examples,
      },
    });
    expect(sent).toMatchObject({
      dependentRequired: { _filter: ["list", "a_b_"] },
      dependentSchemas: { _filter: { properties: { _filter: text }, required: ["a_b_"] }, list: false },
      dependencies: { list: ["_filter"] },
    });
  });

  test("those of a union at the root are renamed with the root's", () => {
    const branch = { properties: { $a: text, b: text }, required: ["$a"] };
    const { request } = fitProperties(withTool({ type: "object", anyOf: [branch, { required: ["b"] }] }))!;
    expect(request.tools[0]?.parameters?.anyOf).toEqual([
      { properties: { _a: text, b: text }, required: ["_a"] },
      { required: ["b"] },
    ]);
  });

  test("an earlier call has the names that are sent, an object inside its arguments its own", () => {
    const parameters = { type: "object", properties: { $filter: { type: "object" } } };
    const call = (name: string): ContentPart => ({
      type: "tool-call",
      id: "call_0",
      name,
      arguments: '{"$filter":{"$filter":"$filter"}}',
    });
    const messages: ChatRequest["messages"] = [{ role: "assistant", parts: [call("list"), call("other")] }];
    const { request } = fitProperties(withTool(parameters, { messages }))!;
    expect(request.messages[0]?.parts).toEqual([
      { ...call("list"), arguments: '{"_filter":{"$filter":"$filter"}}' },
      call("other"),
    ]);
  });

  test("a request whose names fit is not touched", () => {
    const properties = { "a.b-c_1": { type: "object", properties: { $deep: text } } };
    expect(fitProperties(withTool({ type: "object", properties }))).toBeUndefined();
  });

  const names = { fits: /^[\w-]{1,64}$/, maxChars: 64, first: /^[\w-]/ };
  test.each([
    ["claude-sonnet-5", "anthropic", "openai", true],
    ["anthropic/claude-opus-5", "openai", "anthropic", true],
    ["claude-sonnet-5", "anthropic", "anthropic", false],
    ["openai/gpt-5", "openai", "openai", false],
  ] as const)("%s by %s for a caller of %s: renamed %s", (model, name, callerDialect, renamed) => {
    const given = withTool({ type: "object", properties: { $top: text } }, { callerDialect });
    const fitted = fitRequest(given, model, { name, toolNames: names });
    expect(listNames(fitted.request)).toEqual([renamed ? "_top" : "$top"]);
    const restored = fitted.restore(answer(['{"_top":"1"}']));
    expect(joined(restored)).toBe(renamed ? '{"$top":"1"}' : '{"_top":"1"}');
  });

  test("a tool whose name is changed as well has both names back", () => {
    const tools = [{ name: "list.all", parameters: { type: "object", properties: { $top: text } } }];
    const fitted = fitRequest(chatRequest({ tools }), "claude-sonnet-5", {
      name: "anthropic",
      toolNames: names,
    });
    const sent = fitted.request.tools[0]!.name;
    const restored = fitted.restore(answer(['{"_top":"1"}'], sent));
    expect(restored[0]).toMatchObject({ name: "list.all" });
    expect(joined(restored)).toBe('{"$top":"1"}');
  });
});

describe("renaming the keys of an object that comes in pieces", () => {
  const renames = new Map([
    ["_a", "$a"],
    ['"', "q"],
  ]);
  const texts = [
    ['{"_a":1}', '{"$a":1}'],
    [
      ' { "_a" : {"_a":[{"_a":"_a"}]} , "b":"_a,\\"_a" }',
      ' { "$a" : {"_a":[{"_a":"_a"}]} , "b":"_a,\\"_a" }',
    ],
    ['{"\\u005fa":"😀","\\"":2}', '{"$a":"😀","q":2}'],
    ['{"b":["_a","_a"],"_a":"\\\\"}', '{"b":["_a","_a"],"$a":"\\\\"}'],
    ['{"_a', '{"_a'],
    ['["_a",{"_a":1},"_a"]', '["_a",{"_a":1},"_a"]'],
    ['{"b":[],"_a":{}}', '{"b":[],"$a":{}}'],
    ["", ""],
  ] as const;
  test.each(texts)("%s", (given, wanted) => {
    for (let cut = 0; cut <= given.length; cut++) {
      const renamer = new KeyRenamer(renames);
      const pieces = [given.slice(0, cut), given.slice(cut)];
      expect(pieces.map((piece) => renamer.add(piece)).join("") + renamer.end()).toBe(wanted);
    }
    const renamer = new KeyRenamer(renames);
    expect([...given].map((letter) => renamer.add(letter)).join("") + renamer.end()).toBe(wanted);
  });
});
