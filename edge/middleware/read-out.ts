/**
 * Reads what a refused request still sends. A server that answers and closes while its client is writing
 * resets the connection, and the client sees that instead of the answer that says what was wrong.
 */
import type { EdgeMiddleware } from "./context.ts";

/** Three times the largest body that is accepted: who sends more loses the answer, not our time. */
export const mostReadOutBytes = 32 * 1024 * 1024;

export const readOut: EdgeMiddleware = async (context, next) => {
  await next();
  const { body, bodyUsed } = context.req.raw;
  if (body === null || bodyUsed || body.locked) return;
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > mostReadOutBytes) return;
    }
  } catch {
    // The client left: nobody is waiting for the answer.
  }
};
