/** POST /v1/messages: Anthropic's dialect in, the same dialect out; plan and billing in headers. */
import { createFactory } from "hono/factory";
import { decodeMessagesRequest, readProviderHeaders } from "../dialects/caller/anthropic/read-request.ts";
import { MessagesRequest } from "../dialects/caller/anthropic/schema.ts";
import { encodeAnthropicError } from "../dialects/caller/anthropic/write-error.ts";
import { buildMessage } from "../dialects/caller/anthropic/write-reply.ts";
import { createMessagesStreamEncoder } from "../dialects/caller/anthropic/write-stream.ts";
import { authenticateFor } from "../middleware/authenticate.ts";
import type { EdgeEnv } from "../middleware/context.ts";
import { idempotency } from "../middleware/idempotency.ts";
import { jsonBody } from "../middleware/json-body.ts";
import { occupy } from "../middleware/occupy.ts";
import { permitModels } from "../middleware/permit-models.ts";
import { validateJson } from "../middleware/validate-json.ts";
import { writePlanHeaders } from "./plan-headers.ts";
import { refuseThreads } from "./refuse-threads.ts";
import { type AnswerWriter, respondChat } from "./respond-answer.ts";

export const messages = createFactory<EdgeEnv>().createHandlers(
  authenticateFor("messages"),
  occupy,
  jsonBody,
  refuseThreads,
  validateJson(MessagesRequest),
  permitModels,
  idempotency,
  async (context) => {
    const { attempt, requestId } = context.var;
    const headers = readProviderHeaders(context.req.raw.headers);
    const asked = decodeMessagesRequest(context.req.valid("json"), headers);
    const id = `msg_${attempt.holdId}`;
    return respondChat(context, asked, createWriter({ id, model: asked.model }, requestId));
  },
);

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
