import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSseParser, type SseEvent, SseOverflowError } from "../../../edge/stream/sse.ts";

const encode = (text: string) => new TextEncoder().encode(text);

function parse(chunks: Uint8Array[]): SseEvent[] {
  const parser = createSseParser();
  return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()];
}

const stream = [
  ": OPENROUTER PROCESSING\n\n",
  'data: {"text":"héllo"}\n\n',
  "event: ping\r\ndata: {}\r\n\r\n",
  'data: {"text":"你好 👋🏽"}\n\n',
  "data: line one\ndata: line two\n\n",
  "id: 7\nretry: 10\nunknown: x\ndata: last without a blank line",
].join("");

const expected = [
  '{"text":"héllo"}',
  "{}",
  '{"text":"你好 👋🏽"}',
  "line one\nline two",
  "last without a blank line",
];

describe("an event stream", () => {
  test("gives framed events, comments and unknown fields left out", () => {
    const events = parse([encode(stream)]);
    expect(events.map(({ data }) => data)).toEqual(expected);
    expect(events[1]?.event).toBe("ping");
  });

  test("gives the same events cut at every byte, characters of several bytes included (failures 23)", () => {
    const bytes = encode(stream);
    for (let at = 0; at <= bytes.length; at++) {
      expect(parse([bytes.slice(0, at), bytes.slice(at)]).map(({ data }) => data)).toEqual(expected);
    }
    expect(parse([...bytes].map((byte) => Uint8Array.of(byte))).map(({ data }) => data)).toEqual(expected);
  });

  test("gives the same events however often it is cut", () => {
    const bytes = encode(stream);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        const points = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = points.slice(1).map((to, index) => bytes.slice(points[index], to));
        expect(parse(chunks).map(({ data }) => data)).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  test("ends with an error instead of growing without bound", () => {
    const parser = createSseParser(1_000);
    expect(() => {
      for (let index = 0; index < 100; index++) parser.push(encode("x".repeat(100)));
    }).toThrow(SseOverflowError);
  });
});
