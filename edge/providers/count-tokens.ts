/** One call to a provider's own token counter. No retry: a count is asked for again soon enough. */
import type { ChatRequest } from "../../shared/chat.ts";
import { GatewayError } from "../../shared/errors.ts";
import { fitRequest } from "../dialects/provider/fit-request.ts";
import { boundBody, shortReplyBytes } from "../stream/bounded-body.ts";
import { describeRefusal, readRefusal } from "./refusal.ts";
import { providers, withKey } from "./registry.ts";
import type { Route } from "./resolve-route.ts";
import { providerTimeouts } from "./timeouts.ts";

export type CountContext = {
  fetch: typeof fetch;
  now: () => number;
  baseUrl: string;
  signal: AbortSignal;
};

/** Throws GatewayError when the provider refuses, cannot be reached, or says no number. */
export async function countAtProvider(
  route: Route,
  request: ChatRequest,
  { fetch, now, baseUrl, signal }: CountContext,
): Promise<number> {
  const { dialect, title } = providers[route.provider];
  const failed = new GatewayError(
    "upstream_error",
    `Provider ${title} could not count the tokens; retry with exponential backoff.`,
  );
  if (dialect.count === undefined) throw failed;
  const { request: fitted } = fitRequest(request, route.model, dialect);
  const { path, body, headers } = dialect.count.writeRequest(fitted, { model: route.model });
  let response: Response;
  try {
    const init = withKey(route.provider, route.key, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(providerTimeouts.countMs)]),
    });
    response = await fetch(`${baseUrl}${path}`, init);
  } catch {
    throw failed;
  }
  if (!response.ok) throw describeRefusal(route, await readRefusal(response, route), now());
  let tokens: number | undefined;
  try {
    tokens = dialect.count.readReply(await boundBody(response, shortReplyBytes).json());
  } catch {
    // No JSON, or too much of it.
  }
  if (tokens === undefined) throw failed;
  return tokens;
}
