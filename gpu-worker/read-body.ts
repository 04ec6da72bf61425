/** Reads a request's body up to a bound, and stops at the bound: nothing larger is ever held. */
import type { IncomingMessage } from "node:http";
import { Refusal } from "./refusal.ts";

/** The body's bytes. Rejects with Refusal `request_too_large`, or `client_left` when it ends early. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) {
    return Promise.reject(new Refusal("request_too_large"));
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) return chunks.push(chunk);
      chunks.length = 0;
      return reject(new Refusal("request_too_large"));
    });
    request.on("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    // Also the end of every good request, where an Error made for nobody would cost more than the body did.
    request.on("close", () => {
      if (!request.complete) reject(new Refusal("client_left"));
    });
    request.on("error", () => reject(new Refusal("client_left")));
  });
}
