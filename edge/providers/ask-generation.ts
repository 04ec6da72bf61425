/**
 * Asks the aggregator for the usage of an answer whose caller left before the usage report. The record appears some time after
 * the call has ended, so it is asked a few times. Only the settlement waits for it.
 */
import type { Usage } from "../../shared/chat.ts";
import { boundBody, shortReplyBytes } from "../stream/bounded-body.ts";
import { providers } from "./registry.ts";
import type { Route } from "./route.ts";
import { providerTimeouts } from "./timeouts.ts";

export type AskContext = {
  fetch: typeof fetch;
  sleep: (milliseconds: number) => Promise<void>;
  baseUrl: string;
};

/** Pauses before the attempts. If all three time out it takes 14 s; Workers gives 30 s after a response. */
const waitsMs = [700, 1_500, 3_000] as const;

/** Of the answer with that id; undefined where the provider keeps none, or does not say. Never throws. */
export async function askGeneration(
  route: Route,
  id: string,
  context: AskContext,
): Promise<Usage | undefined> {
  const { dialect, authHeaders } = providers[route.provider];
  const { generation } = dialect;
  if (generation === undefined) return undefined;
  for (const waitMs of waitsMs) {
    await context.sleep(waitMs);
    try {
      const response = await context.fetch(`${context.baseUrl}${generation.path(id)}`, {
        headers: { accept: "application/json", ...(route.key !== undefined && authHeaders(route.key)) },
        // A redirect would carry the key to another host.
        redirect: "manual",
        signal: AbortSignal.timeout(providerTimeouts.generationMs),
      });
      const body: unknown = await boundBody(response, shortReplyBytes).json();
      const usage = response.ok ? generation.readReply(body) : undefined;
      if (usage !== undefined) return usage;
    } catch {}
  }
  return undefined;
}
