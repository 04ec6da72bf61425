/**
 * The path a request means: clients join a base URL and a path of their own, so a slash too many and a doubled
 * version are the same path, and simply served. Pure.
 */
import { getPath } from "hono/utils/url";

export const versionPrefix = "/v1";
const doubledVersion = /^\/v1(?:\/v1)+(?=\/|$)/;

/** For Hono's router, which sees only the result. Linear in the path's length. */
export function readPath(request: Request): string {
  const path = getPath(request)
    .replace(/\/{2,}/g, "/")
    .replace(doubledVersion, versionPrefix);
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
