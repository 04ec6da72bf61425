import { describe, expect, test } from "vitest";
import { createSchemaCheck } from "../../../../edge/pipeline/format/schema-check.ts";
import { leastMs } from "../../../support/least-ms.ts";

const person = {
  type: "object",
  properties: { name: { type: "string", minLength: 1 }, age: { type: "integer" }, pattern: { type: "null" } },
  required: ["name"],
  additionalProperties: false,
};

describe("a value against a caller's schema", () => {
  test.each<[object, unknown, string | undefined]>([
    [person, { name: "Ada", age: 36 }, undefined],
    [person, { age: 36 }, "required"],
    [person, { name: "" }, "minLength"],
    [person, { name: "Ada", age: "36" }, "type"],
    [person, { name: "Ada", more: 1 }, "additionalProperties"],
    [person, ["Ada"], "type"],
    // A property may be named as a keyword is.
    [person, { name: "Ada", pattern: 1 }, "type"],
    [{}, null, undefined],
    [{ enum: ["a", "b"] }, "c", "enum"],
    [{ const: { a: [1] } }, { a: [1] }, undefined],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, 1, "anyOf"],
    [{ $defs: { n: { type: "number" } }, type: "array", items: { $ref: "#/$defs/n" } }, [1, "2"], "type"],
    [{ type: "array", prefixItems: [{ type: "string" }], items: false }, ["a", 1], "items"],
    [
      {
        $ref: "#/$defs/node",
        $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } }, required: ["v"] } },
      },
      { v: 1, next: { v: 2, next: {} } },
      "required",
    ],
  ])("%j with %j: %s", (schema, value, broken) => {
    const found = createSchemaCheck(schema as Record<string, unknown>)(value);
    if (broken === undefined) expect(found).toBeUndefined();
    else expect(found).toBeTypeOf("string");
  });

  test("names the keyword that is broken", () => {
    expect(createSchemaCheck(person)({ age: 36 })).toBe("required");
  });

  test("the caller's schema is not changed", () => {
    const schema = structuredClone(person);
    createSchemaCheck(schema)({ name: "Ada" });
    expect(schema).toEqual(person);
    expect(Object.getOwnPropertyNames(schema)).toEqual(Object.getOwnPropertyNames(person));
  });
});

/** Each definition refers to the next one twice: 2^16 visits. */
const doubling = {
  $ref: "#/$defs/d0",
  $defs: Object.fromEntries([
    ...Array.from({ length: 16 }, (_, at) => {
      const next = { $ref: `#/$defs/d${at + 1}` };
      return [`d${at}`, { anyOf: [next, next] }];
    }),
    ["d16", { type: "string" }],
  ]),
};

