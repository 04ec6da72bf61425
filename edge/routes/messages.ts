/** POST /v1/messages: Anthropic's dialect in, the same dialect out; plan and billing in headers. */
import { bodyError, GatewayError } from "../../shared/errors.ts";
import {
  readMessagesRequest,
  readProviderHeaders,
  renameOmission,
} from "../dialects/caller/anthropic/read-request.ts";
import type { Envelope } from "../dialects/caller/anthropic/reply-types.ts";
import { MessagesRequest } from "../dialects/caller/anthropic/schema.ts";
import { writeAnthropicError } from "../dialects/caller/anthropic/write-error.ts";
import { buildMessage } from "../dialects/caller/anthropic/write-reply.ts";
import { createMessagesStreamWriter } from "../dialects/caller/anthropic/write-stream.ts";
import { authenticateCachedFor } from "../middleware/authenticate.ts";
import { createHandlers, type EdgeMiddleware } from "../middleware/context.ts";
import { idempotency } from "../middleware/idempotency.ts";
import { limitConcurrency } from "../middleware/limit-concurrency.ts";
import { permitModels } from "../middleware/permit-models.ts";
import { jsonBody, validateJson } from "../middleware/request-body.ts";
import type { SvcMetadata } from "../planning/svc-metadata.ts";
import { type AnswerWriter, respondChat } from "./respond-answer.ts";

/** The plan and who paid, in headers, as this dialect's body has no place for them. Values are ASCII; lists are joined by ", ". */
export const planHeaderNames = [
  "x-svc-execution-llm",
  "x-svc-key-source",
  "x-svc-plan",
  "x-svc-confidence",
  "x-svc-metadata",
] as const;

/**
 * Anthropic's clients can have the provider store a conversation and send only what is new (`thread`). Planning and other
 * providers need all of it. So threads are refused with the error after which those clients send the whole conversation, on their
 * own or as their caller decides.
 */
const refuseThreads: EdgeMiddleware = async (context, next) => {
  const body = context.get("body");
  if (typeof body === "object" && body !== null && "thread" in body && body.thread != null) {
    throw new GatewayError(
      "invalid_request",
      "This service holds no message threads: send the whole conversation in messages, without thread.",
      {
        instructions: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
        param: "thread",
      },
    );
  }
  await next();
};

const idPrefix = "msg_";

export const messages = createHandlers(
  authenticateCachedFor("messages"),
  limitConcurrency,
  jsonBody,
  refuseThreads,
  validateJson(MessagesRequest),
  permitModels,
  idempotency,
  async (context) => {
    const { attempt, requestId } = context.var;
    const headers = readProviderHeaders(context.req.raw.headers);
    const body = context.req.valid("json");
    limitMaxTokens(body.max_tokens, context.get("services").config.messagesMaxTokens);
    const asked = readMessagesRequest(body, headers);
    const id = `${idPrefix}${attempt.holdId}`;
    const nameUnsupported = (names: readonly string[]) => names.map((name) => renameOmission(body, name));
    return respondChat(context, asked, {
      ...createWriter({ id, model: asked.model }, requestId),
      nameUnsupported,
    });
  },
);

/** The interface's limit (1 to 4096), unless the operator raised it. Throws validation_error. */
function limitMaxTokens(wanted: number, limit: number): void {
  if (wanted <= limit) return;
  throw bodyError([
    `max_tokens: must be at most ${limit}, this service's limit for /v1/messages (its operator raises it with MESSAGES_MAX_TOKENS)`,
  ]);
}

const createWriter = (envelope: Omit<Envelope, "provider">, requestId: string): AnswerWriter => ({
  idPrefix,
  createStream({ dialect }) {
    const writer = createMessagesStreamWriter({ ...envelope, provider: dialect });
    return {
      // message_start waits for the provider's first event, which carries the usage of the prompt.
      first: () => "",
      write: writer.write,
      last: ({ usage, metadata }) => writer.last(usage, { credits_charged: metadata.credits_charged }),
      error: (error) => writer.error(writeAnthropicError(error, requestId)),
      keepAlive: writer.keepAlive,
    };
  },
  buildBody: (events, { usage }, { dialect }) =>
    buildMessage(events, { ...envelope, provider: dialect }, usage),
  headers: writePlanHeaders,
});

/** The trace is left out: it quotes tool results, and a header has little room. */
function writePlanHeaders({
  execution_trace: _trace,
  ...metadata
}: SvcMetadata): Record<(typeof planHeaderNames)[number], string> {
  return {
    "x-svc-execution-llm": toAscii(metadata.execution_llm),
    "x-svc-key-source": metadata.key_source,
    "x-svc-plan": toAscii(metadata.action_sequence.join(", ")),
    "x-svc-confidence": String(metadata.overall_confidence),
    "x-svc-metadata": toAscii(JSON.stringify(metadata)),
  };
}

/** Other characters are escaped as in JSON: a header holds bytes, and runtimes decode them differently. */
const toAscii = (text: string): string =>
  text.replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
