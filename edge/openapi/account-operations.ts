/** The endpoints of an account: past requests, credits, keys, tokens. */
import { providerKinds } from "../../shared/providers.ts";
import { errorsOf } from "./endpoint-errors.ts";
import * as account from "./examples/account.ts";
import { limitHeaderNames } from "./headers.ts";
import type { Operation } from "./operation.ts";

const tag = "Account";
const date = { type: "string", format: "date" };

const readOperations: readonly Operation[] = [
  {
    path: "/v1/generation",
    method: "get",
    id: "getGeneration",
    tag,
    summary: "What a past request used, cost and took; no texts",
    parameters: [
      {
        name: "id",
        in: "query",
        description: "A response's id, or its x-request-id. Required.",
        schema: { type: "string" },
        example: "chatcmpl-9d0b1c2d3e4f",
      },
    ],
    answer: { schemas: ["Generation"], examples: { generation: account.generationAnswer } },
    errors: [...errorsOf.keyed, "invalid_request", "not_found"],
  },
  {
    path: "/v1/account/balance",
    method: "get",
    id: "getBalance",
    tag,
    summary: "The credits of the account; 100 requests a minute",
    security: "bare",
    answer: { schemas: ["Balance"], examples: { balance: account.balanceAnswer } },
    answerHeaders: limitHeaderNames,
    errors: errorsOf.keyed,
  },
  {
    path: "/v1/account/usage",
    method: "get",
    id: "getUsage",
    tag,
    summary: "Requests, tokens and credits by day, model or key",
    parameters: [
      {
        name: "from",
        in: "query",
        description: "First day, UTC (default: 29 days before to).",
        schema: date,
      },
      { name: "to", in: "query", description: "Last day, UTC (default: today).", schema: date },
      {
        name: "group_by",
        in: "query",
        description: "What a row is of.",
        schema: { type: "string", enum: ["day", "model", "key"], default: "day" },
      },
    ],
    answer: { schemas: ["UsageList"], examples: { usage: account.usageAnswer } },
    errors: [...errorsOf.keyed, "invalid_request", "service_busy"],
  },
];

const llmKeys = "/v1/account/llm-keys";
const unlimited = "For API keys without an end, a budget or a list of models, and those made with --manage.";
const providerKeyOperations: readonly Operation[] = [
  {
    path: llmKeys,
    method: "get",
    id: "getProviderKeys",
    tag,
    summary: "Which provider keys are stored, since when",
    answer: { schemas: ["KeyStatus"], examples: { status: account.keyStatusAnswer } },
    errors: [...errorsOf.keyed, "vault_unavailable"],
    layouts: ["flat"],
  },
  {
    path: llmKeys,
    method: "post",
    id: "storeProviderKeys",
    tag,
    summary: "Stores your own provider keys, each tried with its provider; all or none",
    description: unlimited,
    request: { schemas: ["ProviderKeys"], examples: { one: account.providerKeysRequest } },
    answer: { schemas: ["Done"], examples: { stored: account.doneAnswers.stored } },
    answerHeaders: limitHeaderNames,
    errors: [...errorsOf.account, "vault_unavailable"],
    layouts: ["flat"],
    refusals: account.providerKeyRefusals,
  },
  {
    path: llmKeys,
    method: "delete",
    id: "deleteProviderKeys",
    tag,
    summary: "Forgets one provider's key, or all",
    description: unlimited,
    parameters: [
      {
        name: "provider",
        in: "query",
        description: "Whose key; without it all keys.",
        schema: { type: "string", enum: [...providerKinds] },
      },
    ],
    answer: { schemas: ["Done"], examples: { deleted: account.doneAnswers.deleted } },
    errors: [...errorsOf.keyed, "invalid_request", "vault_unavailable"],
    layouts: ["flat"],
  },
];

const apiKeys = "/v1/account/api-keys";
const keyId = {
  name: "id",
  in: "path",
  description: "The key's id.",
  schema: { type: "string" },
  example: "key_1",
} as const;
const managed = "For API keys that were made with --manage.";
const apiKeyOperations: readonly Operation[] = [
  {
    path: apiKeys,
    method: "get",
    id: "listApiKeys",
    tag,
    summary: "The account's API keys, with limits and spending",
    description: managed,
    answer: { schemas: ["ApiKeyList"], examples: { list: account.apiKeyAnswers.list } },
    errors: [...errorsOf.keyed, "service_busy"],
    layouts: ["flat"],
  },
  {
    path: apiKeys,
    method: "post",
    id: "createApiKey",
    tag,
    summary: "A new API key; three may be active",
    description: managed,
    request: { schemas: ["NewApiKeyRequest"], examples: { limited: account.newKeyRequest } },
    status: 201,
    answer: { schemas: ["NewApiKey"], examples: { created: account.apiKeyAnswers.created } },
    answerHeaders: limitHeaderNames,
    errors: [...errorsOf.account, "limit_reached"],
    layouts: ["flat"],
  },
  {
    path: `${apiKeys}/{id}`,
    method: "patch",
    id: "changeApiKey",
    tag,
    summary: "Changes a key's name and limits",
    description: managed,
    parameters: [keyId],
    request: { schemas: ["ApiKeyChanges"], examples: { budget: account.keyChangesRequest } },
    answer: { schemas: ["ApiKey"], examples: { changed: account.apiKeyAnswers.one } },
    errors: [...errorsOf.account, "not_found"],
    layouts: ["flat"],
  },
  {
    path: `${apiKeys}/{id}`,
    method: "delete",
    id: "deleteApiKey",
    tag,
    summary: "Ends a key, and its tokens with it",
    description: managed,
    parameters: [keyId],
    answer: { schemas: ["Done"], examples: { deleted: account.doneAnswers.keyDeleted } },
    errors: [...errorsOf.keyed, "not_found"],
    layouts: ["flat"],
  },
  {
    path: "/v1/account/tokens",
    method: "post",
    id: "createAccessToken",
    tag,
    summary: "A short-lived token for code that must not hold a key, such as a page",
    request: { schemas: ["NewTokenRequest"], examples: { page: account.tokenRequest } },
    status: 201,
    answer: { schemas: ["AccessToken"], examples: { token: account.tokenAnswer } },
    answerHeaders: limitHeaderNames,
    errors: [...errorsOf.account, "validation_error"],
  },
];

export const accountOperations: readonly Operation[] = [
  ...readOperations,
  ...providerKeyOperations,
  ...apiKeyOperations,
];
