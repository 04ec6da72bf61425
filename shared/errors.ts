/**
 * The one table of errors: code -> HTTP status, public type, whether a retry may help. How the body is laid out, and which callers get
 * another status, is in the dialects (`errorLayouts` in edge/app.ts). A code that begins with `upstream_` is a provider's failure; after
 * a retryable one the next of a request's `models` is asked.
 */

type ErrorEntry = {
  status: number;
  /** `error.type` of the OpenAI-style body. */
  type: string;
  /** `error.type` of the Anthropic-style body. */
  anthropicType: string;
  retryable: boolean;
  /** False if the interface gives the error no code: the body then carries `code: null`. */
  publicCode: boolean;
};

const entry = (
  status: number,
  type: string,
  anthropicType: string,
  { retryable = false, publicCode = true }: { retryable?: boolean; publicCode?: boolean } = {},
): ErrorEntry => ({ status, type, anthropicType, retryable, publicCode });

const retryable = { retryable: true };

export const errorTable = {
  missing_api_key: entry(401, "authentication_error", "authentication_error"),
  invalid_api_key: entry(401, "authentication_error", "authentication_error"),
  token_expired: entry(401, "authentication_error", "authentication_error"),
  sign_in_failed: entry(401, "authentication_error", "authentication_error"),
  invalid_provider_key: entry(401, "authentication_error", "authentication_error"),
  missing_provider_key: entry(401, "missing_provider_key", "authentication_error", { publicCode: false }),
  insufficient_credits: entry(402, "insufficient_credits", "billing_error"),
  https_required: entry(403, "permission_error", "permission_error"),
  permission_denied: entry(403, "permission_error", "permission_error"),
  account_suspended: entry(403, "permission_error", "permission_error"),
  not_found: entry(404, "not_found_error", "not_found_error"),
  model_not_found: entry(404, "not_found_error", "not_found_error"),
  method_not_allowed: entry(405, "invalid_request_error", "invalid_request_error"),
  /** Refuses a WebSocket. After this status, and no other, Codex goes on over HTTP. */
  websocket_not_served: entry(426, "invalid_request_error", "invalid_request_error"),
  invalid_request: entry(400, "invalid_request_error", "invalid_request_error"),
  unsupported_parameter: entry(400, "invalid_request_error", "invalid_request_error"),
  invalid_json: entry(400, "invalid_request_error", "invalid_request_error"),
  upstream_rejected: entry(400, "invalid_request_error", "invalid_request_error"),
  /** OpenAI's own code, after which agents shorten their conversation. */
  context_length_exceeded: entry(400, "invalid_request_error", "invalid_request_error"),
  limit_reached: entry(409, "invalid_request_error", "invalid_request_error"),
  idempotency_in_progress: entry(409, "idempotency_error", "invalid_request_error", retryable),
  idempotency_answer_lost: entry(409, "idempotency_error", "invalid_request_error"),
  idempotency_key_reused: entry(422, "idempotency_error", "invalid_request_error"),
  request_too_large: entry(413, "invalid_request_error", "request_too_large"),
  unsupported_media_type: entry(415, "invalid_request_error", "invalid_request_error"),
  validation_error: entry(422, "validation_error", "invalid_request_error", { publicCode: false }),
  upstream_rate_limited: entry(429, "rate_limit_error", "rate_limit_error", retryable),
  rate_limit_exceeded: entry(429, "rate_limit_error", "rate_limit_error", retryable),
  internal_error: entry(500, "api_error", "api_error", retryable),
  /** A caller's mistake, for which the interface demands a 500. Apart from `internal_error`, which alerts take for a defect of ours. */
  intermediate_results_required: entry(500, "api_error", "api_error"),
  upstream_error: entry(502, "upstream_error", "api_error", retryable),
  upstream_truncated: entry(502, "upstream_error", "api_error", retryable),
  /** Not retryable: each try is charged, so only the caller may decide on another. */
  answer_off_format: entry(502, "upstream_error", "api_error"),
  upstream_overloaded: entry(502, "upstream_error", "overloaded_error", retryable),
  service_unavailable: entry(503, "service_error", "api_error", retryable),
  service_busy: entry(503, "service_error", "overloaded_error", retryable),
  world_model_not_loaded: entry(503, "service_error", "api_error"),
  world_model_unavailable: entry(503, "service_error", "overloaded_error", retryable),
  vault_unavailable: entry(503, "service_error", "api_error", retryable),
  stored_key_unreadable: entry(503, "service_error", "api_error"),
  billing_unavailable: entry(503, "service_error", "api_error", retryable),
  upstream_timeout: entry(504, "upstream_error", "api_error", retryable),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorTable;

/** What a caller may read in addition to code and message; never a secret. */
export type ErrorDetails = {
  /** Field-level messages of a failed validation. */
  details?: string[];
  /** Details on which clients of one dialect act by themselves, in that dialect's format. */
  instructions?: Readonly<Record<string, unknown>>;
  /** The field the error is about, as OpenAI names it. */
  param?: string;
  requiredCredits?: number;
  availableCredits?: number;
  /** Whole seconds, sent as Retry-After. */
  retryAfterSeconds?: number;
  /** Extra response headers, such as Allow. */
  headers?: Record<string, string>;
};

/**
 * An error meant for the caller: `message` is public and says what to do next. `reason` is for the operator's log only: a tag such
 * as "connect-refused", never a secret or a prompt.
 */
export class GatewayError extends Error {
  override readonly name = "GatewayError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  readonly reason: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, reason?: string) {
    super(message);
    this.code = code;
    this.details = details;
    this.reason = reason;
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}

/** The error for a body that does not fit. `lines`: each begins with the field; the message repeats the first. */
export const bodyError = (lines: string[], more: Pick<ErrorDetails, "param"> = {}): GatewayError =>
  new GatewayError(
    "validation_error",
    `Change this in the request body and send it again: ${lines[0] ?? "unknown"}`,
    { details: lines, ...more },
  );
