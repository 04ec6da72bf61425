/** A provider that has answered 2xx and writes only when told. */
import { eventStream, type Sent } from "./app.ts";

export function openStream() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, {
    highWaterMark: 16,
  });
  const writer = writable.getWriter();
  const answer = ({ signal }: Sent) => {
    signal?.addEventListener("abort", () => void writer.abort(new Error("aborted")).catch(() => {}));
    return eventStream(readable);
  };
  const write = (content: string) =>
    writer.write(
      new TextEncoder().encode(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`,
      ),
    );
  /** Writes the rest of the answer and closes it. */
  const end = async (rest: Response) => {
    await writer.write(new Uint8Array(await rest.arrayBuffer()));
    await writer.close();
  };
  /** Resolves when the call is cut: its fetch aborted, or its body cancelled. */
  const cut = () => writer.closed.catch(() => {});
  return { answer, write, end, cut };
}
