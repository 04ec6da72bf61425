/**
 * What every provider dialect offers: a request out of the hub, events into it. Pure: no I/O, no clock.
 * Each folder beside this file fulfils it for one wire, under the same file names.
 */
import type { ChatEvent, ChatRequest, DialectName, ProviderData, Usage } from "../../../shared/chat.ts";
import type { ResponseFormats } from "../../catalog/model.ts";
import type { SseEvent } from "../../stream/sse.ts";

/** Both cost nothing but tokens: the model reads documents itself, or gets their text. */
export type PdfEngine = "native" | "cloudflare-ai";

/** Model-bound facts the encoder needs. */
export type ProviderTarget = {
  /** The model id in the provider's own naming. */
  model: string;
  /** Most output tokens the provider may write; required by Anthropic, and on the pool always set. */
  maxOutputTokens?: number;
  /** The model's own output limit, where known (Anthropic needs a number even if nobody gave one). */
  outputLimit?: number;
  /** Which response formats an aggregator says that the model takes; absent where it says nothing. */
  formats?: ResponseFormats;
  /** An aggregator's hosts that are not to serve this call, as it names them. */
  avoidHosts?: readonly string[];
  /** How an aggregator is told to read documents; absent on a caller's own key, where the caller chooses. */
  pdfEngine?: PdfEngine;
};

export type EncodedRequest = {
  /** Path below the provider's base URL, starting with "/". */
  path: string;
  body: Record<string, unknown>;
  headers: Record<string, string>;
  /** Wire names of the caller's fields this provider cannot honour: become `x-svc-unsupported`. */
  unsupported: string[];
};

/**
 * A state machine over one stream. `decode` never throws: a bad chunk becomes an `error` event.
 * `close` is called once when the bytes end; without the provider's end mark it gives
 * `upstream_truncated`. After an `error` event nothing more is given.
 */
export type StreamDecoder = {
  decode(event: SseEvent): ChatEvent[];
  close(): ChatEvent[];
  stage(): StreamStage;
};

/**
 * How far a stream is. `finished`: a finish reason has come, so it is whole if nothing follows. `ended`: the end mark has come, which
 * not every wire has, or an error; whatever follows gives nothing.
 */
export type StreamStage = "open" | "finished" | "ended";

/** The errors with which a decoder ends a stream that cannot be read, or that stops before its wire's end mark. */
export const unreadable: ChatEvent = {
  type: "error",
  code: "upstream_error",
  message: "The provider sent a part of the answer that cannot be read.",
};
export const truncated: ChatEvent = {
  type: "error",
  code: "upstream_truncated",
  message: "The provider closed the stream before the answer was complete.",
};

/**
 * Statuses with which an aggregator's host fails without billing, so that another host may be asked. Any other 4xx is the request's
 * own fault, at every host.
 */
export const mayGoElsewhere = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** Which names of tools a provider takes. `first`: how one may begin, beside the underscore. */
export type ToolNameRule = { fits: RegExp; maxChars: number; first: RegExp };

export type ProviderDialect = {
  readonly name: DialectName;
  /** True when the provider itself takes n > 1; else the gateway makes parallel calls. */
  readonly takesChoices: boolean;
  readonly toolNames: ToolNameRule;
  encodeRequest(request: ChatRequest, target: ProviderTarget): EncodedRequest;
  /** Whether the provider itself holds the answer to the response format asked for. */
  holdsFormat(request: ChatRequest, target: ProviderTarget): boolean;
  /** `salt`: letters no other answer has, for ids of calls that the provider gave none. */
  createStreamDecoder(salt?: string): StreamDecoder;
  /** Events of a whole JSON reply: the same list a stream of it would give, deltas joined. */
  decodeReply(body: unknown, salt?: string): ChatEvent[];
  /** The provider's own token counter, where it has one. */
  readonly count?: {
    encodeRequest(request: ChatRequest, target: ProviderTarget): EncodedRequest;
    readReply(body: unknown): number | undefined;
  };
  /** An aggregator's record of an answer by its id: tells the usage of a call that was cut before its report. */
  readonly generation?: {
    /** The header that names the answer's id with the status, so long before a thinking model's first word. */
    readonly idHeader: string;
    path(id: string): string;
    /** Undefined where it is not written yet. */
    readReply(body: unknown): Usage | undefined;
  };
  /** An aggregator's host that a refusal says has failed. */
  readFailedHost?(body: unknown): string | undefined;
  /** Whether a 403 is for content that an aggregator's moderation flagged, not for the key. */
  readsAsFlagged?(body: unknown): boolean;
  /** Whether a refusal is for the key although its status says that it is for the request. */
  refusesKey?(body: unknown): boolean;
  /** Whether a 429 is for credit that is used up, which no wait brings back. */
  saysOutOfCredit?(body: unknown): boolean;
  /** When to come back, where a refusal says it in its body: as the header Retry-After would, in either form. */
  readRetryDelay?(body: unknown): string | undefined;
  /** What a refusal's body says to clients of this dialect beside its message. */
  readErrorDetails?(body: unknown): ProviderData | undefined;
  /** The provider's own words about a refused request, if the body has any. */
  readErrorMessage(body: unknown): string | undefined;
};
