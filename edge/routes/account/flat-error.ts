/** A GatewayError in the flat body of the account's endpoints: {error, message, provider?}. */
import type { GatewayError } from "../../../shared/errors.ts";
import type { ProviderKind } from "../../../shared/providers.ts";

export type FlatError = { error: string; message: string; provider?: ProviderKind };

const namesByStatus: Readonly<Record<number, string>> = {
  401: "authentication_failed",
  403: "permission_denied",
  404: "not_found",
  405: "method_not_allowed",
  409: "limit_reached",
  429: "rate_limit_exceeded",
  500: "internal_error",
  503: "service_unavailable",
};

export function writeFlatError({ code, status, message }: GatewayError): FlatError {
  const words =
    code === "billing_unavailable"
      ? "The database does not answer; nothing was changed. Retry with exponential backoff."
      : message;
  return { error: namesByStatus[status] ?? "invalid_request", message: words };
}
