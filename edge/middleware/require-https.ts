/**
 * Keys travel in headers, so plain http from another machine is refused (403). Cloudflare says who the
 * client is and how it came; elsewhere a reverse proxy's X-Forwarded-* headers do, and without them the
 * only way in is the loopback address that `npm start` binds.
 */
import { GatewayError } from "../../shared/errors.ts";
import type { EdgeMiddleware } from "./context.ts";

const loopback = /^(::1|::ffff:127\.|127\.)/;

/** True when the request came over plain http from a client that is not this machine. */
export function cameInTheClear(headers: Headers, url: string): boolean {
  const onCloudflare = headers.get("cf-connecting-ip");
  const client = onCloudflare ?? headers.get("x-forwarded-for")?.split(",")[0]?.trim() ?? "127.0.0.1";
  const forwarded =
    onCloudflare === null ? headers.get("x-forwarded-proto")?.split(",")[0]?.trim() : undefined;
  const scheme = forwarded ?? new URL(url).protocol.slice(0, -1);
  return scheme.toLowerCase() !== "https" && !loopback.test(client);
}

export const requireHttps: EdgeMiddleware = async (context, next) => {
  if (cameInTheClear(context.req.raw.headers, context.req.url)) {
    throw new GatewayError("https_required", "Use https:// - plain http would expose your API key.");
  }
  await next();
};
