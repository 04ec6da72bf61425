/**
 * The interface of a provider's dialect: writes a request from the hub, reads events into it. Pure: no I/O, no clock. Each folder
 * beside this file implements it for one wire format, with the same file names.
 */
import type {
  ChatEvent,
  ChatRequest,
  DialectName,
  EventOf,
  ProviderData,
  Usage,
} from "../../../shared/chat.ts";
import type { ResponseFormats } from "../../catalog/model.ts";
import type { SseEvent } from "../../stream/sse.ts";

/** Engines that cost only tokens: the model reads the document itself, or gets its text. */
type PdfEngine = "native" | "cloudflare-ai";

/** What the writer of a request needs to know about the model. */
export type ProviderTarget = {
  /** The model id in the provider's own naming. */
  model: string;
  /** Most output tokens the provider may write; required by Anthropic, and on the pool always set. */
  maxOutputTokens?: number;
  /** The model's own output limit, if known (Anthropic needs a number even if the caller gave none). */
  outputLimit?: number;
  /** Which response formats the aggregator's list says that the model accepts; undefined if it does not say. */
  formats?: ResponseFormats;
  /** The aggregator's hosts that must not serve this call, by its names: they have just failed. */
  avoidHosts?: readonly string[];
  /** The engine by which the aggregator reads documents; undefined on a caller's own key, where the caller chooses. */
  pdfEngine?: PdfEngine;
};

export type ProviderRequest = {
  /** Path below the provider's base URL, starting with "/". */
  path: string;
  body: Record<string, unknown>;
  headers: Record<string, string>;
  /** The caller's fields that this provider does not have, by wire name, for `x-svc-unsupported`. */
  unsupported: string[];
};

/**
 * A state machine over one stream. `read` never throws: a bad chunk becomes an `error` event. `close` is called once when the
 * bytes end; without the provider's end mark it returns `upstream_truncated`. After an `error` event only a usage report is returned.
 */
export type StreamReader = {
  read(event: SseEvent): ChatEvent[];
  close(): ChatEvent[];
  stage(): StreamStage;
};

/**
 * How far a stream is. `finished`: a finish reason has come, so the stream is complete if nothing follows. `ended`: the end mark
 * (which not every wire has) or an error has come; what follows is ignored.
 */
export type StreamStage = "open" | "finished" | "ended";

export type ErrorEvent = EventOf<"error">;

/** The errors of a stream that cannot be read, or that stops before its wire's end mark. */
export const unreadable: ErrorEvent = {
  type: "error",
  code: "upstream_error",
  message: "The provider sent a part of the answer that cannot be read.",
};
export const truncated: ErrorEvent = {
  type: "error",
  code: "upstream_truncated",
  message: "The provider closed the stream before the answer was complete.",
};

/**
 * Statuses of an aggregator's host that failed without billing, so that another host may be asked. Any other 4xx is the request's
 * own fault, at every host.
 */
export const isHostFailure = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** Which tool names a provider accepts. `first`: the accepted first characters; an underscore always is. */
export type ToolNameRule = { fits: RegExp; maxChars: number; first: RegExp };

/** What the body of a refusal says beside its status. A body that cannot be read says nothing. */
export type RefusalBody = {
  /** The provider's own words. */
  message?: string | undefined;
  /** Further details, for clients of this dialect. */
  details?: ProviderData | undefined;
  /** When to retry, in either form of the header Retry-After. */
  retryAfter?: string | undefined;
  /** The aggregator's host that failed. */
  failedHost?: string | undefined;
  /** A 403 is for content that the aggregator's moderation flagged, not for the key. */
  flagged?: boolean;
  /** The key is refused, although the status says that the request is wrong. */
  keyRefused?: boolean;
  /** The credit is used up, whatever the status is: neither waiting nor another request helps. */
  outOfCredit?: boolean;
  /** A code says that the prompt does not fit the model, whatever the words are. */
  tooLong?: boolean;
};

export type ProviderDialect = {
  readonly name: DialectName;
  /** True if the provider itself takes n > 1; otherwise the gateway makes parallel calls. */
  readonly takesChoices: boolean;
  readonly toolNames: ToolNameRule;
  writeRequest(request: ChatRequest, target: ProviderTarget): ProviderRequest;
  /** Whether the provider itself enforces the response format asked for. */
  enforcesFormat(request: ChatRequest, target: ProviderTarget): boolean;
  /** `salt`: letters unique to this answer, for the ids of calls to which the provider gave none. */
  createStreamReader(salt?: string): StreamReader;
  /** Parses a JSON reply where JSON.parse would lose something. Throws what it throws. */
  parseReply?(text: string): unknown;
  /** Events of a whole JSON reply: the same list as for a stream of it, with deltas joined. */
  readReply(body: unknown, salt?: string): ChatEvent[];
  /** The provider's own token counter, if it has one. */
  readonly count?: {
    writeRequest(request: ChatRequest, target: ProviderTarget): ProviderRequest;
    readReply(body: unknown): number | undefined;
  };
  /** An aggregator's record of an answer, found by the answer's id: the usage of a call that was cut before its report. */
  readonly generation?: {
    /** The header that carries the answer's id. It comes with the status, long before a thinking model's first word. */
    readonly idHeader: string;
    path(id: string): string;
    /** Undefined if the record is not written yet. */
    readReply(body: unknown): Usage | undefined;
  };
  /** `body`: parsed JSON; undefined if it is none. */
  readRefusal(body: unknown): RefusalBody;
};

/**
 * Whether a report says that something is billed. If the aggregator names its cost, that decides, since it does not bill the prompt of a
 * call that failed before its first token. Not so with the operator's own key at a host (`is_byok`): there the host bills, and the counts
 * decide. Providers that did nothing report zeros before an error.
 */
export function isUsed({ input, output, total, costUsd, raw }: Usage): boolean {
  if (costUsd !== undefined && raw?.is_byok !== true) return costUsd > 0;
  return [input, output, total].some((count) => count > 0);
}
