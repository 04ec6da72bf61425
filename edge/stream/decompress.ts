/**
 * Decompresses bytes in small steps. The runtime decompresses each chunk whole before any of it can be read, to a thousand
 * times its size at worst. In steps of 16 KiB a decompression bomb takes at most 16 MiB before it is refused.
 */

export type Compression = "gzip" | "deflate" | "deflate-raw";

const stepBytes = 16 * 1024;
/** Deflate makes at most a thousand bytes of one, so a step gives a megabyte at most. */
const smallStepBytes = 1024;

/** One turn of the event loop: reads that have data resolve before it. */
export const tick = (): Promise<undefined> => new Promise((resolve) => setTimeout(resolve, 0));

/**
 * The decompressed bytes, in pieces. Rejects with a TypeError for bytes of another format. Ending the generator early releases the rest.
 * @param carefulBytes steps are small until so many bytes have come out. A request claims memory only for more, so before that many may
 *   be unpacked at once
 */
export async function* decompress(
  body: ReadableStream<Uint8Array>,
  compression: Compression,
  carefulBytes = 0,
): AsyncGenerator<Uint8Array, void, void> {
  const { readable, writable } = new DecompressionStream(compression);
  const source = body.getReader();
  const writer = writable.getWriter();
  const reader = (readable as ReadableStream<Uint8Array>).getReader();
  let pending = reader.read();
  // Handled where it is awaited: without this, a rejection before that would count as unhandled.
  pending.catch(() => {});
  let size = 0;
  try {
    for (let chunk = await source.read(); !chunk.done; chunk = await source.read()) {
      for (let at = 0; at < chunk.value.byteLength; ) {
        const end = at + (size < carefulBytes ? smallStepBytes : stepBytes);
        writer.write(chunk.value.subarray(at, end)).catch(() => {});
        at = end;
        // One timer for each turn of the event loop in which pieces came, not one for each piece.
        for (let hadSome = true; hadSome; ) {
          hadSome = false;
          const over = tick();
          for (let next = await Promise.race([pending, over]); next && !next.done; ) {
            hadSome = true;
            pending = reader.read();
            pending.catch(() => {});
            size += next.value.byteLength;
            yield next.value;
            next = await Promise.race([pending, over]);
          }
        }
      }
    }
    writer.close().catch(() => {});
    for (let next = await pending; !next.done; next = await reader.read()) yield next.value;
  } finally {
    // Not awaited: cancelling a stream that is given up may never resolve.
    source.cancel().catch(() => {});
    reader.cancel().catch(() => {});
  }
}
