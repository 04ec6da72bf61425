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
const asked = { type: "message", role: "user", content: "go" };
const said = (content: object[]) => ({
  messages: [
    { role: "user", content: "go" },
    { role: "assistant", content },
  ],
});
const sealed = (count: number, make: (index: number) => object) =>
  many(count, (index) => ({ type: "redacted_thinking", data: seal(make(index)) }));
const namesOf = (count: number) => many(count, (index) => `a_field_of_it_${index}`);
const fieldsOf = (count: number) => Object.fromEntries(namesOf(count).map((name) => [name, 1]));

/** `of` gives a count of the whole body, or its share of a shorter one. */
type Case = { read: (body: object) => unknown; make: (of: (count: number) => number) => object };

const cases: Record<string, Case> = {
  "a tool of megabytes that is named again": {
    read: readResponses,
    make: (of) => ({
      input: [
        asked,
        ...many(4, () => ({
          type: "additional_tools",
          tools: many(of(996), () => ({ type: "function", name: "f" })),
        })),
      ],
      tools: [{ type: "function", name: "f", description: "x".repeat(of(4_000_000)) }],
    }),
  },
  "a namespace of a thousand tools that is allowed again": {
    read: readResponses,
    make: (of) => ({
      tools: [
        {
          type: "namespace",
          name: "a",
          tools: many(of(1_000), (index) => ({ type: "function", name: `f${index}` })),
        },
      ],
      tool_choice: {
        type: "allowed_tools",
        tools: many(of(24_000), () => ({ type: "namespace", name: "a" })),
      },
    }),
  },
  "a name in a thousand namespaces that is allowed again": {
    read: readResponses,
    make: (of) => ({
      tools: many(of(1_000), (index) => ({
        type: "namespace",
        name: `n${index}`,
        tools: [{ type: "function", name: "f" }],
      })),
      tool_choice: {
        type: "allowed_tools",
        tools: many(of(20_000), () => ({ type: "function", name: "f" })),
      },
    }),
  },
  "seals that each hold thousands of wrong ones": {
    read: readResponses,
    make: (of) => ({
      input: [
        ...many(of(120), () => ({
          type: "reasoning",
          summary: [],
          encrypted_content: seal({ seals: many(9_500, () => ({})) }),
        })),
        asked,
      ],
    }),
  },
  "a schema of many required fields": {
    read: readAnthropic,
    make: (of) => ({
      messages: [{ role: "user", content: "go" }],
      output_format: {
        type: "json_schema",
        schema: {
          type: "object",
          additionalProperties: false,
          properties: fieldsOf(of(48_000)),
          required: namesOf(of(48_000)),
        },
      },
    }),
  },
  "seals of one text with many fields": {
    read: readAnthropic,
    make: (of) =>
      said([
        { type: "text", text: "a", ...fieldsOf(of(12_000)) },
        ...sealed(of(1_600), () => ({ kind: "text", thoughtSignature: "s" })),
      ]),
  },
  "seals of one call with many fields": {
    read: readAnthropic,
    make: (of) =>
      said([
        { type: "tool_use", id: "c", name: "f", input: {}, ...fieldsOf(of(12_000)) },
        ...sealed(of(1_600), () => ({ kind: "tool", id: "c", thoughtSignature: "s" })),
      ]),
  },
  "seals of thoughts without a text": {
    read: readAnthropic,
    make: (of) => said(sealed(of(28_000), () => ({ kind: "reasoning", data: "x" }))),
  },
  "seals of calls that are not there": {
    read: readAnthropic,
    make: (of) =>
      said([
        ...many(of(12_000), (index) => ({ type: "tool_use", id: `c${index}`, name: "f", input: 1 })),
        ...sealed(of(12_000), (index) => ({ kind: "tool", id: `d${index}`, thoughtSignature: "s" })),
      ]),
  },
  "seals of pictures": {
    read: readResponses,
    make: (of) => ({
      input: [
        asked,
        ...many(of(20_000), () => ({ type: "image_generation_call", result: "AAAA" })),
        ...many(6, () => ({
          type: "reasoning",
          summary: [],
          encrypted_content: seal({
            seals: many(of(4_000), (at) => ({ kind: "image", at, thoughtSignature: "s" })),
          }),
        })),
      ],
    }),
  },
};

// Four times the length takes four times as long, and would take sixteen times as long if each item were compared with each.
const noiseMs = 100;
test.each(Object.entries(cases))("%s", async (_what, { read, make }) => {
  const short = make((count) => count / 4);
  const long = make((count) => count);
  const most = 8 * (await leastMs(0, () => read(short))) + noiseMs;
  expect(await leastMs(most, () => read(long))).toBeLessThan(most);
});
