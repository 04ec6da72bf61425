/**
 * One call to one provider: sends, waits for 2xx, then yields the answer's events. Owns time limits, aborts, and the second try on a
 * caller's own key (the pool's second try may go to another host: failover.ts). A refusal throws; a failure after 2xx is an `error`
 * event, the last.
 */
import type { ChatEvent, ChatRequest } from "../../shared/chat.ts";
import { GatewayError } from "../../shared/errors.ts";
import type { ProviderRequest } from "../dialects/provider/dialect.ts";
import { fitRequest, restoreStream } from "../dialects/provider/fit-request.ts";
import { gather, type SharedPace } from "../stream/shared-pace.ts";
import type { CallFailure } from "../telemetry/request-record.ts";
import { type AnswerCall, readReplyBatches, readStreamBatches } from "./read-batches.ts";
import { describeRefusal, readRefusal, unreachable } from "./refusal.ts";
import { providers, withKey } from "./registry.ts";
import { describeTarget, maySendNothing, type Route } from "./resolve-route.ts";
import { pauseBefore } from "./retry-after.ts";
import { type CallLimits, type Expiry, Watchdog } from "./timeouts.ts";

export type CallContext = {
  fetch: typeof fetch;
  now: () => number;
  sleep: (milliseconds: number) => Promise<void>;
  baseUrl: string;
  limits: CallLimits;
  /** Whether another of the request's models is left. */
  hasNext: boolean;
  /** Shared with the isolate's other streams. */
  sharedPace: SharedPace;
  /** What a batch of events takes in memory. */
  sizeOf: (events: readonly ChatEvent[]) => number;
  /** Aborted when the request ends, in whatever way: cuts the call. */
  signal: AbortSignal;
  /** Unique to the request: part of the ids that we give to tool calls without one. */
  salt: string;
  /** The observer of a call that is about to be sent. */
  observeCall: (request: ChatRequest, maxOutputTokens: number | undefined) => CallObserver;
};

/** Told what happens to one call, so that its usage is metered. */
export type CallObserver = {
  /** The provider named the answer's id before its first event. */
  named(id: string): void;
  observe(events: readonly ChatEvent[]): void;
  /** The answer ended, complete. */
  ended(): void;
  /**
   * The provider refused the call, or another call replaced it. It is charged only for usage that the provider reported.
   */
  dropped(why: CallFailure): void;
};

export type ProviderAnswer = {
  /** Batches of events, one per piece of the provider's answer. Never throws. */
  events: AsyncGenerator<ChatEvent[], void, void>;
  unsupported: ProviderRequest["unsupported"];
};

/** A call that is being made: its time limits, and its observer. */
type OpenCall = AnswerCall & { observer: CallObserver; watchdog: Watchdog; signal: AbortSignal };

function openCall(
  route: Route,
  request: ChatRequest,
  maxOutputTokens: number | undefined,
  context: CallContext,
): OpenCall {
  const controller = new AbortController();
  let expired: Expiry | undefined;
  const { thinking, ...limits } = context.limits;
  if (thinking && maySendNothing(route)) {
    limits.idleMs = context.hasNext ? thinking.beforeNextMs : thinking.aloneMs;
    limits.firstByteMs = limits.idleMs;
  }
  // An answer in one piece is complete before its first byte.
  if (!request.stream) limits.firstByteMs = limits.totalMs;
  const watchdog = new Watchdog(limits, context.now, (expiry) => {
    expired = expiry;
    controller.abort();
  });
  return {
    route,
    observer: context.observeCall(request, maxOutputTokens),
    watchdog,
    expiry: () => expired,
    signal: AbortSignal.any([context.signal, controller.signal]),
  };
}

/** Statuses by which a provider says that it did not process the request, so that a second try is not billed twice. */
const notAccepted: ReadonlySet<number> = new Set([503, 529]);

/** Posts the request; on a caller's own key once more if the provider did not process it. */
async function send(
  written: ProviderRequest,
  route: Route,
  context: CallContext,
  signal: AbortSignal,
): Promise<Response> {
  const init = withKey(route.provider, route.key, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      ...written.headers,
    },
    body: JSON.stringify(written.body),
    signal,
  });
  const url = `${context.baseUrl}${written.path}`;
  const first = await context.fetch(url, init);
  if (!notAccepted.has(first.status) || route.keySource === "pool") return first;
  const pauseMs = pauseBefore(first.headers.get("retry-after"), context.now());
  if (pauseMs === undefined) return first;
  await first.body?.cancel();
  await context.sleep(pauseMs);
  signal.throwIfAborted();
  return context.fetch(url, init);
}

/**
 * The error of a call that got no answer. If the whole request was aborted, the call is not ended: the provider may have
 * processed the prompt, so our count is charged.
 */
function unanswered({ route, observer, expiry }: OpenCall, signal: AbortSignal): GatewayError {
  const cut = expiry();
  if (cut !== undefined || !signal.aborted) observer.dropped(cut ?? "unreachable");
  if (cut === undefined) return unreachable(route);
  const { title } = providers[route.provider];
  return new GatewayError(
    "upstream_timeout",
    `Provider ${title} did not answer in time; retry with exponential backoff.`,
    {},
    cut,
  );
}

/**
 * Sends the request in the provider's dialect. Resolves once the provider has answered 2xx; throws
 * GatewayError before that (refused, unreachable, too slow). Cancelling `events` aborts the provider.
 */
export async function callProvider(
  route: Route,
  request: ChatRequest,
  maxOutputTokens: number | undefined,
  context: CallContext,
): Promise<ProviderAnswer & { observer: CallObserver }> {
  // A request that has ended is settled, and a call made now would never be charged. Nothing is awaited between here and `fetch`.
  if (context.signal.aborted) throw unreachable(route);
  const { dialect } = providers[route.provider];
  const fitted = fitRequest(request, route.model, dialect);
  const written = dialect.writeRequest(fitted.request, describeTarget(route, maxOutputTokens));
  const call = openCall(route, request, maxOutputTokens, context);
  const { observer, watchdog } = call;
  let response: Response;
  try {
    response = await send(written, route, context, call.signal);
  } catch {
    watchdog.stop();
    throw unanswered(call, context.signal);
  }
  if (!response.ok) {
    const reply = await readRefusal(response, route);
    watchdog.stop();
    observer.dropped(`${response.status}`);
    const refused = describeRefusal(route, reply, context.now());
    refused.unsupported = written.unsupported;
    throw refused;
  }
  watchdog.started();
  const { body, headers } = response;
  const id = dialect.generation && headers.get(dialect.generation.idHeader);
  if (id) observer.named(id);
  const reader = () => restoreStream(dialect.createStreamReader(context.salt), fitted);
  const { parseReply = JSON.parse } = dialect;
  const readWhole = (reply: string) => fitted.restore(dialect.readReply(parseReply(reply), context.salt));
  const answer =
    body !== null && /text\/event-stream/i.test(headers.get("content-type") ?? "")
      ? readStreamBatches(body, reader(), call)
      : readReplyBatches(response, { reader, readWhole }, call);
  const { sharedPace: pace, sizeOf, now, sleep } = context;
  return { events: gather(answer, { pace, sizeOf, now, sleep }), unsupported: written.unsupported, observer };
}
