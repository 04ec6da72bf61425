/**
 * A second try on the pool, before a word of the answer: at another host of the same model where the
 * aggregator says which one failed. Never on a caller's own key, and never once anything was said, which
 * is told here too: another model takes over under the same rule (pipeline/execute.ts).
 */
import type { ChatEvent, ChatRequest } from "../../shared/chat.ts";
import { type CallContext, callProvider, type ProviderAnswer } from "./call.ts";
import { Refused, readRetryAfter } from "./refusal.ts";
import type { Route } from "./route.ts";

/** Statuses by which a request was not served: none of them is billed. */
const mayGoElsewhere = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** Before a second try where nobody is named to avoid. */
const pauseMs = 250;
const longestRetryAfterSeconds = 2;

/** As callProvider; throws what the first host said when the second try fails too. */
export async function callWithFailover(
  route: Route,
  request: ChatRequest,
  maxOutputTokens: number | undefined,
  context: CallContext,
): Promise<ProviderAnswer> {
  if (route.keySource !== "pool") return callProvider(route, request, maxOutputTokens, context);
  const callElsewhere = async (failedHost: string | undefined): Promise<ProviderAnswer> => {
    if (failedHost === undefined) await context.sleep(pauseMs);
    return callProvider(
      { ...route, avoidHosts: failedHost ? [failedHost] : [] },
      request,
      maxOutputTokens,
      context,
    );
  };
  let first: Awaited<ReturnType<typeof callProvider>>;
  try {
    first = await callProvider(route, request, maxOutputTokens, context);
  } catch (error) {
    if (!(error instanceof Refused) || !mayGoElsewhere(error.providerStatus) || context.signal.aborted)
      throw error;
    // The aggregator itself is busy, not a host of it: its caller can wait as long.
    const waitSeconds = readRetryAfter(error.retryAfter, context.now()) ?? 0;
    if (error.failedHost === undefined && waitSeconds > longestRetryAfterSeconds) throw error;
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
    const { batches, failure } = await readFirstWords(first.events);
    const second =
      failure?.host === undefined ? undefined : await callElsewhere(failure.host).catch(() => undefined);
    if (second !== undefined) {
      first.page.dropped("failed_over");
      return yield* second.events;
    }
    yield* batches;
    yield* first.events;
  } finally {
    // Also when the consumer stops early: the provider must not keep writing.
    await first.events.return();
  }
}

export type Failure = Extract<ChatEvent, { type: "error" }>;

/** A role, an id, a count of what was read: an answer has begun when something else comes. */
export const saysNothing = ({ type }: ChatEvent): boolean => type === "start" || type === "usage";

/** The beginning of an answer: batches up to the one in which something is said, and the failure if that is what it says. */
export async function readFirstWords(
  events: ProviderAnswer["events"],
): Promise<{ batches: ChatEvent[][]; failure: Failure | undefined }> {
  const batches: ChatEvent[][] = [];
  for (;;) {
    const { done, value } = await events.next();
    if (done) return { batches, failure: undefined };
    batches.push(value);
    const word = value.find((event) => !saysNothing(event));
    if (word !== undefined) return { batches, failure: word.type === "error" ? word : undefined };
  }
}
