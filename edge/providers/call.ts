/**
 * One call to one provider: sends, waits for 2xx, then yields the answer's events. Owns time limits, aborts, and the second try on a
 * caller's own key (the pool's second try may go to another host: failover.ts). A refusal throws; a failure after 2xx is an `error`
 * event, the last.
 */
import type { ChatEvent, ChatRequest } from "../../shared/chat.ts";
import { GatewayError } from "../../shared/errors.ts";
import type { EncodedRequest, StreamDecoder } from "../dialects/provider/dialect.ts";
import { shortenToolNames } from "../dialects/short-tool-names.ts";
import { boundBody } from "../stream/bounded-body.ts";
import { gather, type SharedPace } from "../stream/flow-control.ts";
import { createByteReader, createSseParser } from "../stream/sse.ts";
import {
  describeFailure,
  describeRefusal,
  lostEvent,
  pauseBefore,
  readRefusal,
  timeoutEvent,
  unreachable,
  unreadableEvent,
} from "./refusal.ts";
import { describeTarget, providers, type Route, withKey } from "./registry.ts";
import { type CallLimits, createWatchdog, type Expiry, type Watchdog } from "./timeouts.ts";

export type CallContext = {
  fetch: typeof fetch;
  now: () => number;
  sleep: (milliseconds: number) => Promise<void>;
  baseUrl: string;
  limits: CallLimits;
  /** Shared with the isolate's other streams. */
  sharedPace: SharedPace;
  /** Aborted when the request ends, in whatever way: cuts the call. */
  signal: AbortSignal;
  /** Unique to the request: part of the ids that we give to tool calls without one. */
  salt?: string;
  /** Opens the page that a call about to be sent is accounted on. */
  openPage: (request: ChatRequest, maxOutputTokens: number | undefined) => CallPage;
};

/** Where one call is accounted for. */
export type CallPage = {
  /** The provider named the answer's id before its first event. */
  named(id: string): void;
  observe(events: readonly ChatEvent[]): void;
  /** The events have ended, complete. */
  ended(): void;
  /** The provider refused the call, or another call replaced it: only usage that it reported is charged. `why`: a tag. */
  dropped(why: string): void;
};

export type ProviderAnswer = {
  /** Batches of events, one per piece of the provider's answer. Never throws. */
  events: AsyncGenerator<ChatEvent[], void, void>;
  unsupported: EncodedRequest["unsupported"];
};

/** Bound of a JSON reply, which is read into memory whole. */
const maxReplyBytes = 32 * 1024 * 1024;

/** A call that is being made: its time limits, and its page. */
type OpenCall = {
  route: Route;
  page: CallPage;
  watchdog: Watchdog;
  /** The limit by which we cut it, if we did. */
  expiry(): Expiry | undefined;
  signal: AbortSignal;
};

function openCall(
  route: Route,
  request: ChatRequest,
  maxOutputTokens: number | undefined,
  context: CallContext,
): OpenCall {
  const controller = new AbortController();
  let expired: Expiry | undefined;
  const { firstByteMs, ...limits } = context.limits;
  // An answer that comes in one piece is written before its first byte.
  const watched = { ...limits, firstByteMs: request.stream ? firstByteMs : limits.totalMs };
  const watchdog = createWatchdog(watched, context.now, (expiry) => {
    expired = expiry;
    controller.abort();
  });
  return {
    route,
    page: context.openPage(request, maxOutputTokens),
    watchdog,
    expiry: () => expired,
    signal: AbortSignal.any([context.signal, controller.signal]),
  };
}

/** Statuses by which a provider says that it did not process the request, so that a second try is not billed twice. */
const notAccepted: ReadonlySet<number> = new Set([503, 529]);

/** Posts the request; on a caller's own key once more if the provider did not process it. */
async function send(
  encoded: EncodedRequest,
  route: Route,
  context: CallContext,
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

/** The events with no key in the failure, which can only be the last. */
function withoutKey(events: ChatEvent[], key: string | undefined): ChatEvent[] {
  const last = events.at(-1);
  return last?.type === "error" ? [...events.slice(0, -1), describeFailure(last, key)] : events;
}

async function* readStream(
  body: ReadableStream<Uint8Array>,
  decoder: StreamDecoder,
  { route, page, watchdog, expiry }: OpenCall,
): ProviderAnswer["events"] {
  const reader = createByteReader(body);
  const parser = createSseParser();
  try {
    for (;;) {
      const bytes = await reader.read();
      watchdog.touched();
      const events: ChatEvent[] = [];
      for (const message of bytes === undefined ? parser.end() : parser.push(bytes)) {
        for (const event of decoder.decode(message)) events.push(event);
      }
      if (bytes === undefined) events.push(...decoder.close());
      page.observe(events);
      if (bytes === undefined) page.ended();
      if (events.length > 0) yield withoutKey(events, route.key);
      if (bytes === undefined || events.at(-1)?.type === "error") return;
    }
  } catch {
    const cut = expiry();
    yield [cut === undefined ? lostEvent : timeoutEvent(cut)];
  } finally {
    watchdog.stop();
    // Also when the consumer stops early: the provider must not keep writing.
    reader.cancel();
  }
}

async function* readReply(
  response: Response,
  decode: (body: unknown) => ChatEvent[],
  { route, page, watchdog, expiry }: OpenCall,
): ProviderAnswer["events"] {
  try {
    const events = decode(await boundBody(response, maxReplyBytes).json());
    page.observe(events);
    page.ended();
    yield withoutKey(events, route.key);
  } catch (error) {
    const cut = expiry();
    if (cut !== undefined) yield [timeoutEvent(cut)];
    else yield [error instanceof SyntaxError || error instanceof RangeError ? unreadableEvent : lostEvent];
  } finally {
    watchdog.stop();
  }
}

/**
 * The error of a call that got no answer. If the whole request was aborted, the call's page stays open: the provider may have
 * processed the prompt, so our count is charged.
 */
function unanswered({ route, page, expiry }: OpenCall, signal: AbortSignal): GatewayError {
  const cut = expiry();
  if (cut !== undefined || !signal.aborted) page.dropped(cut ?? "unreachable");
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
): Promise<ProviderAnswer & { page: CallPage }> {
  // A request that has ended is settled, and a call made now would never be charged. Nothing is awaited between here and `fetch`.
  if (context.signal.aborted) throw unreachable(route);
  const { dialect } = providers[route.provider];
  const names = shortenToolNames(request, dialect.longestToolName);
  const encoded = dialect.encodeRequest(names.request, describeTarget(route, maxOutputTokens));
  const call = openCall(route, request, maxOutputTokens, context);
  const { page, watchdog } = call;
  let response: Response;
  try {
    response = await send(encoded, route, context, call.signal);
  } catch {
    watchdog.stop();
    throw unanswered(call, context.signal);
  }
  if (!response.ok) {
    const reply = await readRefusal(response, route);
    watchdog.stop();
    page.dropped(String(response.status));
    throw describeRefusal(route, reply, context.now());
  }
  watchdog.started();
  const { body, headers } = response;
  const id = dialect.generation && headers.get(dialect.generation.idHeader);
  if (id) page.named(id);
  const events =
    body !== null && headers.get("content-type")?.includes("text/event-stream")
      ? gather(readStream(body, names.decoder(dialect.createStreamDecoder(context.salt)), call), {
          pace: context.sharedPace,
          now: context.now,
          sleep: context.sleep,
        })
      : readReply(response, (reply) => names.restore(dialect.decodeReply(reply, context.salt)), call);
  return { events, unsupported: encoded.unsupported, page };
}
