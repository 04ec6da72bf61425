/**
 * Asks the aggregator for the usage of an answer that was cut before its usage report: our count of the text that came misses hidden
 * reasoning and pictures. The record appears some time after the call has ended, so it is asked for a few times. Only the
 * settlement waits for it.
 */
import type { Usage } from "../../../shared/chat.ts";
import type { InFlight } from "../../admission/in-flight.ts";
import { readObject } from "../../dialects/json.ts";
import type { Config } from "../../env.ts";
import { baseUrlOf, providers, type Route, withKey } from "../../providers/registry.ts";
import { providerTimeouts } from "../../providers/timeouts.ts";
import { boundBody, shortReplyBytes } from "../../stream/bounded-body.ts";

/** A call that was cut: `id` is its answer's, `report` is told what it used. */
export type CutCall = { route: Route; id: string; report: (usage: Usage) => void };

export type AskContext = {
  fetch: typeof fetch;
  sleep: (milliseconds: number) => Promise<void>;
  config: Pick<Config, "baseUrls">;
  inFlight: InFlight;
  /** Unix milliseconds. */
  now: () => number;
};

/**
 * Pauses before the attempts. Some hosts write on after a cut, and have a record only then: where nobody waits for the charge it is asked
 * for longer. Workers gives 30 s after a response; if all attempts time out, the sweep ends the request instead.
 */
const pausesMs = {
  brief: [700, 1_500, 3_000],
  long: [700, 1_500, 3_000, 6_000, 10_000],
} as const;
/** Requests of one account that are asked for so long at once, each of which keeps .1 MiB. Further ones are asked for briefly. */
const maxPatient = 64;

/**
 * Asks for all calls at once. A call without a record keeps our own count. `leftBy`: the account whose request it was, if nobody waits.
 * Never throws.
 */
export async function askLateUsage(
  calls: readonly CutCall[],
  leftBy: string | undefined,
  context: AskContext,
): Promise<void> {
  const { inFlight, now } = context;
  const taken =
    leftBy === undefined ? undefined : inFlight.take([{ name: `left ${leftBy}`, limit: maxPatient }], now());
  const lease = taken !== undefined && "lease" in taken ? taken.lease : undefined;
  const pauses = pausesMs[lease === undefined ? "brief" : "long"];
  const asked = calls.map(async (call) => {
    const usage = await askGeneration(call, pauses, context);
    if (usage !== undefined) call.report(usage);
  });
  await Promise.all(asked);
  lease?.end();
}

/** The aggregator explains why it has no record; a server that keeps none has no such path. */
const keepsNone = ({ status }: Response, body: unknown): boolean =>
  status === 404 && readObject(readObject(body)?.error) === undefined;

/** Undefined if the provider keeps no record, or gives no usage. Never throws. */
async function askGeneration(
  { route, id }: CutCall,
  pauses: readonly number[],
  { fetch, sleep, config }: AskContext,
): Promise<Usage | undefined> {
  const { generation } = providers[route.provider].dialect;
  if (generation === undefined) return undefined;
  const baseUrl = baseUrlOf(route.provider, config.baseUrls);
  for (const pauseMs of pauses) {
    await sleep(pauseMs);
    try {
      const signal = AbortSignal.timeout(providerTimeouts.generationMs);
      const init = withKey(route.provider, route.key, { headers: { accept: "application/json" }, signal });
      const response = await fetch(`${baseUrl}${generation.path(id)}`, init);
      const body: unknown = await boundBody(response, shortReplyBytes)
        .json()
        .catch(() => undefined);
      if (keepsNone(response, body)) return undefined;
      const usage = response.ok ? generation.readReply(body) : undefined;
      if (usage !== undefined) return usage;
    } catch {}
  }
  return undefined;
}
