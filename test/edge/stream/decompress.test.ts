// A body is decompressed in steps, small ones until so much came out that its reader counts its memory.
import { afterEach, expect, test, vi } from "vitest";
import { type Compression, decompress } from "../../../edge/stream/decompress.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

const kibibyte = 1024;
const zeros = (bytes: number) => new Uint8Array(bytes);

async function fold(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Notes the size of each step that is given to the runtime. */
function watchSteps(): number[] {
  const steps: number[] = [];
  const Inflating = DecompressionStream;
  class Watched {
    readonly readable: ReadableStream;
    readonly writable: object;
    constructor(format: Compression) {
      const { readable, writable } = new Inflating(format);
      const writer = writable.getWriter();
      const write = (bytes: Uint8Array<ArrayBuffer>) => {
        steps.push(bytes.byteLength);
        return writer.write(bytes);
      };
      this.readable = readable;
      this.writable = { getWriter: () => ({ write, close: () => writer.close() }) };
    }
  }
  vi.stubGlobal("DecompressionStream", Watched);
  return steps;
}

const asBody = (bytes: Uint8Array) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });

async function sizeOf(pieces: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const piece of pieces) size += piece.byteLength;
  return size;
}

test("steps are small until enough came out, and large from then on", async () => {
  const noise = crypto.getRandomValues(zeros(40 * kibibyte));
  const packed = await fold(noise);
  const steps = watchSteps();
  expect(await sizeOf(decompress(asBody(packed), "gzip", 8 * kibibyte))).toBe(noise.byteLength);
  const firstLarge = steps.findIndex((step) => step > kibibyte);
  expect(firstLarge).toBeGreaterThanOrEqual(8);
  expect(steps.slice(0, firstLarge)).toEqual(Array<number>(firstLarge).fill(kibibyte));
  expect(steps[firstLarge]).toBe(16 * kibibyte);
  expect(steps.reduce((sum, step) => sum + step, 0)).toBe(packed.byteLength);
});

test("a bomb that is left early has inflated by one small step", async () => {
  const bomb = await fold(zeros(16 * kibibyte * kibibyte));
  const steps = watchSteps();
  for await (const piece of decompress(asBody(bomb), "gzip", 64 * kibibyte)) if (piece.byteLength > 0) break;
  expect(steps).toEqual([kibibyte]);
});

test("a body whose reader leaves early is given up at its source", async () => {
  const bomb = await fold(zeros(64 * kibibyte));
  let cancelled = 0;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bomb),
    cancel: () => {
      cancelled += 1;
    },
  });
  for await (const piece of decompress(body, "gzip")) if (piece.byteLength > 0) break;
  await expect.poll(() => cancelled).toBe(1);
});

test("without such a bound all steps are large", async () => {
  const packed = await fold(crypto.getRandomValues(zeros(20 * kibibyte)));
  const steps = watchSteps();
  expect(await sizeOf(decompress(asBody(packed), "gzip"))).toBe(20 * kibibyte);
  expect(steps[0]).toBe(16 * kibibyte);
});
