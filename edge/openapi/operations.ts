/** Every public endpoint, one row each: what it takes, answers and refuses. A test holds this table and the app's together. */
import { modelSizes } from "../../shared/model-sizes.ts";
import { inlineKeyHeaders } from "../../shared/providers.ts";
import { planHeaderNames } from "../routes/messages.ts";
import { accountOperations } from "./account-operations.ts";
import { errorsOf } from "./endpoint-errors.ts";
import * as chat from "./examples/chat.ts";
import * as messages from "./examples/messages.ts";
import * as models from "./examples/models.ts";
import * as responses from "./examples/responses.ts";
import * as worldModel from "./examples/world-model.ts";
import type { Operation } from "./operation.ts";

const inlineKeys = Object.values(inlineKeyHeaders);
const charged = ["x-svc-credits-charged", "idempotent-replayed", "x-svc-unsupported"];
const llmHeaders = [...inlineKeys, "x-svc-plan", "idempotency-key"];

const chatOperations: readonly Operation[] = [
  {
    path: "/v1/chat/completions",
    method: "post",
    id: "createChatCompletion",
    tag: "Chat",
    summary: "An answer in OpenAI's format, planned first",
    description:
      "The world model plans toward the goal (the last user message), the LLM named in `model` answers. The plan is in `svc`; in a stream it is on the first chunk, and complete on the last.",
    headers: llmHeaders,
    request: { schemas: ["ChatCompletionRequest"], examples: chat.chatRequests },
    answer: { schemas: ["ChatCompletion"], examples: chat.chatAnswers },
    stream: { event: "ChatCompletionEvent", example: chat.chatStream },
    answerHeaders: charged,
    errors: errorsOf.llm,
  },
  {
    path: "/v1/responses",
    method: "post",
    id: "createResponse",
    tag: "Chat",
    summary: "The same as OpenAI's Responses API",
    description: "Nothing is kept: what rests on stored responses is 400.",
    headers: llmHeaders,
    request: { schemas: ["ResponsesRequest"], examples: responses.responsesRequests },
    answer: { schemas: ["ResponseObject"], examples: { text: responses.responsesAnswer } },
    stream: { event: "ResponseEvent", example: responses.responsesStream },
    answerHeaders: charged,
    errors: [...errorsOf.llm, "unsupported_parameter"],
  },
  {
    path: "/v1/responses/compact",
    method: "post",
    id: "compactResponse",
    tag: "Chat",
    summary: "A conversation made short, for the next request's `input`",
    description: "The user's messages, and one item with a summary of everything else. Priced as an answer.",
    headers: llmHeaders,
    request: { schemas: ["ResponsesRequest"], examples: { plain: responses.responsesRequests.plain } },
    answer: { schemas: ["CompactedResponse"], examples: { compacted: responses.compactedAnswer } },
    answerHeaders: charged,
    errors: [...errorsOf.llm, "unsupported_parameter"],
  },
  {
    path: "/v1/responses/input_tokens",
    method: "post",
    id: "countResponseTokens",
    tag: "Chat",
    summary: "How many tokens an input has; free of charge",
    headers: inlineKeys,
    request: { schemas: ["ResponsesRequest"], examples: { plain: responses.responsesRequests.plain } },
    answer: { schemas: ["ResponseTokenCount"], examples: { count: responses.countAnswer } },
    answerHeaders: ["x-svc-count"],
    errors: [...errorsOf.counter, "unsupported_parameter"],
  },
  {
    path: "/v1/messages",
    method: "post",
    id: "createMessage",
    tag: "Chat",
    summary: "The same in Anthropic's format",
    description: "The plan and who paid are in response headers.",
    headers: [...llmHeaders, "anthropic-version", "anthropic-beta"],
    request: { schemas: ["MessagesRequest"], examples: messages.messagesRequests },
    answer: { schemas: ["Message"], examples: { text: messages.messagesAnswer } },
    stream: { event: "MessageEvent", example: messages.messagesStream },
    answerHeaders: [...charged, ...planHeaderNames],
    errors: errorsOf.llm,
    layouts: ["anthropic"],
  },
  {
    path: "/v1/messages/count_tokens",
    method: "post",
    id: "countMessageTokens",
    tag: "Chat",
    summary: "How many tokens a prompt has; free of charge",
    headers: [...inlineKeys, "anthropic-version", "anthropic-beta"],
    request: { schemas: ["CountTokensRequest"], examples: { plain: messages.countRequest } },
    answer: { schemas: ["TokenCount"], examples: { count: messages.countAnswer } },
    answerHeaders: ["x-svc-count"],
    errors: errorsOf.counter,
    layouts: ["anthropic"],
  },
];

