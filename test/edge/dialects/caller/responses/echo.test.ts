import { expect, test } from "vitest";
import { decodeResponsesRequest } from "../../../../../edge/dialects/caller/responses/read-request.ts";
import { ResponsesRequest } from "../../../../../edge/dialects/caller/responses/schema.ts";
import { createResponseStreamEncoder } from "../../../../../edge/dialects/caller/responses/write-stream.ts";
import { testEnvelope } from "./envelope.ts";

const decode = (fields: object) =>
  decodeResponsesRequest(ResponsesRequest.parse({ model: "m", input: "go", ...fields }));
const format = (name: string) => ({
  type: "json_schema",
  name,
  schema: { type: "object", properties: { [name]: { type: "string" } } },
});
const fields = (text: string) => ({
  instructions: text,
  metadata: { a: text },
  user: text,
  service_tier: text,
  text: { format: format(text) },
  tools: [{ type: "web_search", name: "w", description: text }],
  tool_choice: { type: "web_search", name: text },
  reasoning: { summary: text },
});

test("a response says again what was asked for", () => {
  const asked = fields("short");
  expect(decode(asked).echo).toMatchObject(asked);
});

test("a field of more than 64 KiB is not said again: a slow reader would keep it waiting three times", () => {
  const { echo, request } = decode({ ...fields("x".repeat(70_000)), temperature: 1 });
  expect(request.messages[0]?.parts[0]).toMatchObject({ text: "x".repeat(70_000) });
  expect(echo).toEqual({ ...testEnvelope().echo, temperature: 1 });
  const first = createResponseStreamEncoder(testEnvelope({ echo }), "openai").first(undefined);
  expect(first.length).toBeLessThan(3_000);
});
