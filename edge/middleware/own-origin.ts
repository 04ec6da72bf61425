/**
 * Requests that a cookie speaks for come from this service's own pages, or are refused (403): a browser sends its
 * cookies whoever wrote the page, and names that page's origin in a header no script can set.
 */
import { GatewayError } from "../../shared/errors.ts";
import type { EdgeContext, EdgeMiddleware } from "./context.ts";
import { readEntrance, readOwnOrigin } from "./entrance.ts";

const foreign = (): GatewayError =>
  new GatewayError(
    "permission_denied",
    "Only this service's own pages may do that; from elsewhere, send an API key. Behind a proxy, see that it passes Host on.",
    {},
    "foreign-origin",
  );

/** What a page's own reading carries besides nothing: typed addresses are `none`. */
const ownSites: readonly (string | null)[] = ["same-origin", "none", null];

/** Throws permission_denied. A change needs the page's own origin; reading must not name another. */
export function checkOwnOrigin({ req: { raw }, var: { services } }: EdgeContext): void {
  const origin = raw.headers.get("origin");
  const own = readOwnOrigin(raw, readEntrance(raw, services.config.trustedProxies));
  const reads = raw.method === "GET" || raw.method === "HEAD";
  if (origin === null ? !reads : origin !== own) throw foreign();
  if (!ownSites.includes(raw.headers.get("sec-fetch-site"))) throw foreign();
}

export const ownOrigin: EdgeMiddleware = async (context, next) => {
  checkOwnOrigin(context);
  await next();
};