const worldModelOperations: readonly Operation[] = [
  {
    path: "/v1/embeddings",
    method: "post",
    id: "createEmbedding",
    tag: "World model",
    summary: "The world model's vectors of 1 to 100 texts",
    headers: ["idempotency-key"],
    request: { schemas: ["EmbeddingRequest"], examples: worldModel.embeddingRequests },
    answer: { schemas: ["EmbeddingList"], examples: worldModel.embeddingAnswers },
    answerHeaders: charged,
    errors: errorsOf.embedding,
  },
  {
    path: "/v1/rollout",
    method: "post",
    id: "createRollout",
    tag: "World model",
    summary: "What a sequence of actions would change; nothing is executed",
    headers: ["idempotency-key"],
    request: { schemas: ["RolloutRequest"], examples: worldModel.rolloutRequests },
    answer: { schemas: ["RolloutPrediction"], examples: { prediction: worldModel.rolloutAnswer } },
    answerHeaders: charged,
    errors: errorsOf.rollout,
  },
];

const cursor = (name: string, description: string) =>
  ({ name, in: "query", description, schema: { type: "string" } }) as const;
const modelOperations: readonly Operation[] = [
  {
    path: "/v1/models",
    method: "get",
    id: "listModels",
    tag: "Models",
    summary: "The names you may use, loaded sizes first",
    parameters: [
      { name: "size", in: "query", description: "Of this size only.", schema: { enum: [...modelSizes] } },
      {
        name: "limit",
        in: "query",
        description: "Anthropic's shape only: entries of a page.",
        schema: { type: "integer", minimum: 1, maximum: 1000, default: 20 },
      },
      cursor("after_id", "Anthropic's shape only: the page after this one."),
      cursor("before_id", "Anthropic's shape only: the page before this one."),
    ],
    headers: ["anthropic-version", "if-none-match"],
    answer: {
      schemas: ["ModelList", "AnthropicModelList"],
      examples: { openai: models.modelAnswers.list, anthropic: models.modelAnswers.anthropicList },
    },
    answerHeaders: ["etag"],
    errors: [...errorsOf.keyed, "invalid_request"],
    layouts: ["openai", "anthropic"],
  },
  {
    path: "/v1/models/{id}",
    method: "get",
    id: "retrieveModel",
    tag: "Models",
    summary: "One model: limits, prices as charged, what it takes",
    parameters: [
      {
        name: "id",
        in: "path",
        description: "As in the list; a slash may be raw or %2F.",
        schema: { type: "string" },
        example: "svc-x1ac-base-gpt-4o-mini",
      },
    ],
    headers: ["anthropic-version"],
    answer: {
      schemas: ["Model", "AnthropicModel"],
      examples: { openai: models.modelAnswers.one, anthropic: models.modelAnswers.anthropicOne },
    },
    errors: [...errorsOf.keyed, "model_not_found"],
    layouts: ["openai", "anthropic"],
  },
];

const serviceOperations: readonly Operation[] = [
  {
    path: "/health",
    method: "get",
    id: "getHealth",
    tag: "Service",
    summary: "What is loaded and connected",
    security: "none",
    answer: { schemas: ["Health"], examples: { healthy: models.healthAnswer } },
    errors: errorsOf.anyone,
  },
  {
    path: "/openapi.json",
    method: "get",
    id: "getOpenapi",
    tag: "Service",
    summary: "This document",
    security: "none",
    answer: { schemas: ["OpenapiDocument"], examples: { document: { openapi: "3.1.1", paths: {} } } },
    errors: errorsOf.anyone,
  },
];

export const operations: readonly Operation[] = [
  ...chatOperations,
  ...worldModelOperations,
  ...modelOperations,
  ...accountOperations,
  ...serviceOperations,
];
