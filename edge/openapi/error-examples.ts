/** An example of every error of the one table, and which of them a kind of endpoint can answer with. */
import { type ErrorCode, type ErrorDetails, GatewayError } from "../../shared/errors.ts";
import { providerTimeouts } from "../providers/timeouts.ts";

const later = { retryAfterSeconds: 7 };

/** A new code does not compile without its example. */
const examples: Readonly<Record<ErrorCode, [message: string, details?: ErrorDetails]>> = {
  missing_api_key: [
    "Send your API key as 'Authorization: Bearer svc_sk_live_...' or in the header x-api-key.",
  ],
  invalid_api_key: ["This API key is unknown, revoked or mistyped; check it or create a new one."],
  token_expired: ["This token has expired; ask whoever gave it to you for a new one."],
  sign_in_failed: ["Your session has ended; use the sign-in page to begin a new one."],
  invalid_provider_key: ["alpha (OpenAI, gpt-*) refused your key (401): check the key you sent."],
  missing_provider_key: [
    "There is no key for beta (Anthropic, claude-*): send yours in x-beta-key, or store it.",
  ],
  insufficient_credits: [
    "This request may cost up to 0.02 credits and 0.01 are available; add credits or ask for fewer tokens.",
    { requiredCredits: 0.02, availableCredits: 0.01 },
  ],
  https_required: ["Use https:// - plain http would expose your API key."],
  permission_denied: [
    "This API key may not manage keys; use one that was made with --manage, or the console.",
  ],
  account_suspended: ["This account is suspended; write to the operator of this service."],
  not_found: ["There is nothing under this id, for this account."],
  model_not_found: ["There is no model svc-x1ac-base-gpt-none; GET /v1/models lists every name."],
  method_not_allowed: ["Use POST on this path.", { headers: { allow: "POST" } }],
  websocket_not_served: ["This path is served without WebSockets: use POST over plain HTTP."],
  invalid_request: ["input is empty; send at least one text.", { param: "input" }],
  unsupported_parameter: [
    "This service keeps no responses, so prompt is not supported: send its text in instructions and input.",
    { param: "prompt" },
  ],
  previous_response_not_found: [
    "Previous response not found, as this service keeps none: send the earlier items in input.",
    { param: "previous_response_id" },
  ],
  invalid_json: ["The request body is not valid JSON; check its quotes, commas and brackets."],
  upstream_rejected: ["alpha (OpenAI, gpt-*) rejected the request (400): Invalid image."],
  context_length_exceeded: [
    "Provider beta (Anthropic, claude-*) answered 400: 205000 tokens > 200000 maximum - the prompt is too long: send less.",
  ],
  limit_reached: ["This account has 3 active API keys, the most there may be; delete one first."],
  idempotency_in_progress: [
    "A request with this Idempotency-Key is running; retry when it has ended.",
    later,
  ],
  idempotency_answer_lost: ["The first request with this Idempotency-Key ended without an answer to keep."],
  idempotency_key_reused: ["This Idempotency-Key was used with another body; take a new key."],
  request_too_large: ["The request body is larger than 10 MiB; send a smaller one."],
  unsupported_media_type: ["Send the body as JSON with 'Content-Type: application/json'."],
  validation_error: [
    "Change this in the request body and send it again: temperature: must be at most 2",
    { details: ["temperature: must be at most 2"], param: "temperature" },
  ],
  upstream_rate_limited: ["alpha (OpenAI, gpt-*) limits its rate: wait and retry.", later],
  rate_limit_exceeded: ["64 requests of this API key are running, which is the most at once.", later],
  internal_error: ["Something went wrong on our side; retry, and report the x-request-id if it stays."],
  upstream_error: ["alpha (OpenAI, gpt-*) failed (500): retry with exponential backoff."],
  upstream_truncated: ["The provider's answer broke off before it was complete; retry."],
  answer_off_format: [
    "The model's answer does not have the format that was asked for (required), which its provider does not hold it to.",
  ],
  upstream_overloaded: ["alpha (OpenAI, gpt-*) is overloaded: retry with exponential backoff.", later],
  service_unavailable: ["The service is not available; retry with exponential backoff."],
  service_busy: ["Other requests of this account are at the same work; send fewer at once.", later],
  world_model_not_loaded: ["The world model of size xl is not loaded here; loaded: base."],
  world_model_unavailable: ["No world model answers; retry.", later],
  vault_unavailable: ["The vault is disabled on this service, so it stores no provider keys."],
  stored_key_unreadable: ["Your stored key for beta (Anthropic, claude-*) cannot be read; store it again."],
  billing_unavailable: ["The billing service is unavailable; retry with exponential backoff."],
  upstream_timeout: [
    `Provider router (OpenRouter, vendor/model) gave no first byte within ${providerTimeouts.call.firstByteMs / 1000} s; retry.`,
  ],
};

export const exampleError = (code: ErrorCode): GatewayError => new GatewayError(code, ...examples[code]);

const anyone = ["https_required", "internal_error"] as const satisfies ErrorCode[];
const keyed = [
  ...anyone,
  "missing_api_key",
  "invalid_api_key",
  "token_expired",
  "permission_denied",
  "account_suspended",
  "rate_limit_exceeded",
  "billing_unavailable",
] as const satisfies ErrorCode[];
const body = [
  "invalid_json",
  "request_too_large",
  "unsupported_media_type",
  "service_busy",
] as const satisfies ErrorCode[];
const worldModel = [
  ...keyed,
  ...body,
  "validation_error",
  "invalid_request",
  "insufficient_credits",
  "idempotency_in_progress",
  "idempotency_answer_lost",
  "idempotency_key_reused",
  "world_model_not_loaded",
  "world_model_unavailable",
] as const satisfies ErrorCode[];
/** Refusals of a provider, also when it is asked for a token count. */
const refusing = [
  "model_not_found",
  "invalid_provider_key",
  "stored_key_unreadable",
  "upstream_rejected",
  "context_length_exceeded",
  "upstream_rate_limited",
  "upstream_error",
  "upstream_overloaded",
  "upstream_timeout",
] as const satisfies ErrorCode[];
const provider = [
  ...refusing,
  "missing_provider_key",
  "upstream_truncated",
  "answer_off_format",
] as const satisfies ErrorCode[];

/** What an endpoint of each kind can answer with. */
export const errorsOf = {
  anyone: anyone as readonly ErrorCode[],
  keyed: keyed as readonly ErrorCode[],
  account: [...keyed, ...body, "invalid_request"] as readonly ErrorCode[],
  counter: [...keyed, ...body, "invalid_request", "validation_error", ...refusing] as readonly ErrorCode[],
  embedding: [...worldModel, "model_not_found"] as readonly ErrorCode[],
  worldModel: worldModel as readonly ErrorCode[],
  llm: [...worldModel, ...provider] as readonly ErrorCode[],
} as const;
