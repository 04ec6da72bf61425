/**
 * How a request came in, by whom it is believed: Cloudflare says so itself, else as many proxies as the operator has
 * declared do. What a client writes is believed of nobody. Pure.
 */

/** `trustedProxies`: TRUSTED_PROXIES. */
export type Entrance = { onCloudflare: boolean; trustedProxies: number };

/** The entry that the outermost of our proxies wrote: each adds one on the right, whatever the client began with. */
export function entryFromRight(header: string | null, place: number): string | undefined {
  const entries = header?.split(",").map((entry) => entry.trim()) ?? [];
  return entries.at(-Math.min(place, entries.length)) || undefined;
}

/** Cloudflare names the data centre a request came in at; a bare workerd has an empty object, and no header sets it. */
export function isOnCloudflare(request: Request): boolean {
  const { cf } = request as { cf?: { colo?: unknown } };
  return typeof cf?.colo === "string";
}

export const readEntrance = (request: Request, trustedProxies: number): Entrance => ({
  onCloudflare: isOnCloudflare(request),
  trustedProxies,
});

/** The origin that a page of this service has in its reader's browser. */
export function readOwnOrigin({ headers, url }: Request, entrance: Entrance): string {
  const { protocol, host } = new URL(url);
  const behindProxies = !entrance.onCloudflare && entrance.trustedProxies > 0;
  const scheme = behindProxies
    ? entryFromRight(headers.get("x-forwarded-proto"), entrance.trustedProxies)?.toLowerCase()
    : undefined;
  return `${scheme === undefined ? protocol : `${scheme}:`}//${host}`;
}

/**
 * The network a request came from, for limits: an IPv4 address, the first half of an IPv6 one (a household has all of
 * the other half), `local` for this machine.
 */
export function readNetwork({ headers }: Request, { onCloudflare, trustedProxies }: Entrance): string {
  const address = onCloudflare
    ? headers.get("cf-connecting-ip")
    : trustedProxies > 0 && entryFromRight(headers.get("x-forwarded-for"), trustedProxies);
  if (!address) return "local";
  return address.includes(":") ? firstHalf(address) : address;
}

/** Of an IPv6 address in any spelling; one that carries an IPv4 address stands for that. */
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
