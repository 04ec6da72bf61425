/** Which errors of the one table an endpoint of each kind can answer with. */
import type { ErrorCode } from "../../shared/errors.ts";

const anyone: readonly ErrorCode[] = ["https_required", "internal_error"];
const keyed: readonly ErrorCode[] = [
  ...anyone,
  "missing_api_key",
  "invalid_api_key",
  "token_expired",
  "permission_denied",
  "account_suspended",
  "rate_limit_exceeded",
  "billing_unavailable",
];
const body: readonly ErrorCode[] = [
  "invalid_json",
  "request_too_large",
  "unsupported_media_type",
  "service_busy",
];
const worldModel: readonly ErrorCode[] = [
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
];
/** Refusals of a provider, also when it is asked for a token count. */
const refusing: readonly ErrorCode[] = [
  "model_not_found",
  "invalid_provider_key",
  "stored_key_unreadable",
  "upstream_rejected",
  "context_length_exceeded",
  "upstream_rate_limited",
  "upstream_error",
  "upstream_overloaded",
  "upstream_timeout",
];
const provider: readonly ErrorCode[] = [
  ...refusing,
  "missing_provider_key",
  "upstream_truncated",
  "answer_off_format",
];

export const errorsOf = {
  anyone,
  keyed,
  account: [...keyed, ...body, "invalid_request"],
  counter: [...keyed, ...body, "invalid_request", "validation_error", ...refusing],
  embedding: [...worldModel, "model_not_found"],
  rollout: [...worldModel, "intermediate_results_required"],
  llm: [...worldModel, ...provider],
} as const;
