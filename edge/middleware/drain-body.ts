/** The rest of a request's body when the request is refused before its body is read. */
import { createByteReader } from "../stream/byte-reader.ts";
import type { EdgeMiddleware } from "./context.ts";

/** How much of a refused body is read and discarded. Past it the connection closes, and the client may miss the answer. */
export const maxDiscardedBytes = 32 * 1024 * 1024;

/**
 * Reads and discards the rest of a refused request's body. A server that answers and closes while its client is still writing
 * resets the connection, and the client sees the reset instead of the error. It stops after `discardMs`: otherwise anybody could
 * keep requests open without a key by sending a byte now and then, at 100 KB of memory each.
 */
export const drainBody: EdgeMiddleware = async (context, next) => {
  await next();
  const { body, bodyUsed } = context.req.raw;
  if (body === null || bodyUsed || body.locked) return;
  const reader = createByteReader(body);
  const timer = setTimeout(reader.cancel, context.get("services").requestLimits.discardMs);
  try {
    for (let size = 0; size <= maxDiscardedBytes; ) {
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
