/**
 * Keys travel in headers, so plain http from another machine is refused (403). What a client writes itself is
 * believed of nobody: Cloudflare says how a request came, else as many proxies as the operator has declared do,
 * and without any the only way in is the loopback address that `npm start` binds.
 */
import { GatewayError } from "../../shared/errors.ts";
import { isLoopback } from "../env.ts";
import type { EdgeMiddleware } from "./context.ts";

const loopback = /^(::1|::ffff:127\.|127\.)/;

/** `trustedProxies`: TRUSTED_PROXIES. */
export type Entrance = { onCloudflare: boolean; trustedProxies: number };

/** The entry that the outermost of our proxies wrote: each adds one on the right, whatever the client began with. */
function entryFromRight(header: string | null, place: number): string | undefined {
  const entries = header?.split(",").map((entry) => entry.trim()) ?? [];
  return entries.at(-Math.min(place, entries.length)) || undefined;
}

/** True when the request came over plain http from a client that is not this machine. */
export function cameInTheClear(headers: Headers, url: string, entrance: Entrance): boolean {
  const { onCloudflare, trustedProxies } = entrance;
  const isHttps = new URL(url).protocol === "https:";
  // `wrangler dev` runs as Cloudflare does, on this machine; there no zone has such a name.
  if (onCloudflare) return !isHttps && !isLoopback(new URL(url));
  const forwardedFor = headers.get("x-forwarded-for");
  const forwardedProto = headers.get("x-forwarded-proto");
  if (forwardedFor === null && forwardedProto === null) return false;
  // Somebody stands between, and the operator has not said that it may be believed.
  if (trustedProxies === 0) return true;
  const hops = forwardedFor?.split(",").length ?? 0;
  const client = hops >= trustedProxies ? entryFromRight(forwardedFor, trustedProxies) : undefined;
  const scheme = entryFromRight(forwardedProto, trustedProxies)?.toLowerCase();
  return scheme !== "https" && !loopback.test(client ?? "");
}

/** Cloudflare names the data centre a request came in at; a bare workerd has an empty object, and no header sets it. */
export function isOnCloudflare(request: Request): boolean {
  const { cf } = request as { cf?: { colo?: unknown } };
  return typeof cf?.colo === "string";
}

export const requireHttps: EdgeMiddleware = async (context, next) => {
  const { trustedProxies } = context.var.services.config;
  const onCloudflare = isOnCloudflare(context.req.raw);
  if (cameInTheClear(context.req.raw.headers, context.req.url, { onCloudflare, trustedProxies })) {
    throw new GatewayError(
      "https_required",
      trustedProxies === 0 && !onCloudflare
        ? "This came through a proxy that is not trusted yet: ask the operator to set TRUSTED_PROXIES to how many there are, so that https is recognised."
        : "Use https:// - plain http would expose your API key.",
    );
  }
  await next();
};
