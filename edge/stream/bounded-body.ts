/** Bounds the response bodies of other hosts, so that none of them fills the isolate's memory. */

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
  const declared = response.headers.get("content-length");
  if (declared !== null && Number(declared) > maxBytes) {
    response.body?.cancel().catch(() => {});
    throw tooLarge();
  }
  const isExact = declared !== null && !response.headers.has("content-encoding");
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
