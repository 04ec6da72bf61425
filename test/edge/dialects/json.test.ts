// Odd fields of a provider's answer count as missing, and nothing else of it changes.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readLeniently } from "../../../edge/dialects/json.ts";
import { Chunk } from "../../../edge/dialects/provider/openai/schema.ts";

const Entry = z.looseObject({ name: z.string().nullish(), size: z.int().nullish() });
const schemas = {
  compiled: z.compile(z.looseObject({ id: z.string().nullish(), list: z.array(Entry.nullable()).nullish() })),
  plain: z.looseObject({ id: z.string().nullish(), list: z.array(Entry.nullable()).nullish() }),
};

describe.each(Object.entries(schemas))("%s", (_, schema) => {
  test("what fits is given back itself, with what the schema does not name", () => {
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