describe("what a stranger could make slow", () => {
  test("is bounded for all choices of a request together", async () => {
    const checkAll = () => {
      const check = createSchemaCheck(doubling);
      for (let choice = 0; choice < 128; choice++) expect(check({})).toBeUndefined();
    };
    expect(await leastMs(2_500, checkAll)).toBeLessThan(2_500);
  });

  test("leaves an ordinary request with many choices each of its checks", () => {
    const check = createSchemaCheck(person);
    const found = Array.from({ length: 128 }, () => check({ age: 36 }));
    expect(new Set(found)).toEqual(new Set(["required"]));
  });

  const fast = async (schema: Record<string, unknown>, value: unknown) => {
    let found: string | undefined;
    const check = () => {
      found = createSchemaCheck(schema)(value);
    };
    expect(await leastMs(4_000, check)).toBeLessThan(4_000);
    return found;
  };

  test("an expression that takes for ever is not tried, nor what its properties leave over", async () => {
    const evil = "^(a+)+$";
    const text = `${"a".repeat(50)}!`;
    expect(await fast({ type: "string", pattern: evil }, text)).toBeUndefined();
    const properties = { patternProperties: { [evil]: {} }, additionalProperties: false };
    expect(await fast(properties, { [text]: 1 })).toBeUndefined();
  });

  test("all pairs of a long list are not compared", async () => {
    const list = Array.from({ length: 50_000 }, (_, index) => ({ index }));
    expect(await fast({ type: "array", uniqueItems: true }, list)).toBeUndefined();
  });

  test("references that double at every step end the check", async () => {
    const $defs: Record<string, unknown> = { s40: { type: "string" } };
    for (let step = 0; step < 40; step += 1) {
      const next = { $ref: `#/$defs/s${step + 1}` };
      $defs[`s${step}`] = { anyOf: [next, next] };
    }
    expect(await fast({ $ref: "#/$defs/s0", $defs }, 1)).toBeUndefined();
    const node = { $ref: "#/$defs/node" };
    const tree = {
      $ref: "#/$defs/node",
      $defs: { node: { items: { anyOf: [node, node, { type: "null" }] } } },
    };
    let value: unknown = "x";
    for (let depth = 0; depth < 60; depth += 1) value = [value];
    expect(
      await fast({ ...tree, $defs: { node: { ...tree.$defs.node, type: "array" } } }, value),
    ).toBeUndefined();
  });

  test.each<[string, Record<string, unknown>]>([
    ["refers to itself", { $ref: "#" }],
    ["refers to nothing", { $ref: "#/$defs/none" }],
    ["refers to another host", { $ref: "https://example.com/schema.json" }],
    ["is no schema", { type: 7, properties: 3, anyOf: "x" }],
  ])("a schema that %s says nothing against an answer", async (_, schema) => {
    expect((await fast(schema, { a: 1 })) ?? "type").toBe("type");
  });

  test("as many properties as a body can name, for each item of a long answer, end the check", async () => {
    const names = Array.from({ length: 30_000 }, (_, index) => `p${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, true]));
    const answer = [...Array<object>(20_000).fill({}), "another"];
    expect(await fast({ type: "array", items: { type: "object", properties } }, answer)).toBeUndefined();
    const dependentRequired = Object.fromEntries(names.map((name) => [name, ["p0"]]));
    expect(
      await fast({ type: "array", items: { type: "object", dependentRequired } }, answer),
    ).toBeUndefined();
  });

  // Each of these held the isolate, and every stream in it, for 3 to 22 seconds.
  const numbers = Array<number>(8_000).fill(0);
  const names = Array.from({ length: 4_000 }, (_, index) => [`k${index}`, 0] as const);
  const map = Object.fromEntries(names);
  const otherwise = [...numbers.slice(1), 1];
  test.each<[string, Record<string, unknown>, unknown]>([
    ["a list is compared with long ones", { enum: Array(8).fill(otherwise) }, numbers],
    ["a map is compared with another", { const: { ...map, k3999: 1 } }, map],
    ["the items of a list are allowed", { items: true }, numbers],
    ["what a map has besides is asked for", { additionalProperties: false }, map],
    ["what nobody has evaluated is asked for", { unevaluatedProperties: false }, map],
    ["a list of lists is compared", { enum: [[otherwise], [otherwise]] }, [numbers]],
    ["the letters of a text are counted", { maxLength: 1 }, "a".repeat(500_000)],
    ["a text is compared", { const: `${"a".repeat(500_000)}b` }, `${"a".repeat(500_000)}c`],
  ])("where %s by each of many references, the check ends", async (_what, x, answer) => {
    const schema = { anyOf: Array(12_000).fill({ $ref: "#/$defs/x" }), $defs: { x } };
    const check = () => expect(createSchemaCheck(schema)(answer)).toBeUndefined();
    expect(await leastMs(2_500, check)).toBeLessThan(2_500);
  });

  test("what a failed comparison quotes is counted", async () => {
    const x = { const: { a: Array<number>(60_000).fill(0) } };
    expect(
      await fast({ anyOf: Array(12_000).fill({ $ref: "#/$defs/x" }), $defs: { x } }, {}),
    ).toBeUndefined();
  });

  // By their paths, which V8 hashes by their length: these held the isolate for 25 seconds and more.
  const parts = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`p${index}`, {}]));
  const long = "k".repeat(50_000);
  test.each<[string, Record<string, unknown>]>([
    ["a name", { properties: { [long]: { properties: parts } } }],
    ["a keyword", { [long]: parts }],
    ["an $id", { $id: `https://example.com/${long}`, properties: parts }],
    ["an id of old", { id: `https://example.com/${long}`, properties: parts }],
    ["an $anchor", { $anchor: long, properties: parts }],
  ])("%s of fifty thousand letters ends the check", async (_what, schema) => {
    expect(await fast({ required: ["a"], ...schema }, {})).toBeUndefined();
  });

  test("parts that are only copied count, and once for all choices", async () => {
    const $comment = Array.from({ length: 45_000 }, () => ({ a: 1 }));
    const checkAll = () => {
      const check = createSchemaCheck({ required: ["a"], $comment });
      for (let choice = 0; choice < 128; choice++) check({});
    };
    expect(await leastMs(2_500, checkAll)).toBeLessThan(2_500);
  });

  test("a large honest schema is held to, where it names itself too", () => {
    const fields = Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [`field_${at}`, { type: "string", description: "Some words." }]),
    );
    const section = {
      $id: "https://example.com/section",
      type: "object",
      properties: fields,
      required: ["field_7"],
    };
    const check = createSchemaCheck({
      type: "array",
      items: { $ref: "https://example.com/section" },
      $defs: { section },
    });
    for (let choice = 0; choice < 8; choice++) {
      expect(check([{ field_7: "a" }])).toBeUndefined();
      expect(check([{ field_8: "a" }])).toBe("required");
    }
  });

  test("an honest answer of thousands of values is looked at whole", async () => {
    const row = {
      type: "object",
      properties: { a: { type: "integer" }, b: { type: "string" } },
      required: ["a"],
    };
    const rows: object[] = Array.from({ length: 10_000 }, (_, a) => ({ a, b: "x" }));
    expect(await fast({ type: "array", items: row }, rows)).toBeUndefined();
    expect(await fast({ type: "array", items: row }, [...rows, {}])).toBeTypeOf("string");
  });

  test("a long list of choices for each item of a long answer ends the check", async () => {
    const choices = Array.from({ length: 20_000 }, (_, index) => `choice ${index}`);
    const answer = [...Array<string>(20_000).fill("choice 19999"), "another"];
    expect(await fast({ type: "array", items: { enum: choices } }, answer)).toBeUndefined();
  });
});
