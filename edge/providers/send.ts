/**
 * Posts a request to its provider. On a caller's own key it is sent once more where the provider says that it has not taken it;
 * on the pool the second try is failover.ts's, which may go to another host.
 */
import type { EncodedRequest } from "../dialects/provider/dialect.ts";
import { readRetryAfter } from "./refusal.ts";
import { withKey } from "./registry.ts";
import type { Route } from "./route.ts";

export type SendContext = {
  fetch: typeof fetch;
  now: () => number;
  sleep: (milliseconds: number) => Promise<void>;
  baseUrl: string;
};

/** Statuses by which a provider says that it has not taken the request, so a second try bills nothing twice. */
const notAccepted: ReadonlySet<number> = new Set([503, 529]);
/** Pause before a second try, and the longest Retry-After that is waited for: a longer wait is left to the caller. */
const leastPauseMs = 250;
const longestPauseMs = 2_000;

/** Milliseconds to wait before a second try, undefined where there is to be none. `retryAfter`: the refusal's header. */
export function pauseBefore(retryAfter: string | null, now: number): number | undefined {
  const askedMs = (readRetryAfter(retryAfter, now) ?? 0) * 1_000;
  return askedMs > longestPauseMs ? undefined : Math.max(leastPauseMs, askedMs);
}

export async function send(
  encoded: EncodedRequest,
  route: Route,
  context: SendContext,
  signal: AbortSignal,
): Promise<Response> {
  const init = withKey(route.provider, route.key, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      ...encoded.headers,
    },
    body: JSON.stringify(encoded.body),
    signal,
  });
  const url = `${context.baseUrl}${encoded.path}`;
  const first = await context.fetch(url, init);
  if (!notAccepted.has(first.status) || route.keySource === "pool") return first;
  const pauseMs = pauseBefore(first.headers.get("retry-after"), context.now());
  if (pauseMs === undefined) return first;
  await first.body?.cancel();
  await context.sleep(pauseMs);
  signal.throwIfAborted();
  return context.fetch(url, init);
}
