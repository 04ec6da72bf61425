// A field of a wrong type in a provider's answer counts as missing, and the rest stays as it is. For a large wrong body of a caller only
// the first error is reported: to report all, the validator took up to a second.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { CountTokensRequest } from "../../../edge/dialects/caller/anthropic/schema.ts";
import { ChatCompletionRequest } from "../../../edge/dialects/caller/openai/schema.ts";
import { ResponsesRequest } from "../../../edge/dialects/caller/responses/schema.ts";
import { parseBounded, readLeniently } from "../../../edge/dialects/json.ts";
import { Chunk } from "../../../edge/dialects/provider/openai/schema.ts";
import { createTestApp, newCaller } from "../support/app.ts";

const Entry = z.looseObject({ name: z.string().nullish(), size: z.int().nullish() });
const schemas = {
  compiled: z.compile(z.looseObject({ id: z.string().nullish(), list: z.array(Entry.nullable()).nullish() })),
  plain: z.looseObject({ id: z.string().nullish(), list: z.array(Entry.nullable()).nullish() }),
};

describe.each(Object.entries(schemas))("%s", (_, schema) => {
  test("a value that fits is returned itself, with the fields that the schema does not name", () => {
    const value = { id: "a", list: [{ name: "b", other: [1] }], more: { deep: true } };
    expect(readLeniently(schema, value)).toBe(value);
    expect(value).toEqual({ id: "a", list: [{ name: "b", other: [1] }], more: { deep: true } });
  });

  test.each([
    ["a field", { id: 5, list: [] }, { id: null, list: [] }],
    ["a list", { id: "a", list: "b" }, { id: "a", list: null }],
    ["an entry, its place kept", { list: ["b", { name: "c" }] }, { list: [null, { name: "c" }] }],
    [
      "several, deep",
      { id: {}, list: [{ name: [], size: 1.5 }] },
      { id: null, list: [{ name: null, size: null }] },
    ],
  ])("%s of another type counts as missing", (_name, value, read) => {
    expect(readLeniently(schema, value)).toEqual(read);
  });

  test.each([undefined, null, "text", 5, []])("no object at all: %j", (value) => {
    expect(readLeniently(schema, value)).toBeUndefined();
  });
});

test("any object can be read as a chunk", () => {
  const named = fc.record(
    { choices: fc.jsonValue(), x_groq: fc.jsonValue(), id: fc.jsonValue() },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(named, fc.dictionary(fc.string(), fc.jsonValue())), (value) => {
      expect(Chunk.safeParse(readLeniently(Chunk, value)).success).toBe(true);
    }),
    { numRuns: 50 },
  );
});

const model = "svc-x1ac-base-gpt-4o";
const empty = (count: number) => Array.from({ length: count }, () => ({}));

const lists: [string, z.ZodType, (wrong: object[]) => object][] = [
  ["messages", ChatCompletionRequest, (messages) => ({ messages })],
  ["parts", ChatCompletionRequest, (content) => ({ messages: [{ role: "user", content }] })],
  ["calls", ChatCompletionRequest, (calls) => ({ messages: [{ role: "assistant", tool_calls: calls }] })],
  ["items", ResponsesRequest, (input) => ({ input })],
  ["parts of an item", ResponsesRequest, (content) => ({ input: [{ role: "user", content }] })],
  ["blocks", CountTokensRequest, (content) => ({ messages: [{ role: "user", content }] })],
  [
    "blocks of a result",
    CountTokensRequest,
    (content) => ({
      messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "c", content }] }],
    }),
  ],
];

/** Everything that is wrong, in the branches of unions too. */
function countIssues(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce(
    (sum, issue) => sum + (issue.code === "invalid_union" ? countIssues(issue.errors.flat()) : 0) + 1,
    0,
  );
}

describe("a list of wrong entries", () => {
  test.each(lists)("ends at the first one where it is long: %s", (_what, schema, make) => {
    const { error } = parseBounded(schema, { model, ...make(empty(30_000)) });
    expect(countIssues(error!.issues)).toBeLessThan(12);
  });

  test.each(lists)("is told whole where it is short: %s", (_what, schema, make) => {
    const body = { model, ...make(empty(3)) };
    const { error } = parseBounded(schema, body);
    expect(countIssues(error!.issues)).toBe(countIssues(schema.safeParse(body).error!.issues));
    expect(countIssues(error!.issues)).toBeGreaterThan(2);
  });

  test("may be nested deeply without exhausting the stack", () => {
    let deep: unknown = {};
    for (let level = 0; level < 20_000; level += 1) deep = [deep];
    expect(parseBounded(ResponsesRequest, { model, input: deep }).success).toBe(false);
  });

  test("is answered with all errors where it is short, and with one where it is long", async () => {
    const { apiKey } = await newCaller(1_000);
    const ask = async (count: number) => {
      const response = await createTestApp().chat(apiKey, { model, messages: empty(count), n: 0 });
      expect(response.status).toBe(422);
      const { error } = await response.json<{ error: { details: string[] } }>();
      return error.details.length;
    };
    expect(await ask(3)).toBe(4);
    expect(await ask(30_000)).toBe(1);
  });
});
