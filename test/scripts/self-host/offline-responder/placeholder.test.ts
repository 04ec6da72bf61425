import { Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type JsonSchema,
  makePlaceholder,
} from "../../../../scripts/self-host/offline-responder/placeholder.ts";

describe("placeholder values", () => {
  it.each<[string, JsonSchema, string, unknown]>([
    ["quoted words of the goal", { type: "string" }, 'Search for "red shoes" now', "red shoes"],
    ["the goal where nothing is quoted", { type: "string" }, "Find shoes", "Find shoes"],
    ["a date", { type: "string", format: "date" }, "Book it", "2026-01-01"],
    ["the choice the goal names", { enum: ["low", "high"] }, "High priority please", "high"],
    ["the default", { type: "integer", default: 7 }, "3 apples", 7],
    ["a number inside the bounds", { type: "number", maximum: 5 }, "Buy 12 eggs", 5],
    ["the first alternative", { anyOf: [{ type: "boolean" }, { type: "null" }] }, "Go", true],
    ["the fewest items", { type: "array", minItems: 2, items: { const: 1 } }, "Go", [1, 1]],
    ["nothing optional", { type: "object", properties: { a: { type: "string" } } }, "Go", {}],
    ["the first type of several", { type: ["null", "string"] }, "Go", null],
    ["an object where the type is none", { type: [{ toString: null }] }, "Go", {}],
    ["only names of what is required", { required: [{ toString: null }, "a"] }, "Go", { a: {} }],
    ["a string where the format is none", { type: "string", format: { toString: null } }, "Go", "Go"],
    ["the first choice where none can be said", { enum: [{ toString: null }, 2] }, "Go", { toString: null }],
  ])("use %s", (_case, schema, goal, expected) => {
    expect(makePlaceholder(schema, goal)).toEqual(expected);
  });

  it("end for a schema that contains itself", () => {
    const schema = { type: "object", properties: { next: { $ref: "#" } }, required: ["next"] };
    expect(JSON.stringify(makePlaceholder(schema, "Go")).length).toBeLessThan(200);
  });

  const node = (next: object) => ({
    type: "object",
    properties: { name: { type: "string" }, size: { type: "integer" }, next },
    required: ["name", "size", "next"],
    additionalProperties: false,
  });
  const self = { $ref: "#/$defs/node" };
  it.each<[string, JsonSchema]>([
    ["a list", { ...self, $defs: { node: node({ type: "array", items: self }) } }],
    ["a union with null", { ...self, $defs: { node: node({ anyOf: [self, { type: "null" }] }) } }],
    ["a union with null, first", { ...self, $defs: { node: node({ anyOf: [{ type: "null" }, self] }) } }],
    [
      "four models in one another, as Pydantic writes them",
      {
        ...node({ $ref: "#/$defs/a" }),
        $defs: {
          a: node({ $ref: "#/$defs/b" }),
          b: node({ type: "array", items: { $ref: "#/$defs/c" } }),
          c: node({ type: "string" }),
        },
      },
    ],
  ])("fit a schema that contains itself or others: %s", (_name, schema) => {
    const value = makePlaceholder(schema, "Go");
    expect(new Validator(schema as object, "2020-12").validate(value).errors).toEqual([]);
  });

  it("end for a schema whose hundreds of properties each contain it", () => {
    const required = Array.from({ length: 120 }, (_, index) => `p${index}`);
    const properties = Object.fromEntries(required.map((name) => [name, { $ref: "#" }]));
    const value = makePlaceholder({ type: "object", properties, required }, "Go");
    expect(JSON.stringify(value).length).toBeLessThan(50_000);
  });

  const large = "x".repeat(1_000_000);
  const required = Array.from({ length: 90 }, (_, index) => `p${index}`);
  it.each<[string, JsonSchema]>([
    ["a default", { default: large }],
    ["a constant", { const: { text: large } }],
    ["a choice", { enum: [large] }],
    ["a name", { type: "object", required: [large] }],
  ])("hold %s of megabytes that every property refers to once at most", (_case, inner) => {
    const properties = Object.fromEntries(required.map((name) => [name, { $ref: "#/$defs/inner" }]));
    const value = makePlaceholder({ type: "object", properties, required, $defs: { inner } }, "Go");
    expect(JSON.stringify(value).length).toBeLessThan(50_000);
  });

  it.each<[string, JsonSchema]>([
    ["a reference", { $ref: `#${"/a".repeat(500_000)}` }],
    ["a list of required numbers", { required: Array.from({ length: 1_000_000 }, () => 1) }],
  ])("read %s of megabytes that every property refers to once at most", (_case, inner) => {
    const properties = Object.fromEntries(required.map((name) => [name, { $ref: "#/$defs/inner" }]));
    let read = 0;
    const counted = new Proxy(inner, {
      get(schema, name: string) {
        if (name === "$ref" || name === "required") read += 1;
        return schema[name];
      },
    });
    makePlaceholder({ type: "object", properties, required, $defs: { inner: counted } }, "Go");
    expect(read).toBeLessThan(10);
  });

  it("come out of any schema", () => {
    const json = fc.dictionary(
      fc.constantFrom(
        "type",
        "properties",
        "required",
        "items",
        "enum",
        "$ref",
        "anyOf",
        "minItems",
        "format",
      ),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(json, fc.string(), (schema, goal) => void JSON.stringify(makePlaceholder(schema, goal))),
    );
  });
});
