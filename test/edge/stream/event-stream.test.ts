import { afterEach, describe, expect, test, vi } from "vitest";
import { createEventStream } from "../../../edge/stream/event-stream.ts";

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

  test("sends a comment when it is quiet, and none while it is lively", async () => {
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
