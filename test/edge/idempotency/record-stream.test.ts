// When the memory of a recorded answer is given back.
import { expect, test } from "vitest";
import { type Passed, recordStream } from "../../../edge/idempotency/recorded-answer.ts";

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

test("what drops a recording from outside passes the rest on", async () => {
  const { stream, drop, log, kept } = record(["a", "b", "c"]);
  const reader = stream.getReader();
  await reader.read();
  drop();
  expect(log).toEqual(["memory given back"]);
  while (!(await reader.read()).done);
  expect(await kept).toEqual({ lost: "no_memory" });
});
