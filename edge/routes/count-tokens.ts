/**
 * POST /v1/messages/count_tokens: how many tokens a prompt has, before it is sent and free of charge. With
 * a key for Anthropic its own count, else our estimate; `x-svc-count` says which.
 */
import { createFactory } from "hono/factory";
import { decodePrompt, readProviderHeaders } from "../dialects/caller/anthropic/read-request.ts";
import { CountTokensRequest } from "../dialects/caller/anthropic/schema.ts";
import { authenticateFor } from "../middleware/authenticate.ts";
import type { EdgeEnv } from "../middleware/context.ts";
import { limitConcurrency } from "../middleware/limit-concurrency.ts";
import { permitModels } from "../middleware/permit-models.ts";
import { jsonBody, validateJson } from "../middleware/request-body.ts";
import { countPromptTokens } from "../pipeline/count-prompt-tokens.ts";
import { readInlineKeys } from "../providers/registry.ts";

export const countTokens = createFactory<EdgeEnv>().createHandlers(
  authenticateFor("messages"),
  limitConcurrency,
  jsonBody,
  validateJson(CountTokensRequest),
  permitModels,
  async (context) => {
    const { services, account } = context.var;
    const body = context.req.valid("json");
    const headers = context.req.raw.headers;
    const request = { ...decodePrompt(body), providerHeaders: readProviderHeaders(headers) };
    const count = await countPromptTokens(
      {
        request,
        modelName: body.model,
        account,
        inlineKeys: readInlineKeys(headers),
        clientSignal: context.req.raw.signal,
      },
      services,
    );
    context.header("x-svc-count", count.source);
    return context.json({ input_tokens: count.tokens });
  },
);
