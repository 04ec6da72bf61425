import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createJsonReader, type JsonPath } from "../../../../edge/dialects/provider/chunk-json.ts";

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

const Checked = z.looseObject({
  a: z.array(z.looseObject({ text: z.string().nullish() })).nullish(),
  b: z.looseObject({ count: z.number().nullish().catch(null) }).nullish(),
  text: z.string().catch("no text"),
});
const check = (parsed: unknown) => Checked.parse(parsed);

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
const leaf = fc.oneof(string, number, fc.nat(99), fc.constantFrom(null, true, {}, []));

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

  test("are given back as the check of each would give them", () => {
    fc.assert(
      fc.property(sequence, (texts) => {
        const read = createJsonReader(paths, check);
        for (const text of texts) {
          expect(outcome(read, text)).toBe(outcome((whole) => check(JSON.parse(whole)), text));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test("are checked once for all of them", () => {
    let checks = 0;
    const read = createJsonReader(paths, (parsed) => {
      checks += 1;
      return check(parsed);
    });
    for (const text of ["a", "b", '"c"\\', ""]) {
      expect(read(JSON.stringify({ text, b: { count: text.length } }))).toEqual({
        text,
        b: { count: text.length },
      });
    }
    expect(checks).toBe(1);
    expect(read('{"text":"d","b":{"count":1e999}}')).toEqual({ text: "d", b: { count: null } });
    expect(read('{"text":null,"b":{"count":1}}')).toEqual({ text: "no text", b: { count: 1 } });
    expect(checks).toBe(3);
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
      '{"b":{"count":1.}}',
      '{"b":{"count":}}',
    ],
    [
      "numbers of every kind",
      '{"b":{"count":1}}',
      '{"b":{"count":0}}',
      '{"b":{"count":-0}}',
      '{"b":{"count":0.5}}',
      '{"b":{"count":2}}',
      '{"b":{"count":1e3}}',
      '{"b":{"count":999999999999999}}',
      '{"b":{"count":12345678901234567890}}',
    ],
    [
      "strings that are none",
      '{"text":"a"}',
      '{"text":"\\"}',
      '{"text":"\\x"}',
      '{"text":"\\\\"}',
      '{"text":"\\\\\\""}',
      '{"text":"\u0001"}',
      '{"text":"',
      '{"text":a}',
      '{"text":ab"}',
    ],
    ["what no name can change", '{"text":"a"}', '{"text":{"__proto__":{"x":1}}}', '{"text":"b"}'],
    ["more after the end", '{"text":"a"}', '{"text":"b"}', '{"text":"b"}}', '{"text":"b"} '],
  ])("%s", (_name, ...texts) => expectSame(texts));

  test("are read by comparison with the one before; texts that differ elsewhere are parsed", () => {
    const read = createJsonReader(paths);
    const usual = (text: string) => `{"id":"x","a":[{"text":${JSON.stringify(text)}}],"b":{"count":7}}`;
    const first = read(usual("a"));
    expect(read(usual("b"))).toBe(first);
    expect(read(usual('"quoted"'))).toBe(first);
    expect(first).toEqual({ id: "x", a: [{ text: '"quoted"' }], b: { count: 7 } });
    expect(read('{"other":1}')).not.toBe(first);
  });
});
