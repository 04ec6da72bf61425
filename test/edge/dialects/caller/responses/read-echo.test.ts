import { expect, test } from "vitest";
import { readResponsesRequest } from "../../../../../edge/dialects/caller/responses/read-request.ts";
import { ResponsesRequest } from "../../../../../edge/dialects/caller/responses/schema.ts";
import { createResponseStreamWriter } from "../../../../../edge/dialects/caller/responses/write-stream.ts";
import { testEnvelope } from "./envelope.ts";

const read = (fields: object) =>
  readResponsesRequest(ResponsesRequest.parse({ model: "m", input: "go", ...fields }));
const format = (name: string) => ({
  type: "json_schema",
  name,
  schema: { type: "object", properties: { [name]: { type: "string" } } },
});
const fields = (text: string) => ({
  instructions: text,
  metadata: { a: text },
  user: text,
  prompt_cache_key: text,
  safety_identifier: text,
  service_tier: text,
  text: { format: format(text) },
  tools: [{ type: "web_search", name: "w", description: text }],
  tool_choice: { type: "web_search", name: text },
  reasoning: { summary: text },
});

test("a response says again what was asked for", () => {
  const asked = fields("short");
  expect(read(asked).echo).toMatchObject(asked);
});

test("what was left out is said as OpenAI says it", () => {
  expect(read({}).echo).toEqual(testEnvelope().echo);
  expect(read({ prompt_cache_key: 7, user: null }).echo).toEqual(testEnvelope().echo);
});

test("a field of more than 64 KiB is not said again: a slow reader would keep it waiting three times", () => {
  const { echo, request } = read({ ...fields("x".repeat(70_000)), temperature: 0.5 });
  expect(request.messages[0]?.parts[0]).toMatchObject({ text: "x".repeat(70_000) });
  expect(echo).toEqual({ ...testEnvelope().echo, temperature: 0.5 });
  const first = createResponseStreamWriter(testEnvelope({ echo }), "openai").first(undefined);
  expect(first.length).toBeLessThan(3_000);
});
