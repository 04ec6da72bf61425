/**
 * Refuses (403) requests with a session cookie that do not come from this service's own pages. A browser sends the cookie
 * whichever page made the request, but names that page's origin in a header that no script can set.
 */
import { GatewayError } from "../../shared/errors.ts";
import type { EdgeContext, EdgeMiddleware } from "./context.ts";
import { proxyTrustOf, readOwnOrigin } from "./forwarded.ts";

const foreign = (): GatewayError =>
  new GatewayError(
    "permission_denied",
    "Only this service's own pages may do that; from elsewhere, send an API key. Behind a proxy, see that it passes Host and X-Forwarded-Proto on, and that TRUSTED_PROXIES counts it.",
    {},
    "foreign-origin",
  );

/** Values of `Sec-Fetch-Site` for our own pages and for typed addresses. */
const ownSites: readonly (string | null)[] = ["same-origin", "none", null];

/** Throws permission_denied. A request that changes something must name our own origin; one that reads must not name another. */
export function checkOwnOrigin(context: EdgeContext): void {
  const { raw } = context.req;
  const origin = raw.headers.get("origin");
  const own = readOwnOrigin(raw, proxyTrustOf(context));
  const reads = raw.method === "GET" || raw.method === "HEAD";
  if (origin === null ? !reads : origin !== own) throw foreign();
  if (!ownSites.includes(raw.headers.get("sec-fetch-site"))) throw foreign();
}

export const ownOrigin: EdgeMiddleware = async (context, next) => {
  checkOwnOrigin(context);
  await next();
};
