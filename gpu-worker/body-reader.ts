/** Reads the body of a request whose signature has been verified: within a bound, and one at a time for each token. */
import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Refusal } from "./refusal.ts";

/** The edge accepts bodies of 10 MiB, and passes embeddings on almost whole. */
const defaultMaxBytes = 12 * 1024 * 1024;

export type BodyReader = {
  /** Rejects with Refusal `request_too_large`, `client_left` when the body ends early, `unauthorized` for a token in use. */
  read(request: IncomingMessage, nonce: string): Promise<Buffer>;
};

/**
 * A nonce is used up only when the whole body has arrived and is valid. Until then no second body is read for it: otherwise
 * whoever has captured one token, such as the operator of another worker, could make this one hold any number of bodies.
 */
export function createBodyReader(maxBytes = defaultMaxBytes): BodyReader {
  const reading = new Set<string>();
  return {
    async read(request, nonce) {
      if (reading.has(nonce)) throw new Refusal("unauthorized", { reason: "replayed" });
      reading.add(nonce);
      try {
        return await readBody(request, maxBytes);
      } finally {
        reading.delete(nonce);
      }
    },
  };
}

/** Never holds more than the bound. */
function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
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
    // Also fires after every good request, where creating an unused Error would cost more than reading the body.
    request.on("close", () => {
      if (!request.complete) reject(new Refusal("client_left"));
    });
    request.on("error", () => reject(new Refusal("client_left")));
  });
}

/** WebCrypto would hand each digest to a thread of its pool and back: 20 us of CPU time instead of 1, and two changes of threads. */
export const hashBody = (body: Uint8Array | string): string => hash("sha256", body, "base64url");
