/** Requests and answers of an account: past requests, credits, keys, tokens. */
import { providerKinds } from "../../../shared/providers.ts";
import { created, model, now } from "./facts.ts";

export const generationAnswer = {
  data: {
    id: "chatcmpl-9d0b1c2d3e4f",
    request_id: "3f0c9a5e7b1d4c2f8a6e9d0b1c2d3e4f",
    created,
    model,
    execution_llm: "gpt-4o-mini",
    models_tried: [model],
    key_source: "pool",
    streamed: true,
    finish_reason: "stop",
    prompt_tokens: 96,
    completion_tokens: 18,
    reasoning_tokens: 0,
    cached_tokens: 0,
    planning_tokens: 31,
    credits_charged: 0.000_042,
    planning_ms: 21.4,
    first_byte_ms: 310,
    total_ms: 934,
    action_sequence: ["search", "select", "read"],
  },
};

export const balanceAnswer = { balance: 9.999_958, account_id: "acct_1", email: "you@example.com" };

export const providerKeysRequest = { alpha_key: "sk-proj-your-key" };
export const doneAnswers = {
  stored: { success: true, message: "Keys were validated and stored: alpha." },
  deleted: { success: true, message: "Deleted: alpha." },
  keyDeleted: { success: true, message: "The key is deleted, and its tokens with it." },
};
export const keyStatusAnswer = {
  pool_keys_available: true,
  ...Object.fromEntries(providerKinds.map((kind, index) => [`has_${kind}_key`, index === 0])),
  ...Object.fromEntries(
    providerKinds.map((kind, index) => [`${kind}_last_validated`, index === 0 ? now : null]),
  ),
};

export const newKeyRequest = {
  name: "staging",
  expires_at: "2027-01-31T00:00:00Z",
  monthly_budget: 5,
  models: [model],
};
export const keyChangesRequest = { monthly_budget: 10, expires_at: null };
const apiKey = {
  id: "key_1",
  name: "staging",
  prefix: "svc_sk_live_4Fz",
  created_at: now,
  last_used_at: null,
  expires_at: "2027-01-31T00:00:00.000Z",
  monthly_budget: 5,
  spent_this_month: 0,
  models: [model],
  manage: false,
  revoked_at: null,
};
export const apiKeyAnswers = {
  list: { object: "list", data: [apiKey] },
  one: apiKey,
  created: { ...apiKey, api_key: "svc_sk_live_..." },
};

export const usageAnswer = {
  object: "list",
  from: "2026-11-01",
  to: "2026-11-22",
  group_by: "model",
  data: [
    {
      group: model,
      requests: 41,
      prompt_tokens: 3_936,
      completion_tokens: 738,
      planning_tokens: 1_271,
      credits: 0.001_722,
    },
  ],
};

export const tokenRequest = { ttl_seconds: 600, endpoints: ["chat"], models: [model], max_credits: 0.05 };
export const tokenAnswer = { token: "svc_tk_...", expires_at: "2026-11-22T00:10:00.000Z" };

/** Refusals that only POST /v1/account/llm-keys has. */
export const providerKeyRefusals = {
  400: {
    "the provider refused the key": {
      value: {
        error: "validation_failed",
        message: "Invalid API key for alpha (OpenAI, gpt-*): the provider answered 401. No key was stored.",
        provider: "alpha",
      },
    },
  },
  503: {
    "the provider cannot be asked": {
      value: {
        error: "service_unavailable",
        message:
          "The key for alpha (OpenAI, gpt-*) could not be validated: the provider did not answer. No key was stored; retry later.",
        provider: "alpha",
      },
    },
  },
};
