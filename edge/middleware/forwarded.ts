/**
 * How a request reached us: the network it came from, our own origin as its client sees it, and whether its keys travelled encrypted.
 * Forwarded headers are read only as far as they can be trusted: from Cloudflare, or from as many proxies as the operator has
 * declared (TRUSTED_PROXIES). Without either, `npm start` binds the loopback address and nobody else can connect.
 */
import { GatewayError } from "../../shared/errors.ts";
import { isLoopback } from "../env.ts";
import type { EdgeContext, EdgeMiddleware } from "./context.ts";

/** `trustedProxies`: TRUSTED_PROXIES. */
export type ProxyTrust = { onCloudflare: boolean; trustedProxies: number };

/** The entry that the outermost of our proxies appended. Each proxy appends one on the right; entries further left may be forged. */
function entryFromRight(header: string | null, position: number): string | undefined {
  const entries = header?.split(",").map((entry) => entry.trim()) ?? [];
  return entries.at(-Math.min(position, entries.length)) || undefined;
}

/** Cloudflare names the data centre a request came in at; a bare workerd has an empty object, and no header sets it. */
export function isOnCloudflare(request: Request): boolean {
  const { cf } = request as { cf?: { colo?: unknown } };
  return typeof cf?.colo === "string";
}

/** How far the forwarded headers of this request can be trusted. */
export const proxyTrustOf = ({ req, var: { services } }: EdgeContext): ProxyTrust => ({
  onCloudflare: isOnCloudflare(req.raw),
  trustedProxies: services.config.trustedProxies,
});

/** The origin of this service's own pages, as the reader's browser writes it. */
export function readOwnOrigin({ headers, url }: Request, proxyTrust: ProxyTrust): string {
  const { protocol, host } = new URL(url);
  const behindProxies = !proxyTrust.onCloudflare && proxyTrust.trustedProxies > 0;
  const scheme = behindProxies
    ? entryFromRight(headers.get("x-forwarded-proto"), proxyTrust.trustedProxies)?.toLowerCase()
    : undefined;
  return `${scheme === undefined ? protocol : `${scheme}:`}//${host}`;
}

/**
 * The network a request came from, for limits: an IPv4 address, the first half of an IPv6 one (a household has all of
 * the other half), `local` for this machine.
 */
export function readClientNetwork(
  { headers }: Request,
  { onCloudflare, trustedProxies }: ProxyTrust,
): string {
  const address = onCloudflare
    ? headers.get("cf-connecting-ip")
    : trustedProxies > 0 && entryFromRight(headers.get("x-forwarded-for"), trustedProxies);
  if (!address) return "local";
  // Some proxies append the port, which is another for each connection.
  const plain = address.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
  return plain.includes(":") ? firstHalf(plain) : plain;
}

/** The first half of an IPv6 address in any spelling; the whole IPv4 address of one that carries such an address. */
function firstHalf(address: string): string {
  const carried = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (carried !== undefined) return carried;
  const [head = "", tail] = address.toLowerCase().replace(/[[\]]/g, "").split("::");
  const groups = head === "" ? [] : head.split(":");
  const after = tail ? tail.split(":") : [];
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length - after.length)).fill("0");
  return [...groups, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}

const loopback = /^(::1|::ffff:127\.|127\.)/;

/** True when the request came over plain http from a client that is not this machine. */
export function isPlainHttp(headers: Headers, url: string, proxyTrust: ProxyTrust): boolean {
  const { onCloudflare, trustedProxies } = proxyTrust;
  const isHttps = new URL(url).protocol === "https:";
  // `wrangler dev` runs on this machine but looks like Cloudflare; its host name is one that no zone can have.
  if (onCloudflare) return !isHttps && !isLoopback(new URL(url));
  const forwardedFor = headers.get("x-forwarded-for");
  const forwardedProto = headers.get("x-forwarded-proto");
  if (forwardedFor === null && forwardedProto === null) return false;
  // An undeclared proxy forwarded the request, so its headers may be forged.
  if (trustedProxies === 0) return true;
  const hops = forwardedFor?.split(",").length ?? 0;
  const client = hops >= trustedProxies ? entryFromRight(forwardedFor, trustedProxies) : undefined;
  const scheme = entryFromRight(forwardedProto, trustedProxies)?.toLowerCase();
  return scheme !== "https" && !loopback.test(client ?? "");
}

/** Keys travel in headers, so plain http from another machine is refused (403). */
export const requireHttps: EdgeMiddleware = async (context, next) => {
  const proxyTrust = proxyTrustOf(context);
  if (isPlainHttp(context.req.raw.headers, context.req.url, proxyTrust)) {
    throw new GatewayError(
      "https_required",
      proxyTrust.trustedProxies === 0 && !proxyTrust.onCloudflare
        ? "This came through a proxy that is not trusted yet: ask the operator to set TRUSTED_PROXIES to how many there are, so that https is recognised."
        : "Use https:// - plain http would expose your API key.",
    );
  }
  await next();
};
