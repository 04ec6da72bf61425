/**
 * Asks the aggregator for the usage of an answer that was cut before its usage report: our count of the text that came misses hidden
 * reasoning and pictures. The record appears some time after the call has ended, so it is asked for a few times. Only the
 * settlement waits for it.
 */
import type { Usage } from "../../shared/chat.ts";
import type { Config } from "../env.ts";
import { boundBody, shortReplyBytes } from "../stream/bounded-body.ts";
import { baseUrlOf, providers, withKey } from "./registry.ts";
import type { Route } from "./resolve-route.ts";
import { providerTimeouts } from "./timeouts.ts";

/** A call that was cut: `id` is its answer's, `report` is told what it used. */
export type CutCall = { route: Route; id: string; report: (usage: Usage) => void };

export type AskContext = {
  fetch: typeof fetch;
  sleep: (milliseconds: number) => Promise<void>;
  config: Pick<Config, "baseUrls">;
};

/** Pauses before the attempts. If all three time out it takes 14 s; Workers gives 30 s after a response. */
const waitsMs = [700, 1_500, 3_000] as const;

/** Asks for all calls at once. A call without a record keeps our own count. Never throws. */
export async function askLateUsage(calls: readonly CutCall[], context: AskContext): Promise<void> {
  const asked = calls.map(async (call) => {
    const usage = await askGeneration(call, context);
    if (usage !== undefined) call.report(usage);
  });
  await Promise.all(asked);
}

/** Undefined if the provider keeps no record, or gives no usage. Never throws. */
async function askGeneration(
  { route, id }: CutCall,
  { fetch, sleep, config }: AskContext,
): Promise<Usage | undefined> {
  const { generation } = providers[route.provider].dialect;
  if (generation === undefined) return undefined;
  const baseUrl = baseUrlOf(route.provider, config.baseUrls);
  for (const waitMs of waitsMs) {
    await sleep(waitMs);
    try {
      const signal = AbortSignal.timeout(providerTimeouts.generationMs);
      const init = withKey(route.provider, route.key, { headers: { accept: "application/json" }, signal });
      const response = await fetch(`${baseUrl}${generation.path(id)}`, init);
      const body: unknown = await boundBody(response, shortReplyBytes).json();
      const usage = response.ok ? generation.readReply(body) : undefined;
      if (usage !== undefined) return usage;
    } catch {
      // Out of reach, too slow, or no JSON: asked again, as where there is no record yet.
    }
  }
  return undefined;
}
