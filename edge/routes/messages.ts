/** POST /v1/messages: Anthropic's dialect in, the same dialect out; plan and billing in headers. */
import { createFactory } from "hono/factory";
import { GatewayError } from "../../shared/errors.ts";
import { decodeMessagesRequest, readProviderHeaders } from "../dialects/caller/anthropic/read-request.ts";
import { MessagesRequest } from "../dialects/caller/anthropic/schema.ts";
import { encodeAnthropicError } from "../dialects/caller/anthropic/write-error.ts";
import { buildMessage } from "../dialects/caller/anthropic/write-reply.ts";
import { createMessagesStreamEncoder } from "../dialects/caller/anthropic/write-stream.ts";
import { recogniseFor } from "../middleware/authenticate.ts";
import type { EdgeEnv } from "../middleware/context.ts";
import { idempotency } from "../middleware/idempotency.ts";
import { occupy } from "../middleware/occupy.ts";
import { permitModels } from "../middleware/permit-models.ts";
import { jsonBody, validateJson } from "../middleware/request-body.ts";
import { writePlanHeaders } from "./plan-headers.ts";
import { refuseThreads } from "./refuse-threads.ts";
import { type AnswerWriter, respondChat } from "./respond-answer.ts";

export const messages = createFactory<EdgeEnv>().createHandlers(
  recogniseFor("messages"),
  occupy,
  jsonBody,
  refuseThreads,
  validateJson(MessagesRequest),
  permitModels,
  idempotency,
  async (context) => {
    const { attempt, requestId } = context.var;
    const headers = readProviderHeaders(context.req.raw.headers);
    const body = context.req.valid("json");
    limitMaxTokens(body.max_tokens, context.var.services.config.messagesMaxTokens);
    const asked = decodeMessagesRequest(body, headers);
    const id = `msg_${attempt.holdId}`;
    return respondChat(context, asked, createWriter({ id, model: asked.model }, requestId));
  },
);

/** The interface's limit (1 to 4096), unless the operator raised it. Throws validation_error. */
function limitMaxTokens(wanted: number, limit: number): void {
  if (wanted <= limit) return;
  const line = `max_tokens: must be at most ${limit}, this service's limit for /v1/messages (its operator raises it with MESSAGES_MAX_TOKENS)`;
  throw new GatewayError("validation_error", `Change this in the request body and send it again: ${line}`, {
    details: [line],
  });
}

const createWriter = (envelope: { id: string; model: string }, requestId: string): AnswerWriter => ({
  createStream({ dialect }) {
    const encoder = createMessagesStreamEncoder({ ...envelope, provider: dialect });
    return {
      // message_start waits for the provider's: it carries the usage of the prompt.
      first: () => "",
      encode: encoder.encode,
      last: ({ usage, metadata }) => encoder.last(usage, { credits_charged: metadata.credits_charged }),
      error: (error) => encoder.error(encodeAnthropicError(error, requestId)),
      keepAlive: encoder.keepAlive,
    };
  },
  buildBody: (events, { usage }, { dialect }) =>
    buildMessage(events, { ...envelope, provider: dialect, usage }),
  headers: writePlanHeaders,
});
