import * as fc from "fast-check";
import { expect, it } from "vitest";
import { parseBody, parseExactly, readExactArguments } from "../../../edge/dialects/exact-numbers.ts";

it.each([
  "[1234567890123456789,-1234567890123456789]",
  '{"a":{"b":[{"c":123456789012345678901234567890}]}}',
  '{"1234567890123456789":"1234567890123456789, \\\\","x":9007199254740993}',
])("every digit is kept: %s", (text) => {
  expect(JSON.stringify(parseExactly(text))).toBe(text);
});

it.each([
  "0.12345678901234567",
  "1.5e-1234567890123456",
  "1234567890123456.5",
  "12345678901234567e3",
  '{"nul":"\\u0000","id":1234567890123456789}',
  "1234567890123456 7",
  '{"id":01234567890123456}',
  "{1234567890123456:1}",
  '{"id":12345678901234567.5}',
  '{"id":1234567890123456789',
  "",
])("anything else is read as JSON.parse reads it: %s", (text) => {
  const read = () => {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  };
  expect(parseExactly(text)).toEqual(read());
});

it("any JSON is the same when it is written again", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.bigInt(), (value, id) => {
      const text = `{"id":${id},"value":${JSON.stringify(value)}}`;
      const ordinary = JSON.stringify(JSON.parse(text).value);
      expect(JSON.stringify(parseExactly(text))).toBe(`{"id":${id},"value":${ordinary}}`);
    }),
  );
});

it("a body's calls keep their digits, and its other numbers are numbers", () => {
  const call = '{"type":"tool_use","input":{"id":1234567890123456789}}';
  const body = `{"seed":1234567890123456789,"messages":[{"content":[{"text":"1234567890123456789"},${call}]},{"content":"hi"},null,{"extra_content":{"anthropic":{"content":[${call}]}}}]}`;
  expect(JSON.stringify(parseBody(body))).toBe(body.replace("1234567890123456789", "1234567890123456800"));
  expect(parseBody(body)).toHaveProperty("seed", Number("1234567890123456789"));
  const plain = '{"messages":[{"content":[{"input":{"n":1}}]}],"seed":12345678901234567890}';
  expect(parseBody(plain)).toEqual(JSON.parse(plain));
  expect(() => parseBody('{"input":01234567890123456}')).toThrow(SyntaxError);
});

it("digits are seen wherever they stand", () => {
  for (let before = 0; before < 40; before += 1) {
    const text = `{"${"x".repeat(before)}":[123456789012345,9007199254740993]}`;
    expect(JSON.stringify(parseExactly(text))).toBe(text);
  }
});

it("arguments that are no object are wrapped", () => {
  expect(readExactArguments("[1234567890123456789]")).toEqual({
    value: { _raw: "[1234567890123456789]" },
    exact: false,
  });
});
