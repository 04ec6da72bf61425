import { describe, expect, test } from "vitest";
import { chooseBufferBytes, createByteReader } from "../../../edge/stream/byte-reader.ts";

const kib = 1024;

async function readAll(body: ReadableStream<Uint8Array>): Promise<{ bytes: number[]; sizes: number[] }> {
  const reader = createByteReader(body);
  const bytes: number[] = [];
  const sizes: number[] = [];
  for (let piece = await reader.read(); piece !== undefined; piece = await reader.read()) {
    // Copied at once: the buffer is used again.
    bytes.push(...piece);
    sizes.push(piece.byteLength);
  }
  return { bytes, sizes };
}

const count = (length: number) => Uint8Array.from({ length }, (_, index) => index * 7);

describe("bytes of a body", () => {
  test("come whole and in order, in pieces that grow while they are full", async () => {
    const { bytes, sizes } = await readAll(new Response(count(150_000)).body!);
    expect(bytes).toEqual([...count(150_000)]);
    expect(sizes.slice(0, 3)).toEqual([4 * kib, 16 * kib, 64 * kib]);
    expect(Math.max(...sizes)).toBe(64 * kib);
  });

  test.each([0, 1, 4 * kib, 4 * kib + 1])("%i bytes are %i bytes", async (length) => {
    const { bytes } = await readAll(new Response(count(length)).body!);
    expect(bytes).toEqual([...count(length)]);
  });

  test("are given as they come, however small the piece", async () => {
    const { readable, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    const reader = createByteReader(readable);
    for (const word of ["one", "two", ""]) {
      if (word === "") void writer.close();
      else void writer.write(new TextEncoder().encode(word));
      const piece = await reader.read();
      expect(piece === undefined ? "" : new TextDecoder().decode(piece)).toBe(word);
    }
  });

  test("come from a stream of whole pieces too, which takes no buffer", async () => {
    const pieces = [count(10), count(100_000), count(3)];
    const { bytes, sizes } = await readAll(
      new ReadableStream<Uint8Array>({
        pull(controller) {
          const piece = pieces.shift();
          if (piece === undefined) controller.close();
          else controller.enqueue(piece);
        },
      }),
    );
    expect(sizes).toEqual([10, 100_000, 3]);
    expect(bytes).toHaveLength(100_013);
  });

  test("break off with the error of the source", async () => {
    const { readable, writable } = new IdentityTransformStream();
    void writable.abort(new Error("cut")).catch(() => {});
    await expect(readAll(readable)).rejects.toThrow("cut");
  });
});

test("cancelling tells the source, also while a read is waiting", async () => {
  const { readable, writable } = new IdentityTransformStream();
  const reader = createByteReader(readable);
  const waiting = reader.read().catch(() => undefined);
  reader.cancel();
  await expect(writable.getWriter().write(new Uint8Array(1))).rejects.toThrow();
  expect(await waiting).toBeUndefined();
});

test.each([
  [4, 4, 16],
  [16, 16, 64],
  [64, 64, 64],
  [64, 63, 64],
  [64, 16, 64],
  [64, 15, 4],
  [16, 3, 4],
  [4, 0.01, 4],
])("a buffer of %i KiB after a read of %f KiB: %i KiB", (size, read, next) => {
  expect(chooseBufferBytes(size * kib, Math.floor(read * kib))).toBe(next * kib);
});

/** A body without an end, whose next piece is always there already. */
const endless = {
  "bytes that are read into the reader's own buffer": (size: number) =>
    new ReadableStream({
      type: "bytes",
      pull: (controller) => controller.enqueue(new Uint8Array(size)),
    }),
  "whole pieces": (size: number) =>
    new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new Uint8Array(size)) }),
};

/** Reads `body` until `isOver`, which is told how often it has read; resolves with that number. */
async function readUntil(body: ReadableStream<Uint8Array>, isOver: (reads: number) => boolean) {
  const reader = createByteReader(body);
  let reads = 0;
  for (; !isOver(reads); reads++) await reader.read();
  reader.cancel();
  return reads;
}

describe.each(Object.entries(endless))("readers that always find %s", (_, open) => {
  test.each([
    { readers: 1, size: 100 },
    { readers: 3, size: 64 * kib },
    { readers: 128, size: 100 },
  ])("$readers of $size bytes a read let a timer fire", async ({ readers, size }) => {
    let fired = false;
    setTimeout(() => {
      fired = true;
    });
    let calls = 0;
    // Some hundred are enough where the machine is free. Where it is not, what takes the processor away looks like a pause of the readers.
    const most = 200_000;
    const isOver = () => fired || ++calls > most;
    await Promise.all(Array.from({ length: readers }, () => readUntil(open(size), isOver)));
    expect(calls).toBeLessThan(most);
  });

  test.each([
    ["there are pauses between their reads, in which the event loop went on", 5],
    ["the clock is set back between their reads: it cannot say that there was no pause", -5],
  ])("do not wait where %s", async (_where, passed) => {
    let clock = 0;
    const reader = createByteReader(open(64 * kib), () => (clock += passed));
    let fired = false;
    setTimeout(() => {
      fired = true;
    });
    for (let reads = 0; reads < 1_000; reads++) await reader.read();
    reader.cancel();
    expect(fired).toBe(false);
  });

  test("do not make one wait that reads little", async () => {
    const enough = 400;
    let isEnough = false;
    const fast = Array.from({ length: 16 }, () => readUntil(open(64 * kib), () => isEnough));
    await readUntil(open(10), (reads) => (isEnough = reads === enough));
    for (const reads of await Promise.all(fast)) {
      expect(reads).toBeGreaterThan(0);
      expect(reads).toBeLessThan(enough / 4);
    }
  });
});
