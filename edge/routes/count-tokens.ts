/**
 * POST /v1/messages/count_tokens and /v1/responses/input_tokens: how many tokens a prompt has, before it is sent and free of charge.
 * With a key for Anthropic its own count, else our estimate; `x-svc-count` says which.
 */
import type { ChatRequest } from "../../shared/chat.ts";
import { readPrompt, readProviderHeaders } from "../dialects/caller/anthropic/read-request.ts";
import { CountTokensRequest } from "../dialects/caller/anthropic/schema.ts";
import { readResponsesRequest } from "../dialects/caller/responses/read-request.ts";
import { ResponsesRequest } from "../dialects/caller/responses/schema.ts";
import { authenticateFor } from "../middleware/authenticate.ts";
import { createHandlers, type EdgeContext } from "../middleware/context.ts";
import { limitConcurrency } from "../middleware/limit-concurrency.ts";
import { permitModels } from "../middleware/permit-models.ts";
import { jsonBody, validateJson } from "../middleware/request-body.ts";
import { countPromptTokens } from "../pipeline/count-prompt-tokens.ts";
import { readInlineKeys } from "../providers/resolve-route.ts";
import { wholeItems } from "./responses.ts";

/** The count of a prompt that the model of this name would get. */
async function count(context: EdgeContext, modelName: string, request: ChatRequest): Promise<number> {
  const { services, account } = context.var;
  const { headers, signal: clientSignal } = context.req.raw;
  const inlineKeys = readInlineKeys(headers);
  const counted = await countPromptTokens(
    { request, modelName, account, inlineKeys, clientSignal },
    services,
  );
  context.header("x-svc-count", counted.source);
  return counted.tokens;
}

export const countTokens = createHandlers(
  authenticateFor("messages"),
  limitConcurrency,
  jsonBody,
  validateJson(CountTokensRequest),
  permitModels,
  async (context) => {
    const body = context.req.valid("json");
    const request = { ...readPrompt(body), providerHeaders: readProviderHeaders(context.req.raw.headers) };
    return context.json({ input_tokens: await count(context, body.model, request) });
  },
);

export const countResponseTokens = createHandlers(
  authenticateFor("responses"),
  limitConcurrency,
  jsonBody,
  wholeItems,
  validateJson(ResponsesRequest),
  permitModels,
  async (context) => {
    const { model, request } = readResponsesRequest(context.req.valid("json"));
    return context.json({
      object: "response.input_tokens",
      input_tokens: await count(context, model, request),
    });
  },
);
