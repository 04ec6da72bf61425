/** An example of every error of the one table. */
import { type ErrorCode, type ErrorDetails, GatewayError } from "../../shared/errors.ts";
import { inlineKeyHeaders } from "../../shared/providers.ts";

const later = { retryAfterSeconds: 7 };

/** A new code does not compile without its example. */
const examples: Readonly<Record<ErrorCode, [message: string, details?: ErrorDetails]>> = {
  missing_api_key: [
    "Send your API key as 'Authorization: Bearer svc_sk_live_...' or in the header x-api-key.",
  ],
  invalid_api_key: ["This API key is unknown, revoked or mistyped; check it or create a new one."],
  token_expired: ["This token has expired; ask whoever gave it to you for a new one."],
  sign_in_failed: ["Your session has ended; use the sign-in page to begin a new one."],
  invalid_provider_key: [
    "Provider alpha (OpenAI, gpt-*) answered 401 - check your provider key, the one that you sent or stored, and its permissions.",
  ],
  missing_provider_key: [
    "No provider key for claude-sonnet-4-5: send your key for beta (Anthropic, claude-*) in the header x-beta-key (the pool is off).",
  ],
  insufficient_credits: [
    "Not enough credits for this request: add credits, ask for fewer output tokens, or send your own provider key.",
    { requiredCredits: 0.02, availableCredits: 0.01 },
  ],
  https_required: ["Use https:// - plain http would expose your API key."],
  permission_denied: [
    "This API key may not manage keys; use one that was made with --manage, or the console.",
  ],
  account_suspended: ["This account is suspended; write to the operator of this service."],
  not_found: [
    "This account has no ended request with that id; a stream is found once it has ended.",
    { param: "id" },
  ],
  model_not_found: ['Unknown model "svc-x1ac-base-gpt-none". GET /v1/models lists every name.'],
  method_not_allowed: ["Use POST on this path.", { headers: { allow: "POST" } }],
  websocket_not_served: ["This path is served without WebSockets: use POST over plain HTTP."],
  invalid_request: ["input is empty; send at least one text.", { param: "input" }],
  unsupported_parameter: [
    "This service keeps no responses, so previous_response_id is not supported: send the earlier items in input, the answer's output among them.",
    { param: "previous_response_id" },
  ],
  invalid_json: ["The request body is not valid JSON; check its quotes, commas and brackets."],
  upstream_rejected: [
    "Provider alpha (OpenAI, gpt-*) answered 400: Invalid image. - change the request as it says.",
  ],
  context_length_exceeded: [
    "Provider beta (Anthropic, claude-*) answered 400: 205000 tokens > 200000 maximum - the prompt is too long: send less, or choose a model that takes more.",
  ],
  limit_reached: ["This account has 3 active API keys, the most there may be; delete one first."],
  idempotency_in_progress: [
    "A request with this Idempotency-Key is still running: wait and retry to get its answer.",
    later,
  ],
  idempotency_answer_lost: [
    "The request with this Idempotency-Key was charged, but its answer cannot be given again: use a new key to ask anew.",
  ],
  idempotency_key_reused: [
    "This Idempotency-Key was used for another path or body within 24 hours: use a new key for a new request.",
  ],
  request_too_large: ["The request body is over 10 MiB; send less, or send images by URL."],
  unsupported_media_type: ["Send the body as JSON with 'Content-Type: application/json'."],
  validation_error: [
    "Change this in the request body and send it again: temperature: must be at most 2",
    { details: ["temperature: must be at most 2"], param: "temperature" },
  ],
  upstream_rate_limited: [
    "Provider router (OpenRouter, vendor/model) answered 429 - wait and retry with exponential backoff.",
    later,
  ],
  rate_limit_exceeded: [
    "64 requests of this API key are running, which is the most at once; send it again when one has ended.",
    later,
  ],
  internal_error: ["Something went wrong on our side; retry, and report the x-request-id if it stays."],
  intermediate_results_required: [
    "return_intermediate: false is not supported; leave it out or send true.",
    { param: "return_intermediate" },
  ],
  upstream_error: [
    "Provider alpha (OpenAI, gpt-*) answered 500 - retry with exponential backoff, or choose another model.",
  ],
  upstream_truncated: ["The provider's connection broke before the answer was complete; retry the request."],
  answer_off_format: [
    "The model's answer does not have the format that was asked for (required), which its provider does not hold it to. It was charged as used: ask again, or choose a model that holds its answers to a schema.",
  ],
  upstream_overloaded: [
    "Provider alpha (OpenAI, gpt-*) answered 503 - retry with exponential backoff.",
    later,
  ],
  service_unavailable: ["The service is not available; retry with exponential backoff."],
  service_busy: ["Other requests of this account are at the same work; send fewer at once.", later],
  world_model_not_loaded: ["The world model size xl is not loaded. Use one that is: base."],
  world_model_unavailable: [
    "The world model cannot be reached at the moment. Send the request again in a few seconds.",
    later,
  ],
  vault_unavailable: [
    `The vault is disabled on this service, so it stores no provider keys: send yours with each request, in the headers ${Object.values(inlineKeyHeaders).join(", ")}.`,
  ],
  stored_key_unreadable: [
    "Your stored key for the provider beta cannot be opened: store it again with POST /v1/account/llm-keys, or send it in the header x-beta-key.",
  ],
  billing_unavailable: ["The billing service is unavailable; retry with exponential backoff."],
  upstream_timeout: [
    "Provider router (OpenRouter, vendor/model) did not answer in time; retry with exponential backoff.",
  ],
};

export const exampleError = (code: ErrorCode): GatewayError => new GatewayError(code, ...examples[code]);
