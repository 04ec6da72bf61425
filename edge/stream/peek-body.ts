/** Tells an event stream from another body by its first character, for servers and proxies that label one text/plain, JSON or not at all. */

/** Fields of an event (`data`, `event`, `id`, `retry`) and comments begin so; JSON and HTML do not. */
const eventStart = /^[\s\uFEFF]*[deir:]/;

/** `body` holds the same bytes, none of them read. Rejects if the first of them cannot be read. */
export async function peekBody(
  body: ReadableStream<Uint8Array>,
): Promise<{ isEventStream: boolean; body: ReadableStream<Uint8Array> }> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const read: Uint8Array[] = [];
  let text = "";
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    read.push(next.value);
    text += decoder.decode(next.value, { stream: true });
    // White space decides nothing yet; more of it than this is no answer.
    if (text.trim() !== "" || text.length > 4_096) break;
  }
  const rest = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const value = read.shift() ?? (await reader.read()).value;
      if (value === undefined) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { isEventStream: eventStart.test(text), body: rest };
}
