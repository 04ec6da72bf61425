/** A GatewayError in Anthropic's layout: the only place that knows the field names of that body. */
import { errorTable, type GatewayError } from "../../../shared/errors.ts";

export type MessagesErrorBody = {
  type: "error";
  error: {
    type: string;
    message: string;
    details?: string[];
    required_credits?: number;
    available_credits?: number;
  };
  request_id: string;
};

/** This dialect knows no 422: a body that does not fit, in whatever way, is 400. */
export const statusOfAnthropicError = ({ status }: GatewayError): number => (status === 422 ? 400 : status);

/** The body of an error answer; the same object follows `event: error` after a late failure. */
export function encodeAnthropicError(
  { code, message, details }: GatewayError,
  requestId: string,
): MessagesErrorBody {
  const { details: lines, requiredCredits, availableCredits } = details;
  return {
    type: "error",
    error: {
      type: errorTable[code].anthropicType,
      message,
      ...(lines !== undefined && { details: lines }),
      ...(requiredCredits !== undefined && { required_credits: requiredCredits }),
      ...(availableCredits !== undefined && { available_credits: availableCredits }),
    },
    request_id: requestId,
  };
}
