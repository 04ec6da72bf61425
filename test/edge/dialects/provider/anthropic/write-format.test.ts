import { describe, expect, it } from "vitest";
import type { ChatRequest, ResponseFormat } from "../../../../../shared/chat.ts";
import { haiku, recursiveSchema, treeSchema, write } from "./written-request.ts";

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
    ["a schema that holds itself", format(recursiveSchema), haiku, ["response_format"]],
    [
      "schemas that hold each other",
      format({
        $ref: "#/$defs/a~1b",
        $defs: { "a/b": { anyOf: [{ $ref: "#/$defs/c" }] }, c: { items: { $ref: "#/$defs/a~1b" } } },
      }),
      haiku,
      ["response_format"],
    ],
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

  it("is held to a schema that is used twice, and to whatever an Anthropic caller sent", () => {
    const day = { type: "string", format: "date" };
    const schema = {
      type: "object",
      properties: { from: { $ref: "#/$defs/day" }, to: { $ref: "#/$defs/day" } },
      required: ["from", "to"],
      additionalProperties: false,
      $defs: { day },
    };
    expect(write({ responseFormat: format(schema) }).unsupported).toEqual([]);
    const output_config = { format: { type: "json_schema", schema: recursiveSchema } };
    const asked = { callerDialect: "anthropic", verbatim: { output_config } } as const;
    const written = write({ ...asked, responseFormat: format(recursiveSchema) });
    expect(written.body.output_config).toEqual(output_config);
  });

  it("may be a long chain of references, which ends", () => {
    const names = Array.from({ length: 20_000 }, (_, at) => `d${at}`);
    const next = (at: number) => (at < names.length ? { $ref: `#/$defs/d${at}` } : { type: "string" });
    const $defs = Object.fromEntries(names.map((name, at) => [name, next(at + 1)]));
    expect(write({ responseFormat: format({ ...next(0), $defs }) }).unsupported).toEqual([]);
    const circle = { ...$defs, d19999: next(0) };
    expect(write({ responseFormat: format({ ...next(0), $defs: circle }) }).unsupported).toEqual([
      "response_format",
    ]);
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
