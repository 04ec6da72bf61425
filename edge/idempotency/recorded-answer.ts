/**
 * An answer as it is kept for a retry: status, the headers that belong to it, and its body, compressed. For a charged request
 * whose answer cannot be kept, the reason is kept instead.
 */
import { z } from "zod";

const Recorded = z.union([
  z.object({
    status: z.number(),
    headers: z.record(z.string(), z.string()),
    /** Text: every answer of this service is. */
    body: z.string(),
  }),
  z.object({ lost: z.enum(["too_large", "cut_off", "account_full"]) }),
]);
/** What a retry gets. */
export type Recorded = z.infer<typeof Recorded>;

/** Headers that are part of the answer; the others are of the connection or of the one request. */
const keptHeader = /^(content-type|cache-control|x-accel-buffering|x-svc-.+)$/;

/** Largest answer kept, bytes of body before compression: a long stream of a model's longest output. */
export const maxAnswerBytes = 4 * 1024 * 1024;

export function recordAnswer(response: Response, body: string): Recorded {
  const headers: Record<string, string> = {};
  response.headers.forEach((text, name) => {
    if (keptHeader.test(name)) headers[name] = text;
  });
  return { status: response.status, headers, body };
}

export async function encodeRecorded(recorded: Recorded): Promise<Uint8Array> {
  return pass(new Blob([JSON.stringify(recorded)]).stream(), new CompressionStream("gzip"));
}

/** @throws Error for bytes that `encodeRecorded` did not write */
export async function decodeRecorded(bytes: Uint8Array): Promise<Recorded> {
  const blob = new Blob([bytes as Uint8Array<ArrayBuffer>]);
  const json = await pass(blob.stream(), new DecompressionStream("gzip"));
  return Recorded.parse(JSON.parse(new TextDecoder().decode(json)));
}

async function pass(source: ReadableStream, through: CompressionStream | DecompressionStream) {
  return new Uint8Array(await new Response(source.pipeThrough(through)).arrayBuffer());
}
