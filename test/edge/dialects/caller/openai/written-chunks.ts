/** The chunks of a stream as a caller of OpenAI's API reads them. */
import { createSseParser } from "../../../../../edge/stream/sse.ts";

export const options = {
  id: "chatcmpl-9",
  created: 1_760_000_001,
  model: 'svc-x1ac-base-"gpt"',
  includeUsage: true,
};

export const at = { choice: 0, block: 0 };

export const readFrames = (text: string): string[] =>
  createSseParser()
    .push(new TextEncoder().encode(text))
    .map(({ data }) => data);

type Chunk = {
  choices: { index: number; delta: Record<string, unknown>; finish_reason: string | null }[];
} & Record<string, unknown>;
export const readChunks = (text: string): Chunk[] =>
  readFrames(text)
    .filter((data) => data !== "[DONE]")
    .map((data) => JSON.parse(data));
