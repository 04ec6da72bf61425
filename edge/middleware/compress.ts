/** Compression of long texts that are the same for everybody: pages, scripts, lists. `npm start` has no proxy that would do it. */
import type { EdgeContext } from "./context.ts";

const takesGzip = (accepted = "") => /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accepted);

/**
 * Marks the answer as gzip, if its client takes it: with this header the runtime compresses the body itself (Workers docs, "Response",
 * `encodeBody`). To be called before the answer is made. @returns whether it will be compressed
 */
export function compress(context: EdgeContext): boolean {
  context.header("vary", "accept-encoding", { append: true });
  const isTaken = takesGzip(context.req.header("accept-encoding"));
  if (isTaken) context.header("content-encoding", "gzip");
  return isTaken;
}
