// When the memory of a recorded answer is given back.
import { expect, test } from "vitest";
import { type Passed, recordAnswer, recordStream } from "../../../edge/idempotency/recorded-answer.ts";

function record(pieces: readonly string[], { maxBytes = 100, room = 100, breaks = false } = {}) {
  const log: string[] = [];
  let end = (_passed: Passed) => {};
  const kept = new Promise<Passed>((resolve) => {
    end = resolve;
  });
  let taken = 0;
  const left = [...pieces];
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = left.shift();
      if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece));
      else if (breaks) controller.error(new Error("broken"));
      else controller.close();
    },
  });
  const recording = recordStream(source, {
    maxBytes,
    memory: {
      async take(bytes) {
        taken += bytes;
        return taken <= room;
      },
      end: () => void log.push("memory given back"),
    },
    async onEnd(passed) {
      await Promise.resolve();
      log.push("stored");
      end(passed);
    },
  });
  return { ...recording, log, kept };
}

test("it is given back when the answer is stored, not before", async () => {
  const { stream, log, kept, ended } = record(["a", "b"]);
  expect(await new Response(stream).text()).toBe("ab");
  await ended;
  expect(await kept).toEqual({ text: "ab" });
  expect(log).toEqual(["stored", "memory given back"]);
});

test.each([
  ["too_large", { maxBytes: 1 }],
  ["no_memory", { room: 1 }],
])("it is given back at once when the recording is dropped: %s", async (lost, limits) => {
  const { stream, log, kept } = record(["a", "b", "c"], limits);
  expect(await new Response(stream).text()).toBe("abc");
  expect(await kept).toEqual({ lost });
  expect(log.slice(0, 2)).toEqual(["memory given back", "stored"]);
});

test("an answer that breaks off is recorded as cut off, and its memory given back", async () => {
  const { stream, log, kept, ended } = record(["a"], { breaks: true });
  await expect(new Response(stream).text()).rejects.toThrow("broken");
  await ended;
  expect([await kept, log]).toEqual([{ lost: "cut_off" }, ["stored", "memory given back"]]);
});

test("a reader that leaves ends nothing: the rest is read and the whole answer kept", async () => {
  const { stream, kept, ended } = record(["a", "b", "c"]);
  const reader = stream.getReader();
  await reader.read();
  await reader.cancel();
  await ended;
  expect(await kept).toEqual({ text: "abc" });
});

test("letters that are divided over pieces are kept whole", async () => {
  const bytes = new TextEncoder().encode("é");
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const { promise, resolve } = Promise.withResolvers<Passed>();
  const memory = { take: async () => true, end: () => {} };
  const recording = recordStream(source, { maxBytes: 2, memory, onEnd: async (passed) => resolve(passed) });
  await new Response(recording.stream).text();
  expect(await promise).toEqual({ text: "é" });
});

test("of an answer's headers those that belong to it are kept, and none of its connection or its first request", () => {
  const kept = {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    "x-svc-credits-charged": "0.1",
  };
  const headers = {
    ...kept,
    "x-request-id": "req_1",
    "x-ratelimit-limit": "9",
    date: "now",
    "set-cookie": "a=b",
  };
  expect(recordAnswer(new Response("", { headers }), "text")).toEqual({
    status: 200,
    headers: kept,
    body: "text",
  });
});

test("what drops a recording from outside passes the rest on", async () => {
  const { stream, drop, log, kept } = record(["a", "b", "c"]);
  const reader = stream.getReader();
  await reader.read();
  drop();
  expect(log).toEqual(["memory given back"]);
  while (!(await reader.read()).done);
  expect(await kept).toEqual({ lost: "no_memory" });
});
