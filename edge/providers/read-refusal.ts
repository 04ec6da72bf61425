/** A refusing reply of a provider, read in its dialect. What a caller is told of it is refusal.ts. */
import { providers } from "./registry.ts";
import type { Route } from "./route.ts";

/** What a refusing reply says, as far as it can be read. */
export async function readRefusal(response: Response, route: Route) {
  const { dialect } = providers[route.provider];
  const text = await response.text().catch(() => "");
  let body: unknown;
  try {
    body = JSON.parse(text.slice(0, 65_536));
  } catch {
    // An HTML page of a proxy, or nothing.
  }
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    message: dialect.readErrorMessage(body),
    details: dialect.readErrorDetails?.(body),
    failedHost: dialect.readFailedHost?.(body),
    flagged: dialect.readsAsFlagged?.(body) ?? false,
  };
}
