/**
 * One call to one provider: send, wait for 2xx, then give the answer's events as they arrive. Limits and
 * aborts live here; a refusal throws, a failure after 2xx is an `error` event and the last.
 */
import type { ChatEvent, ChatRequest } from "../../shared/chat.ts";
import { GatewayError } from "../../shared/errors.ts";
import type { EncodedRequest, StreamDecoder } from "../dialects/provider/dialect.ts";
import { createByteReader } from "../stream/byte-reader.ts";
import { createSseParser } from "../stream/sse.ts";
import { type CallLimits, createWatchdog, type Expiry, type Watchdog } from "../stream/watchdog.ts";
import { describeFailure, describeRefusal, readRetryAfter } from "./refusal.ts";
import { providers } from "./registry.ts";
import type { Route } from "./route.ts";

export type CallContext = {
  fetch: typeof fetch;
  now: () => number;
  sleep: (milliseconds: number) => Promise<void>;
  baseUrl: string;
  limits: CallLimits;
  /** Aborted when the client leaves: passed on to the provider. */
  signal: AbortSignal;
  /** Letters no other request has. */
  salt?: string;
};

export type ProviderAnswer = {
  /** Batches of events, one per piece of the provider's answer. Never throws. */
  events: AsyncGenerator<ChatEvent[], void, void>;
  /** Wire names of the caller's fields that this provider could not honour. */
  unsupported: string[];
};

/** Statuses by which a provider says that it has not taken the request, so a second try bills nothing twice. */
const notAccepted: ReadonlySet<number> = new Set([503, 529]);
const retryDelayMs = 250;
const longestRetryAfterSeconds = 2;

/** Largest JSON reply read into memory, in bytes. */
const maxReplyBytes = 32 * 1024 * 1024;

/** What a refusing reply says, as far as it can be read. */
async function readRefusal(response: Response, route: Route) {
  const { dialect } = providers[route.provider];
  const text = await response.text().catch(() => "");
  let body: unknown;
  try {
    body = JSON.parse(text.slice(0, 65_536));
  } catch {
    // An HTML page of a proxy, or nothing.
  }
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    message: dialect.readErrorMessage(body),
    details: dialect.readErrorDetails?.(body),
    failedHost: dialect.readFailedHost?.(body),
  };
}

async function send(
  encoded: EncodedRequest,
  route: Route,
  context: CallContext,
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
  // On the pool the second try may go to another host (failover.ts).
  if (!notAccepted.has(first.status) || route.keySource === "pool") return first;
  const afterSeconds = readRetryAfter(first.headers.get("retry-after"), context.now()) ?? 0;
  if (afterSeconds > longestRetryAfterSeconds) return first;
  await first.body?.cancel();
  await context.sleep(Math.max(retryDelayMs, afterSeconds * 1000));
  return context.fetch(url, init);
}

/** Why a call was cut, if we cut it. */
type Cut = { expiry?: Expiry };

const timeoutEvent = (expiry: Expiry): ChatEvent => ({
  type: "error",
  code: "upstream_timeout",
  message: `The provider passed the ${expiry} time limit; retry, or ask for a shorter answer.`,
});

const lostEvent: ChatEvent = {
  type: "error",
  code: "upstream_truncated",
  message: "The provider's connection broke before the answer was complete; retry the request.",
};

/** Only the last event can be a failure; its words are the provider's until here. */
function withoutKey(events: ChatEvent[], key: string | undefined): ChatEvent[] {
  const last = events.at(-1);
  return last?.type === "error" ? [...events.slice(0, -1), describeFailure(last, key)] : events;
}

async function* readStream(
  body: ReadableStream<Uint8Array>,
  decoder: StreamDecoder,
  key: string | undefined,
  watchdog: Watchdog,
  cut: Cut,
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
      if (events.length > 0) yield withoutKey(events, key);
      if (bytes === undefined || events.at(-1)?.type === "error") return;
    }
  } catch {
    yield [cut.expiry === undefined ? lostEvent : timeoutEvent(cut.expiry)];
  } finally {
    watchdog.stop();
    // Also when the consumer stops early: the provider must not keep writing.
    reader.cancel();
  }
}

async function* readReply(
  response: Response,
  decode: (body: unknown) => ChatEvent[],
  key: string | undefined,
  watchdog: Watchdog,
  cut: Cut,
): ProviderAnswer["events"] {
  try {
    const declared = Number(response.headers.get("content-length") ?? 0);
    if (declared > maxReplyBytes) throw new RangeError("reply too large");
    yield withoutKey(decode(await response.json()), key);
  } catch (error) {
    const unreadable: ChatEvent = {
      type: "error",
      code: "upstream_error",
      message: "The provider's answer could not be read; retry, or choose another model.",
    };
    if (cut.expiry !== undefined) yield [timeoutEvent(cut.expiry)];
    else yield [error instanceof SyntaxError || error instanceof RangeError ? unreadable : lostEvent];
  } finally {
    watchdog.stop();
  }
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
): Promise<ProviderAnswer> {
  const { dialect, title } = providers[route.provider];
  const encoded = dialect.encodeRequest(request, {
    model: route.model,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(route.outputLimit !== undefined && { outputLimit: route.outputLimit }),
    ...(route.avoidHosts !== undefined && { avoidHosts: route.avoidHosts }),
  });
  const controller = new AbortController();
  const cut: Cut = {};
  const watchdog = createWatchdog(context.limits, context.now, (expiry) => {
    cut.expiry = expiry;
    controller.abort();
  });
  const signal = AbortSignal.any([context.signal, controller.signal]);
  let response: Response;
  try {
    response = await send(encoded, route, context, signal);
  } catch {
    watchdog.stop();
    if (cut.expiry !== undefined) {
      throw new GatewayError(
        "upstream_timeout",
        `Provider ${title} did not answer in time; retry with exponential backoff.`,
        {},
        cut.expiry,
      );
    }
    throw new GatewayError(
      "upstream_error",
      `Provider ${title} could not be reached; retry with exponential backoff.`,
      {},
      "provider-unreachable",
    );
  }
  if (!response.ok) {
    const reply = await readRefusal(response, route);
    watchdog.stop();
    throw describeRefusal(route, reply, context.now());
  }
  watchdog.started();
  const streamed = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
  const events =
    streamed && response.body !== null
      ? readStream(response.body, dialect.createStreamDecoder(context.salt), route.key, watchdog, cut)
      : readReply(response, (body) => dialect.decodeReply(body, context.salt), route.key, watchdog, cut);
  return { events, unsupported: encoded.unsupported };
}
