/** What a request still sends when it is refused before its body is read. */
import { createByteReader } from "../stream/sse.ts";
import type { EdgeMiddleware } from "./context.ts";

/** Three times the largest body that is accepted. Of a client that sends more the connection is closed: it may miss the answer. */
export const mostReadOutBytes = 32 * 1024 * 1024;

/**
 * Reads what a refused request still sends. A server that answers and closes while its client is writing resets the
 * connection, and the client sees that instead of the answer that says what was wrong. For a while only: anybody, without a key,
 * could else keep requests open by a byte now and then, at 100 KB of memory each.
 */
export const readOut: EdgeMiddleware = async (context, next) => {
  await next();
  const { body, bodyUsed } = context.req.raw;
  if (body === null || bodyUsed || body.locked) return;
  const reader = createByteReader(body);
  const timer = setTimeout(reader.cancel, context.var.services.pace.readOutMs);
  try {
    for (let size = 0; size <= mostReadOutBytes; ) {
      const piece = await reader.read();
      if (piece === undefined) return;
      size += piece.byteLength;
    }
  } catch {
    // The client left: nobody is waiting for the answer.
  } finally {
    clearTimeout(timer);
    reader.cancel();
  }
};
