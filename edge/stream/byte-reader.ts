/**
 * Reads a body in pieces as large as they come. workerd gives 4 KiB at most to a reader without a buffer of its
 * own, and each read costs as much as translating a dozen chunks; so a buffer grows while reads fill it and is
 * given up when they no longer do: a stream that is silent or slow holds 4 KiB.
 */

export type ByteReader = {
  /** The next bytes, undefined at the end. They are good until the next call: their buffer is used again. */
  read(): Promise<Uint8Array | undefined>;
  /** Never rejects. */
  cancel(): void;
};

const smallestBytes = 4 * 1024;
const largestBytes = 64 * 1024;

/** Size of the next buffer after a read of so many bytes into one of this size. */
export function chooseBufferBytes(size: number, readBytes: number): number {
  if (readBytes === size) return Math.min(size * 4, largestBytes);
  return readBytes * 4 < size ? smallestBytes : size;
}

/** `body` is locked from now on. */
export function createByteReader(body: ReadableStream<Uint8Array>): ByteReader {
  const reader = takeOwnBuffers(body);
  if (reader === undefined) return createPlainReader(body);
  let buffer = new ArrayBuffer(smallestBytes);
  return {
    async read() {
      const size = buffer.byteLength;
      const { done, value } = await reader.read(new Uint8Array(buffer));
      if (done) return undefined;
      const next = chooseBufferBytes(size, value.byteLength);
      // Reading took the buffer away; what comes back is the same memory.
      buffer = next === size ? (value.buffer as ArrayBuffer) : new ArrayBuffer(next);
      return value;
    },
    cancel: () => void reader.cancel().catch(() => {}),
  };
}

/** Undefined for a stream that was made by JavaScript from whole pieces; a fetched body is none. */
function takeOwnBuffers(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
}

function createPlainReader(body: ReadableStream<Uint8Array>): ByteReader {
  const reader = body.getReader();
  return {
    read: async () => (await reader.read()).value,
    cancel: () => void reader.cancel().catch(() => {}),
  };
}
