import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  createEventStream,
  createSseParser,
  type SseEvent,
  SseOverflowError,
} from "../../../edge/stream/sse.ts";

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

  test("ends in the JSON that stands outside its framing, as an error, cut at every byte (failures 78)", () => {
    const aborted = JSON.stringify({ error: { code: 429, message: "data: used: up" } }, null, 2);
    const bytes = encode(`data: {"a":1}\r\n\r\n${aborted.replaceAll("\n", "\r\n")}`);
    for (let at = 0; at <= bytes.length; at++) {
      const [first, last, ...others] = parse([bytes.slice(0, at), bytes.slice(at)]);
      expect(first?.data).toBe('{"a":1}');
      expect(last).toMatchObject({ event: "error" });
      expect(JSON.parse(last?.data ?? "")).toEqual(JSON.parse(aborted));
      expect(others).toEqual([]);
    }
  });

  test.each([
    ["that an event follows", `{"error":1}\ndata: x\n\n`, ["x"]],
    ["that is cut", `data: x\n\n{"error":`, ["x"]],
    ["that is longer than any error", `data: x\n\n["${"x".repeat(70_000)}",\n1]`, ["x"]],
    ["that is longer than any error, on one line", `data: x\n\n["${"x".repeat(70_000)}"]`, ["x"]],
    ["that is a page", "data: x\n\n<html>\n{}\n</html>", ["x"]],
  ])("leaves out text outside its framing %s", (_, text, left) => {
    expect(parse([encode(text)]).map(({ data }) => data)).toEqual(left);
  });

  test("leaves out text outside its framing where what was sent is whole", () => {
    const parser = createSseParser();
    expect(parser.push(encode(`data: x\n\n{"error":1}\n`))).toHaveLength(1);
    expect(parser.end(true)).toEqual([]);
  });

  test("ends with an error instead of growing without bound", () => {
    const parser = createSseParser(1_000);
    expect(() => {
      for (let index = 0; index < 100; index++) parser.push(encode("x".repeat(100)));
    }).toThrow(SseOverflowError);
  });
});

afterEach(() => {
  vi.useRealTimers();
});

async function* pieces(...texts: string[]): AsyncGenerator<string, void, void> {
  for (const text of texts) yield text;
}

describe("the response stream", () => {
  test("carries every piece in order and closes; empty pieces do not stall it", async () => {
    const stream = createEventStream(pieces("a", "", "", "b", ""), {
      keepAliveMs: 15_000,
      onLeave: () => {},
    });
    expect(await new Response(stream).text()).toBe("ab");
  });

  test("reads its source only as fast as it is read: a slow reader bounds memory", async () => {
    let made = 0;
    async function* endless(): AsyncGenerator<string, void, void> {
      for (;;) {
        made += 1;
        yield "x".repeat(1_000);
      }
    }
    const reader = createEventStream(endless(), { keepAliveMs: 15_000, onLeave: () => {} }).getReader();
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(made).toBeLessThan(5);
    await reader.cancel();
  });

  test("tells when the client leaves", async () => {
    const onLeave = vi.fn();
    const reader = createEventStream(pieces("a", "b", "c"), { keepAliveMs: 15_000, onLeave }).getReader();
    await reader.read();
    await reader.cancel();
    expect(onLeave).toHaveBeenCalledOnce();
  });

  test.each([
    ["read to its end", (stream: ReadableStream) => new Response(stream).text()],
    ["left", (stream: ReadableStream) => stream.cancel()],
  ])("leaves no timer behind: %s", async (_how, finish) => {
    vi.useFakeTimers();
    const onEnd = vi.fn();
    await finish(createEventStream(pieces("a"), { keepAliveMs: 15_000, onLeave: () => {}, onEnd }));
    expect([vi.getTimerCount(), onEnd.mock.calls.length]).toEqual([0, 1]);
  });

  test("sends no comment while it is lively", async () => {
    vi.useFakeTimers();
    async function* lively(): AsyncGenerator<string, void, void> {
      for (let count = 0; count < 8; count++) {
        await new Promise((resolve) => setTimeout(resolve, 400));
        yield "x";
      }
    }
    const text = new Response(createEventStream(lively(), { keepAliveMs: 1_000, onLeave: () => {} })).text();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await text).toBe("xxxxxxxx");
  });

  test("keeps no comments for a reader who does not read", async () => {
    vi.useFakeTimers();
    const stream = createEventStream(pieces("first", "last"), { keepAliveMs: 1_000, onLeave: () => {} });
    await vi.advanceTimersByTimeAsync(100_000);
    expect(await new Response(stream).text()).toBe("firstlast");
  });

  test("sends a comment when it is quiet", async () => {
    let release = () => {};
    async function* quiet(): AsyncGenerator<string, void, void> {
      yield "first";
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      yield "last";
    }
    const reader = createEventStream(quiet(), { keepAliveMs: 20, onLeave: () => {} }).getReader();
    const read = async () => new TextDecoder().decode((await reader.read()).value);
    expect(await read()).toBe("first");
    expect(await read()).toBe(": keep-alive\n\n");
    release();
    let text = await read();
    while (text.startsWith(":")) text = await read();
    expect(text).toBe("last");
    expect((await reader.read()).done).toBe(true);
  });
});
