// A tool's parameters in the form that every provider accepts: an object at the root.
import { describe, expect, test } from "vitest";
import { asObjectSchema, isClosedSchema, withoutRootUnion } from "../../../edge/dialects/parameter-schema.ts";

const text = { type: "string" };

describe("a tool's parameters", () => {
  test.each([
    [{ type: "object" }, { type: "object", properties: {} }],
    [{}, { type: "object", properties: {} }],
    [{ properties: { a: text } }, { type: "object", properties: { a: text } }],
    [{ anyOf: [{ required: ["a"] }] }, { type: "object", anyOf: [{ required: ["a"] }] }],
    [
      { type: null, $defs: {} },
      { type: "object", $defs: {}, properties: {} },
    ],
    [
      { type: "object", properties: null, required: null },
      { type: "object", properties: {} },
    ],
    [
      { type: "object", properties: [], required: {} },
      { type: "object", properties: {} },
    ],
    [
      {
        type: "object",
        properties: {
          required: { type: "object", properties: [] },
          null: { default: null, enum: null, items: null },
        },
      },
      { type: "object", properties: { required: { type: "object" }, null: { default: null } } },
    ],
    [
      {
        type: "object",
        properties: { a: [], b: { type: "array", items: [] }, c: null },
        additionalProperties: [],
        $defs: { d: [], e: { anyOf: [{ properties: { items: [] } }], additionalProperties: [] } },
      },
      {
        type: "object",
        properties: { a: {}, b: { type: "array", items: {} }, c: {} },
        $defs: { d: {}, e: { anyOf: [{ properties: { items: {} } }] } },
      },
    ],
  ])("%j get what they lack", (schema, fitted) => {
    expect(asObjectSchema(schema)).toEqual(fitted);
  });

  test("stay as they are if they lack nothing", () => {
    for (const schema of [{ type: "object", properties: { a: text } }, { type: "string" }])
      expect(asObjectSchema(schema)).toBe(schema);
    const inner = { type: "object", properties: { a: { anyOf: [text, { type: "null" }] } } };
    expect(withoutRootUnion(inner)).toEqual({ schema: inner, exact: true });
  });

  test.each([
    [
      "either of two",
      {
        type: "object",
        properties: { a: text, b: text },
        required: ["a"],
        anyOf: [{ required: ["a"] }, { required: ["b"] }],
      },
      { type: "object", properties: { a: text, b: text }, required: ["a"] },
    ],
    [
      "one of two objects",
      {
        $defs: {},
        oneOf: [
          { properties: { a: text, c: text }, required: ["a", "c"] },
          { properties: { b: text, c: text }, required: ["b", "c"] },
        ],
      },
      { type: "object", $defs: {}, properties: { a: text, c: text, b: text }, required: ["c"] },
    ],
    [
      "all of two objects",
      {
        allOf: [
          { properties: { a: text }, required: ["a"] },
          { properties: { b: text }, required: ["b"] },
        ],
      },
      { type: "object", properties: { a: text, b: text }, required: ["a", "b"] },
    ],
    [
      "branches that say nothing",
      { anyOf: [true, null, { $ref: "#/$defs/x" }] },
      { type: "object", properties: {} },
    ],
    [
      "a name of every object",
      { anyOf: [{ properties: JSON.parse('{"__proto__":{"type":"string"}}') }] },
      { type: "object", properties: JSON.parse('{"__proto__":{"type":"string"}}') },
    ],
  ])("are one object in place of %s", (_name, given, fitted) => {
    const { schema, exact } = withoutRootUnion(given);
    expect([JSON.parse(JSON.stringify(schema)), exact]).toEqual([fitted, false]);
    expect(JSON.stringify(schema).length).toBeLessThanOrEqual(JSON.stringify(given).length + 40);
  });
});

describe("a schema that OpenAI takes as strict", () => {
  const closed = (properties: Record<string, unknown>) => ({
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  });
  test.each<[string, Record<string, unknown>, boolean]>([
    ["closed objects in a union", closed({ a: { anyOf: [closed({ b: text }), { type: "null" }] } }), true],
    ["an open object in a definition", { ...closed({}), $defs: { b: { properties: { c: text } } } }, false],
    // 'additionalProperties' is required to be supplied and to be false.
    ["an object without properties", closed({ a: { type: "object" } }), false],
    ["an object or null", closed({ a: { type: ["object", "null"] } }), false],
    ["a map", closed({ a: { type: "object", additionalProperties: text } }), false],
    ["a parameter of a keyword's name", closed({ properties: text, items: text, type: text }), true],
    ["a definition of a keyword's name", { ...closed({}), $defs: { properties: text, type: text } }, true],
    ["values that look like a schema", closed({ a: { const: { type: "object", properties: {} } } }), true],
    [
      "examples",
      { ...closed({ a: text }), default: { properties: 1 }, examples: [{ type: "object" }] },
      true,
    ],
  ])("%s", (_what, schema, strict) => {
    expect(isClosedSchema(schema)).toBe(strict);
  });
});
