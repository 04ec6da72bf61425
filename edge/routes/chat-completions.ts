/** POST /v1/chat/completions: OpenAI's dialect in, the same dialect out, JSON or server-sent events. */
import type { ToolDefinition } from "../../shared/chat.ts";
import type { CustomForm, CustomTools } from "../dialects/caller/openai/write-calls.ts";
import { writeOpenaiError } from "../dialects/caller/openai/write-error.ts";
import { buildChatCompletion, type Envelope } from "../dialects/caller/openai/write-reply.ts";
import { createChatStreamWriter } from "../dialects/caller/openai/write-stream.ts";
import { listCustomTools } from "../dialects/custom-tools.ts";
import { authenticateCachedFor } from "../middleware/authenticate.ts";
import { createHandlers } from "../middleware/context.ts";
import { idempotency } from "../middleware/idempotency.ts";
import { limitConcurrency } from "../middleware/limit-concurrency.ts";
import { permitModels } from "../middleware/permit-models.ts";
import { jsonBody, validateJson } from "../middleware/request-body.ts";
import { ChatBody, readChatBody } from "./chat-body.ts";
import { type AnswerWriter, respondChat } from "./respond-answer.ts";

const idPrefix = "chatcmpl-";

export const chatCompletions = createHandlers(
  authenticateCachedFor("chat"),
  limitConcurrency,
  jsonBody,
  validateJson(ChatBody),
  permitModels,
  idempotency,
  async (context) => {
    const { services, attempt } = context.var;
    const { asked, includeUsage, customForm, nameUnsupported } = readChatBody(context.req.valid("json"));
    const { model, request } = asked;
    const envelope = {
      id: `${idPrefix}${attempt.holdId}`,
      created: Math.floor(services.now() / 1000),
      model,
      ...(request.tools.length > 0 && { customTools: listForms(request.tools, customForm) }),
    };
    return respondChat(context, asked, { ...createWriter(envelope, includeUsage), nameUnsupported });
  },
);

const listForms = (tools: readonly ToolDefinition[], form: CustomForm): CustomTools =>
  new Map([...listCustomTools(tools)].map((name) => [name, form]));

const createWriter = (envelope: Envelope, includeUsage: boolean): AnswerWriter => ({
  idPrefix,
  createStream(answer) {
    const writer = createChatStreamWriter({ ...envelope, includeUsage });
    return {
      first: () => writer.first(answer.metadata()),
      plan: () => writer.plan(answer.metadata()!),
      write: writer.write,
      last: ({ metadata, usage }) => writer.last(metadata, usage),
      error: (error) => writer.error(writeOpenaiError(error)),
    };
  },
  buildBody: (events, { metadata, usage }) =>
    buildChatCompletion(events, { ...envelope, svc: metadata, usage }),
});
