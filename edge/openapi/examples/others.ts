/** Requests and answers of everything that is not a chat. */
import { providerKinds } from "../../../shared/providers.ts";
import { version } from "../../routes/health.ts";

const model = "svc-x1ac-base-gpt-4o-mini";
const created = 1_795_305_600;
const now = "2026-11-22T00:00:00.000Z";

export const embeddingRequests = {
  one: { model: "svc-x1ac-base", input: "search for a flight" },
  batch: {
    model: "svc-x1ac-base",
    input: ["search for a flight", "book a hotel"],
    encoding_format: "base64",
  },
};
const embeddingList = (embedding: number[] | string) => ({
  object: "list",
  data: [{ object: "embedding", index: 0, embedding }],
  model: "svc-x1ac-base",
  usage: { prompt_tokens: 6, total_tokens: 6 },
});
export const embeddingAnswers = {
  float: embeddingList([0.0123, -0.0456, 0.0789]),
  base64: embeddingList("RrdJPDCFOr0Pc6E9"),
};

const action = { step: 1, action_id: 10, action_name: "search", action_category: "retrieval" };
const goal = "Find a flight to Lisbon";
export const rolloutRequests = {
  planned: { goal, max_steps: 3 },
  given: { goal, actions: [10, 30], initial_state: "The user is on the airline page." },
};
export const rolloutAnswer = {
  id: "svc-rollout-9d0b1c2d3e4f",
  object: "rollout.prediction",
  created,
  goal,
  initial_state: "The user is on the airline page.",
  action_sequence: [action],
  predictions: [
    {
      step: 1,
      action,
      current_state: { step: 0, magnitude: 9.1, confidence: "High" },
      predicted_state: { step: 1, magnitude: 12.4, confidence: "Medium" },
      state_change: 6.2,
      interpretation: "Moderate change: search leads to a state of medium complexity.",
    },
  ],
  summary: {
    total_steps: 1,
    initial_magnitude: 9.1,
    final_magnitude: 12.4,
    total_state_change: 6.2,
    outcome: "Minimal progress (total state change 6.2 over 1 step)",
    action_path: ["search"],
  },
};

const entry = { id: model, object: "model", created, owned_by: "svc" };
const known = {
  size: "base",
  llm: "gpt-4o-mini",
  loaded: true,
  context_length: 128_000,
  max_output_tokens: 16_384,
  pricing: { planning: 0.125, prompt: 0.1875, completion: 0.75, cache_read: 0.093_75 },
  supported_parameters: ["max_tokens", "stream", "temperature", "tools"],
};
const anthropicEntry = {
  type: "model",
  id: model,
  display_name: "gpt-4o-mini (base)",
  created_at: now,
  lifecycle: "active",
  deprecated_at: null,
  retires_at: null,
  line: null,
  capabilities: null,
  max_input_tokens: null,
  max_tokens: null,
};
export const modelAnswers = {
  list: { object: "list", data: [{ ...entry, id: "svc-x1ac-base" }, entry] },
  anthropicList: { data: [anthropicEntry], has_more: true, first_id: model, last_id: model },
  one: { ...entry, ...known },
  anthropicOne: { ...anthropicEntry, max_input_tokens: 128_000, max_tokens: 16_384, ...known },
};

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

export const healthAnswer = {
  status: "healthy",
  svc_models_loaded: ["base"],
  llm_providers: [...providerKinds],
  vault: "connected",
  brain: {
    loaded: true,
    checkpoint: "x1ac-base-16",
    device: "cpu",
    num_actions: 903,
    random_baseline_nats: 6.806,
    sentence_transformers: true,
    tool_matching: "sentence-transformers",
  },
  version,
  git_sha: "0c1f2e3d",
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
        message: "Invalid API key for alpha (OpenAI, gpt-*): it answered 401. No key was stored.",
        provider: "alpha",
      },
    },
  },
  503: {
    "the provider cannot be asked": {
      value: {
        error: "service_unavailable",
        message:
          "The key for alpha (OpenAI, gpt-*) could not be validated: it did not answer. No key was stored; retry later.",
        provider: "alpha",
      },
    },
  },
};
