/** POST /v1/chat/completions: OpenAI's dialect in, the same dialect out, JSON or server-sent events. */
import { createFactory } from "hono/factory";
import { decodeChatRequest, renameOmission } from "../dialects/caller/openai/read-request.ts";
import { ChatCompletionRequest } from "../dialects/caller/openai/schema.ts";
import { encodeOpenaiError } from "../dialects/caller/openai/write-error.ts";
import { buildChatCompletion } from "../dialects/caller/openai/write-reply.ts";
import { createChatStreamEncoder } from "../dialects/caller/openai/write-stream.ts";
import { listCustomTools } from "../dialects/custom-tools.ts";
import { authenticateCachedFor } from "../middleware/authenticate.ts";
import type { EdgeEnv } from "../middleware/context.ts";
import { idempotency } from "../middleware/idempotency.ts";
import { limitConcurrency } from "../middleware/limit-concurrency.ts";
import { permitModels } from "../middleware/permit-models.ts";
import { jsonBody, validateJson } from "../middleware/request-body.ts";
import { type AnswerWriter, respondChat } from "./respond-answer.ts";

type Envelope = { id: string; created: number; model: string; customTools?: ReadonlySet<string> };

const idPrefix = "chatcmpl-";

export const chatCompletions = createFactory<EdgeEnv>().createHandlers(
  authenticateCachedFor("chat"),
  limitConcurrency,
  jsonBody,
  validateJson(ChatCompletionRequest),
  permitModels,
  idempotency,
  async (context) => {
    const { services, attempt } = context.var;
    const body = context.req.valid("json");
    const { includeUsage, ...asked } = decodeChatRequest(body);
    const { model, request } = asked;
    const envelope = {
      id: `${idPrefix}${attempt.holdId}`,
      created: Math.floor(services.now() / 1000),
      model,
      ...(request.tools.length > 0 && { customTools: listCustomTools(request.tools) }),
    };
    const nameUnsupported = (names: readonly string[]) => names.map((name) => renameOmission(body, name));
    return respondChat(context, asked, { ...createWriter(envelope, includeUsage), nameUnsupported });
  },
);

const createWriter = (envelope: Envelope, includeUsage: boolean): AnswerWriter => ({
  idPrefix,
  createStream(answer) {
    const encoder = createChatStreamEncoder({ ...envelope, includeUsage });
    return {
      first: () => encoder.first(answer.metadata()),
      plan: () => encoder.plan(answer.metadata()!),
      encode: encoder.encode,
      last: ({ metadata, usage }) => encoder.last(metadata, usage),
      error: (error) => encoder.error(encodeOpenaiError(error)),
    };
  },
  buildBody: (events, { metadata, usage }) =>
    buildChatCompletion(events, { ...envelope, svc: metadata, usage }),
});
