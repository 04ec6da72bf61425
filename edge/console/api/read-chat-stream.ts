/** Reads a chat stream and calls `onChunk` for each chunk as it arrives, before the next is read. What is no chunk is left out. */
import { createParser } from "eventsource-parser";
import { Chunk } from "./chat-wire.ts";
import { readError } from "./read-error.ts";

export type StreamEnd = { how: "done" } | { how: "error"; message: string } | { how: "cut" };

const doneMark = "[DONE]";

/** @throws when the connection breaks or is aborted */
export async function readChatStream(
  body: ReadableStream<Uint8Array>,
  onChunk: (chunk: Chunk) => void,
): Promise<StreamEnd> {
  let end: StreamEnd = { how: "cut" };
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === doneMark) {
        end = { how: "done" };
        return;
      }
      const value = parseJson(data);
      if (typeof value === "object" && value !== null && "error" in value) {
        end = { how: "error", message: readError(200, value) };
        return;
      }
      const chunk = Chunk.safeParse(value);
      if (chunk.success) onChunk(chunk.data);
    },
  });
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (let next = await reader.read(); !next.done; next = await reader.read())
    parser.feed(decoder.decode(next.value, { stream: true }));
  return end;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
