/** Bounds the bodies that other hosts send, so that none of them fills the isolate's memory. */

/** Enough for any refusal, token count or price. */
export const shortReplyBytes = 64 * 1024;

/**
 * The response with a body that fails, and is cancelled at its source, once it is larger than `maxBytes`. A declared length is
 * checked here and enforced by the runtime, so such a body is not counted again; except a compressed one, whose declared length is
 * that before decompression.
 * @throws RangeError where it declares more
 */
export function boundBody(response: Response, maxBytes: number): Response {
  const tooLarge = () => new RangeError(`a body of more than ${maxBytes} bytes`);
  const declared = readLength(response.headers);
  if (declared !== undefined && declared > maxBytes) {
    response.body?.cancel().catch(() => {});
    throw tooLarge();
  }
  const isExact = declared !== undefined && !response.headers.has("content-encoding");
  if (isExact || response.body === null) return response;
  let left = maxBytes;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      left -= bytes.byteLength;
      if (left < 0) controller.error(tooLarge());
      else controller.enqueue(bytes);
    },
  });
  return new Response(response.body.pipeThrough(bounded), response);
}

/**
 * Bytes of a message's body as it is sent, if the runtime holds it to them; else undefined. A body in chunks ends with its last chunk:
 * workerd reads it so, whatever length stands beside (RFC 9112 6.3), and shows that length all the same. Taken for the body's, it let
 * any number of bytes in.
 */
export function readLength(headers: Headers): number | undefined {
  const length = headers.get("content-length");
  return length === null || headers.has("transfer-encoding") ? undefined : Number(length);
}
