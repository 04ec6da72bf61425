// A response format is sent to the models that take it.
import { describe, expect, test } from "vitest";
import type { ProviderTarget } from "../../../../../edge/dialects/provider/dialect.ts";
import { alphaDialect, routerDialect } from "../../../../../edge/dialects/provider/openai/dialect.ts";
import type { ChatRequest } from "../../../../../shared/chat.ts";
import { chatRequest } from "../../replay.ts";
import { target } from "./written-request.ts";

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

  test.each([
    ["weather_report", /^weather_report$/],
    ["Weather report!", /^Weather_report__?\w*$/],
    ["App\\Agents\\Output", /^App_Agents_Output/],
    ["n".repeat(70), /^[\w-]{64}$/],
  ])("has a name that OpenAI takes: %s", (name, sent) => {
    const { body } = alphaDialect.writeRequest(
      chatRequest({ responseFormat: { ...schema, name } }),
      target("gpt-4o"),
    );
    expect(body.response_format).toMatchObject({ json_schema: { name: expect.stringMatching(sent) } });
    expect(body.response_format).toMatchObject({
      json_schema: { name: expect.stringMatching(/^[\w-]{1,64}$/) },
    });
  });

  test("goes to OpenAI itself as it is", () => {
    expect(
      alphaDialect.enforcesFormat(chatRequest({ responseFormat: schema, tools: [tool] }), target("gpt-4o")),
    ).toBe(true);
  });
});
