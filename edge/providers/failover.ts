/**
 * Retries a call on the pool once, if it fails before the answer has any content and has reported no usage: at another host of the
 * same model, if the aggregator says which host failed. Never on a caller's own key. Also decides what counts as content
 * (`isContent`), for the fallback to another model (pipeline/execute.ts) as well.
 */
import type { ChatEvent, ChatRequest } from "../../shared/chat.ts";
import { type ErrorEvent, isHostFailure, isUsed } from "../dialects/provider/dialect.ts";
import { type CallContext, callProvider, type ProviderAnswer } from "./call.ts";
import { Refused } from "./refusal.ts";
import type { Route } from "./resolve-route.ts";
import { pauseBefore } from "./retry-after.ts";

/** As callProvider. If the second try fails too, throws the first host's error. */
export async function callWithFailover(
  route: Route,
  request: ChatRequest,
  maxOutputTokens: number | undefined,
  context: CallContext,
): Promise<ProviderAnswer> {
  if (route.keySource !== "pool") return callProvider(route, request, maxOutputTokens, context);
  const callElsewhere = (failedHost: string | undefined): Promise<ProviderAnswer> =>
    callProvider({ ...route, avoidHosts: failedHost ? [failedHost] : [] }, request, maxOutputTokens, context);
  let first: Awaited<ReturnType<typeof callProvider>>;
  try {
    first = await callProvider(route, request, maxOutputTokens, context);
  } catch (error) {
    if (!(error instanceof Refused) || !isHostFailure(error.providerStatus) || context.signal.aborted)
      throw error;
    // Without a host's name the aggregator itself is busy, so wait first. Another host can be asked at once.
    if (error.failedHost === undefined) {
      const pauseMs = pauseBefore(error.retryAfter, context.now());
      if (pauseMs === undefined) throw error;
      await context.sleep(pauseMs);
    }
    return callElsewhere(error.failedHost).catch(() => {
      throw error;
    });
  }
  return { ...first, events: withSecondTry(first, callElsewhere) };
}

async function* withSecondTry(
  first: Awaited<ReturnType<typeof callProvider>>,
  callElsewhere: (failedHost: string) => Promise<ProviderAnswer>,
): ProviderAnswer["events"] {
  try {
    const { batches, failure } = await readUntilContent(first.events);
    // The hold covers each call once, so one that is charged is not made again.
    const failedHost = batches.flat().some(isCharged) ? undefined : failure?.host;
    const second =
      failedHost === undefined ? undefined : await callElsewhere(failedHost).catch(() => undefined);
    if (second !== undefined) {
      first.observer.dropped("failed_over");
      return yield* second.events;
    }
    yield* batches;
    yield* first.events;
  } finally {
    // Also when the consumer stops early: the provider must not keep writing.
    await first.events.return();
  }
}

const isCharged = (event: ChatEvent): boolean => event.type === "usage" && isUsed(event.usage);

/** False for an answer's id and usage. The first event of another type begins the answer, even an error. */
export const isContent = ({ type }: ChatEvent): boolean => type !== "start" && type !== "usage";

/** Reads an answer up to the first batch with content; `failure` is set when that content is an error. */
export async function readUntilContent(
  events: ProviderAnswer["events"],
): Promise<{ batches: ChatEvent[][]; failure: ErrorEvent | undefined }> {
  const batches: ChatEvent[][] = [];
  for (;;) {
    const { done, value } = await events.next();
    if (done) return { batches, failure: undefined };
    batches.push(value);
    const content = value.find(isContent);
    if (content !== undefined) return { batches, failure: content.type === "error" ? content : undefined };
  }
}
