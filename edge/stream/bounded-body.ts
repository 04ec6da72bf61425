/** Bodies of hosts that nobody promised to be small: what one says unasked must not fill the isolate's memory. */

/** More than any refusal, count of tokens or price says. */
export const shortReplyBytes = 64 * 1024;

/**
 * The response with a body that fails once it is larger than `mostBytes`, and is then cancelled at its source. One that declares
 * its length is refused by it, or left as it is: the runtime holds it to what it declared.
 * @throws RangeError where it declares more
 */
export function boundBody(response: Response, mostBytes: number): Response {
  const tooLarge = () => new RangeError(`a body of more than ${mostBytes} bytes`);
  const declared = response.headers.get("content-length");
  if (declared !== null && Number(declared) > mostBytes) {
    response.body?.cancel().catch(() => {});
    throw tooLarge();
  }
  if (declared !== null || response.body === null) return response;
  let left = mostBytes;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      left -= bytes.byteLength;
      if (left < 0) controller.error(tooLarge());
      else controller.enqueue(bytes);
    },
  });
  return new Response(response.body.pipeThrough(bounded), response);
}
