// What a caller may repeat thousands of times in one body, before its credit is checked: reading it takes time linear in its length.
// Each of these once took seconds to minutes, in which the isolate served nobody.
import { expect, test } from "vitest";
import { readPrompt } from "../../../../edge/dialects/caller/anthropic/read-request.ts";
import { CountTokensRequest } from "../../../../edge/dialects/caller/anthropic/schema.ts";
import { readResponsesRequest } from "../../../../edge/dialects/caller/responses/read-request.ts";
import { ResponsesRequest } from "../../../../edge/dialects/caller/responses/schema.ts";
import { leastMs } from "../../../support/least-ms.ts";

const model = "svc-x1ac-base-gpt-4o";
const many = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));
const seal = (value: object) => `svc1.${Buffer.from(JSON.stringify(value)).toString("base64url")}`;

/** By the body's own reader, as the routes do it. */
function readAnthropic(body: object) {
  return readPrompt(CountTokensRequest.parse({ model, ...body }));
}
function readResponses(body: object) {
  return readResponsesRequest(ResponsesRequest.parse({ model, input: "go", ...body }));
}
const said = (content: object[]) => ({
  messages: [
    { role: "user", content: "go" },
    { role: "assistant", content },
  ],
});
const sealed = (count: number, make: (index: number) => object) =>
  many(count, (index) => ({ type: "redacted_thinking", data: seal(make(index)) }));
const names = many(48_000, (index) => `a_field_of_it_${index}`);
const fields = Object.fromEntries(names.map((name) => [name, 1]));
const nested = many(1_000, (index) => ({ type: "function", name: `f${index}` }));

const bodies: Record<string, () => unknown> = {
  "a tool of megabytes that is named again": () =>
    readResponses({
      input: [
        { type: "message", role: "user", content: "go" },
        ...many(4, () => ({
          type: "additional_tools",
          tools: many(999, () => ({ type: "function", name: "f" })),
        })),
      ],
      tools: [{ type: "function", name: "f", description: "x".repeat(4_000_000) }],
    }),
  "a namespace of a thousand tools that is allowed again": () =>
    readResponses({
      tools: [{ type: "namespace", name: "a", tools: nested }],
      tool_choice: { type: "allowed_tools", tools: many(25_000, () => ({ type: "namespace", name: "a" })) },
    }),
  "a name in a thousand namespaces that is allowed again": () =>
    readResponses({
      tools: many(1_000, (index) => ({
        type: "namespace",
        name: `n${index}`,
        tools: [{ type: "function", name: "f" }],
      })),
      tool_choice: { type: "allowed_tools", tools: many(20_000, () => ({ type: "function", name: "f" })) },
    }),
  "seals that each hold thousands of wrong ones": () =>
    readResponses({
      input: [
        ...many(120, () => ({
          type: "reasoning",
          summary: [],
          encrypted_content: seal({ seals: many(9_500, () => ({})) }),
        })),
        { type: "message", role: "user", content: "go" },
      ],
    }),
  "a schema of many required fields": () =>
    readAnthropic({
      messages: [{ role: "user", content: "go" }],
      output_format: {
        type: "json_schema",
        schema: { type: "object", additionalProperties: false, properties: fields, required: names },
      },
    }),
  "seals of one text with many fields": () =>
    readAnthropic(
      said([
        { type: "text", text: "a", ...fields },
        ...sealed(400, () => ({ kind: "text", thoughtSignature: "s" })),
      ]),
    ),
  "seals of one call with many fields": () =>
    readAnthropic(
      said([
        { type: "tool_use", id: "c", name: "f", input: {}, ...fields },
        ...sealed(400, () => ({ kind: "tool", id: "c", thoughtSignature: "s" })),
      ]),
    ),
  "seals of thoughts without a text": () =>
    readAnthropic(said(sealed(30_000, () => ({ kind: "reasoning", data: "x" })))),
  "seals of calls that are not there": () =>
    readAnthropic(
      said([
        ...many(12_000, (index) => ({ type: "tool_use", id: `c${index}`, name: "f", input: 1 })),
        ...sealed(13_000, (index) => ({ kind: "tool", id: `d${index}`, thoughtSignature: "s" })),
      ]),
    ),
  "seals of pictures": () =>
    readResponses({
      input: [
        { type: "message", role: "user", content: "go" },
        ...many(20_000, () => ({ type: "image_generation_call", result: "AAAA" })),
        ...many(6, () => ({
          type: "reasoning",
          summary: [],
          encrypted_content: seal({
            seals: many(4_000, (at) => ({ kind: "image", at, thoughtSignature: "s" })),
          }),
        })),
      ],
    }),
};

test.each(Object.entries(bodies))("%s", async (_what, read) => {
  expect(await leastMs(3_000, read)).toBeLessThan(3_000);
});
