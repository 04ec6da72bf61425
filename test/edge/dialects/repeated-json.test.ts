import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createJsonReader, type JsonPath } from "../../../edge/dialects/repeated-json.ts";

const paths: JsonPath[] = [["a", 0, "text"], ["b", "count"], ["text"]];

/** What a reader gives, or that it throws, as JSON text: the objects themselves are used again. */
const outcome = (read: (text: string) => unknown, text: string): string => {
  try {
    return JSON.stringify(read(text));
  } catch {
    return "no JSON";
  }
};

/** The reader beside JSON.parse, over a whole sequence. */
function expectSame(texts: readonly string[]): void {
  const read = createJsonReader(paths);
  for (const text of texts) expect(outcome(read, text)).toBe(outcome(JSON.parse, text));
}

const quotes = fc.constantFrom(
  '"',
  '",',
  '"}',
  "\\",
  '","text":"',
  '"}],"b":{"count":',
  "1",
  "é",
  "世",
  "\u0000",
);
const string = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.array(quotes).map((parts) => parts.join("")),
);
const number = fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(-0));
const leaf = fc.oneof(string, number, fc.constantFrom(null, true, {}, []));

/** Alike but for the values at the paths, in one of a few shapes and spellings. */
const alike = fc
  .record({
    shape: fc.constantFrom("usual", "other", "twice", "early", "spaced"),
    first: leaf,
    count: leaf,
    last: leaf,
  })
  .map(({ shape, first, count, last }) => {
    const [one, two, three] = [first, count, last].map((value) => JSON.stringify(value));
    const shapes = {
      usual: `{"id":"x","a":[{"text":${one},"role":"m"}],"b":{"count":${two},"of":[1]},"text":${three}}`,
      spaced: `{"id": "x", "a": [ { "text": ${one} } ], "b": {"count": ${two}}, "text":${three} }`,
      other: `{"a":[{"text":${one}}],"b":null,"more":${three}}`,
      twice: `{"a":[{"text":${one}}],"text":${two},"b":{"count":1},"text":${three}}`,
      early: `{"id":{"text":${one},"count":${two}},"a":[{"text":${three}}],"b":{"count":${two}}}`,
    };
    return shapes[shape];
  });
const broken = fc.tuple(alike, fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1)));
const sequence = fc.array(fc.oneof({ weight: 8, arbitrary: alike }, { weight: 1, arbitrary: broken }), {
  maxLength: 12,
});

describe("JSON texts that are alike", () => {
  test("are read as JSON.parse reads them, whatever came before", () => {
    fc.assert(fc.property(sequence, expectSame), { numRuns: 1_000 });
  });

  test.each([
    ["a value that holds what follows values", '{"text":"a"}', '{"text":"\\"}"}', '{"text":"b"}'],
    ["a name that is there twice", '{"text":"a","text":"b"}', '{"text":"c","text":"d"}'],
    ["a name in a value", '{"id":"\\"text\\":\\"a","text":"a"}', '{"id":"\\"text\\":\\"b","text":"a"}'],
    ["a value that is gone", '{"text":"a"}', '{"text":"b"}', '{"text":}', '{"text":""}'],
    [
      "a number that is none",
      '{"b":{"count":1}}',
      '{"b":{"count":2}}',
      '{"b":{"count":03}}',
      '{"b":{"count":-}}',
    ],
    ["what no name can change", '{"text":"a"}', '{"text":{"__proto__":{"x":1}}}', '{"text":"b"}'],
    ["more after the end", '{"text":"a"}', '{"text":"b"}', '{"text":"b"}}', '{"text":"b"} '],
  ])("%s", (_name, ...texts) => expectSame(texts));

  test("share what is around their values; others do not", () => {
    const read = createJsonReader(paths);
    const usual = (text: string) => `{"id":"x","a":[{"text":${JSON.stringify(text)}}],"b":{"count":7}}`;
    const first = read(usual("a"));
    expect(read(usual("b"))).toBe(first);
    expect(read(usual('"quoted"'))).toBe(first);
    expect(first).toEqual({ id: "x", a: [{ text: '"quoted"' }], b: { count: 7 } });
    expect(read('{"other":1}')).not.toBe(first);
  });
});
