/** POST /v1/chat/completions: OpenAI's dialect in, the same dialect out, JSON or server-sent events. */
import { createFactory } from "hono/factory";
import { buildChatCompletion } from "../dialects/openai/chat-completion.ts";
import { ChatCompletionRequest } from "../dialects/openai/chat-request.ts";
import { createChatStreamEncoder } from "../dialects/openai/chat-stream-encoder.ts";
import { decodeChatRequest } from "../dialects/openai/decode-chat-request.ts";
import { encodeOpenaiError } from "../dialects/openai/error-body.ts";
import { authenticateFor } from "../middleware/authenticate.ts";
import type { EdgeEnv } from "../middleware/context.ts";
import { idempotency } from "../middleware/idempotency.ts";
import { jsonBody } from "../middleware/json-body.ts";
import { permitModels } from "../middleware/permit-models.ts";
import { validateJson } from "../middleware/validate-json.ts";
import { type AnswerWriter, respondChat } from "./respond-answer.ts";

type Envelope = { id: string; created: number; model: string };

export const chatCompletions = createFactory<EdgeEnv>().createHandlers(
  authenticateFor("chat"),
  jsonBody,
  validateJson(ChatCompletionRequest),
  permitModels,
  idempotency,
  async (context) => {
    const { services } = context.var;
    const { includeUsage, ...asked } = decodeChatRequest(context.req.valid("json"));
    const envelope = {
      id: `chatcmpl-${services.randomId()}`,
      created: Math.floor(services.now() / 1000),
      model: asked.model,
    };
    return respondChat(context, asked, createWriter(envelope, includeUsage));
  },
);

const createWriter = (envelope: Envelope, includeUsage: boolean): AnswerWriter => ({
  createStream(answer) {
    const encoder = createChatStreamEncoder({ ...envelope, includeUsage });
    return {
      first: () => encoder.first(answer.metadata),
      encode: encoder.encode,
      last: ({ metadata, usage }) => encoder.last(metadata, usage),
      error: (error) => encoder.error(encodeOpenaiError(error)),
    };
  },
  buildBody: (events, { metadata, usage }) =>
    buildChatCompletion(events, { ...envelope, svc: metadata, usage }),
});
