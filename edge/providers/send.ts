/**
 * Posts a request to its provider. On a caller's own key it is sent once more where the provider says that it has not taken it;
 * on the pool the second try is failover.ts's, which may go to another host.
 */
import type { EncodedRequest } from "../dialects/provider/dialect.ts";
import { readRetryAfter } from "./refusal.ts";
import { providers } from "./registry.ts";
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
export const secondTry = { pauseMs: 250, longestRetryAfterSeconds: 2 } as const;

export async function send(
  encoded: EncodedRequest,
  route: Route,
  context: SendContext,
  signal: AbortSignal,
): Promise<Response> {
  const { authHeaders } = providers[route.provider];
  const init: RequestInit = {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      ...encoded.headers,
      ...(route.key !== undefined && authHeaders(route.key)),
    },
    body: JSON.stringify(encoded.body),
    // A redirect would carry the key to another host.
    redirect: "manual",
    signal,
  };
  const url = `${context.baseUrl}${encoded.path}`;
  const first = await context.fetch(url, init);
  if (!notAccepted.has(first.status) || route.keySource === "pool") return first;
  const afterSeconds = readRetryAfter(first.headers.get("retry-after"), context.now()) ?? 0;
  if (afterSeconds > secondTry.longestRetryAfterSeconds) return first;
  await first.body?.cancel();
  await context.sleep(Math.max(secondTry.pauseMs, afterSeconds * 1000));
  signal.throwIfAborted();
  return context.fetch(url, init);
}
